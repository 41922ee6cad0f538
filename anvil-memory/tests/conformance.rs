//! The conformance suite on the in-memory backend, directly and through a pointer.

use std::sync::Arc;
use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::Store;
use anvil_queue::conformance::Harness;

mod direct {
    use super::*;

    anvil_queue::conformance!(Memory, start_paused = true);
}

mod through_a_pointer {
    use super::*;

    anvil_queue::conformance!(Pointer(Memory), start_paused = true);
}

struct Memory;

impl Harness for Memory {
    type Backend = MemoryBackend;

    async fn fresh(&self) -> MemoryBackend {
        MemoryBackend::new().dedupe_window(self.dedupe_window())
    }

    async fn with_capacity(&self, jobs: usize) -> MemoryBackend {
        self.fresh().await.capacity(jobs)
    }

    async fn pass(&self, time: Duration) {
        tokio::time::advance(time).await;
    }

    fn short_time(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn dedupe_window(&self) -> Duration {
        Duration::from_secs(3 * 24 * 60 * 60)
    }

    fn id_window(&self) -> Duration {
        Duration::from_secs(10 * 60)
    }
}

/// The same backend as services hold it when the store is chosen by configuration.
struct Pointer(Memory);

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
