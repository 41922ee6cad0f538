use std::sync::Arc;
use std::time::Duration;

use anvil_queue::Store;
use anvil_queue::conformance::Harness;

use super::shared::Shared;

/// A backend as services hold it when the store is chosen by configuration.
pub(crate) struct Pointer(pub(crate) Shared);

impl Harness for Pointer {
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

    fn id_window(&self) -> Duration {
        self.0.id_window()
    }
}
