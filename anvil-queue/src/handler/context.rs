use std::fmt;
use std::future::pending;
use std::sync::Arc;

use crate::worker::Held;

/// What a running job can ask of its worker. Cheap to clone.
///
/// ```
/// use anvil_queue::Context;
///
/// let context = Context::detached();
/// assert!(!context.is_cancelled());
/// ```
#[derive(Clone)]
pub struct Context {
    held: Option<Arc<Held>>,
}

impl Context {
    /// A context that is never cancelled, for tests of a handler.
    #[must_use]
    pub fn detached() -> Self {
        Self { held: None }
    }

    pub(crate) fn of(held: Arc<Held>) -> Self {
        Self { held: Some(held) }
    }

    /// Whether the run should end: its lease was lost, its cancellation was asked for, or the
    /// worker is stopping and its grace is over.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.held
            .as_ref()
            .is_some_and(|held| held.cancelled.is_set())
    }

    /// Waits until the run should end. Safe to drop.
    pub async fn cancelled(&self) {
        match &self.held {
            Some(held) => held.cancelled.wait().await,
            None => pending().await,
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("is_cancelled", &self.is_cancelled())
            .finish()
    }
}
