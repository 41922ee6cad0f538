use std::sync::Arc;
use std::time::Duration;

use super::Harness;
use crate::Store;

/// The backend of another harness as services hold it when the store is chosen by configuration:
/// `Arc<dyn Store>`.
#[derive(Debug)]
pub struct Pointer<H>(H);

impl<H> Pointer<H> {
    /// The backends of `harness`, each behind a pointer.
    pub fn new(harness: H) -> Self {
        Self(harness)
    }
}

impl<H: Harness> Harness for Pointer<H>
where
    H::Backend: Store,
{
    type Backend = Arc<dyn Store>;

    async fn fresh(&self) -> Arc<dyn Store> {
        Arc::new(self.0.fresh().await)
    }

    async fn with_capacity(&self, jobs: usize) -> Arc<dyn Store> {
        Arc::new(self.0.with_capacity(jobs).await)
    }

    async fn pass(&self, time: Duration) {
        self.0.pass(time).await;
    }

    fn short_time(&self) -> Duration {
        self.0.short_time()
    }

    fn dedupe_window(&self) -> Duration {
        self.0.dedupe_window()
    }

    fn dedupe_slack(&self) -> Duration {
        self.0.dedupe_slack()
    }

    fn id_window(&self) -> Duration {
        self.0.id_window()
    }
}
