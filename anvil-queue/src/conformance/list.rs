//! The behaviours as values.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use super::Harness;

/// One behaviour of the suite, to be run by a test that does its own bookkeeping; see
/// [`behaviours`].
pub struct Behaviour<H> {
    group: &'static str,
    name: &'static str,
    run: fn(Arc<H>) -> Run,
}

type Run = Pin<Box<dyn Future<Output = ()> + Send>>;

impl<H> Behaviour<H> {
    /// The module of the behaviour, such as `dedupe`.
    #[must_use]
    pub fn group(&self) -> &'static str {
        self.group
    }

    /// The function of the behaviour, unique in the suite.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Runs the behaviour, which panics where the backend does not have it.
    pub fn run(&self, harness: Arc<H>) -> impl Future<Output = ()> + Send + use<H> {
        (self.run)(harness)
    }
}

impl<H> fmt::Debug for Behaviour<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.group, self.name)
    }
}

/// Every behaviour of the suite, in the order of [`conformance!`](crate::conformance!).
///
/// For a store that takes long to start, so that one test starts it once and runs all behaviours on
/// it, some of them at a time. Each [`fresh`](Harness::fresh) backend still has to be one without
/// jobs, such as one with a prefix of its own. Run them on a multi-thread runtime.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use anvil_memory::MemoryBackend;
/// use anvil_queue::conformance::{Harness, behaviours};
///
/// struct Memory;
///
/// impl Harness for Memory {
///     // As for the macro.
/// #     type Backend = MemoryBackend;
/// #     async fn fresh(&self) -> MemoryBackend {
/// #         MemoryBackend::new().dedupe_window(self.dedupe_window())
/// #     }
/// #     async fn with_capacity(&self, jobs: usize) -> MemoryBackend {
/// #         MemoryBackend::new().capacity(jobs)
/// #     }
/// #     async fn pass(&self, time: Duration) {
/// #         tokio::time::sleep(time).await;
/// #     }
/// #     fn short_time(&self) -> Duration {
/// #         Duration::from_millis(100)
/// #     }
/// #     fn dedupe_window(&self) -> Duration {
/// #         Duration::from_secs(2)
/// #     }
/// #     fn id_window(&self) -> Duration {
/// #         Duration::from_secs(600)
/// #     }
/// }
///
/// # #[tokio::main]
/// # async fn main() {
/// let memory = Arc::new(Memory);
/// let mut about_enqueue = behaviours::<Memory>();
/// about_enqueue.retain(|behaviour| behaviour.group() == "enqueue");
/// assert!(!about_enqueue.is_empty());
/// for behaviour in about_enqueue {
///     behaviour.run(Arc::clone(&memory)).await;
/// }
/// # }
/// ```
#[must_use]
pub fn behaviours<H: Harness + 'static>() -> Vec<Behaviour<H>> {
    crate::conformance!(@behaviours list(H))
}
