use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::conformance::Harness;

use crate::walk::Leeway;

pub(crate) struct Memory;

impl Memory {
    pub(crate) const LEEWAY: Leeway = Leeway {
        ties_by_place: false,
        fewer: false,
        drift: Duration::ZERO,
    };
}

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
        Duration::from_secs(8)
    }

    fn id_window(&self) -> Duration {
        Duration::from_secs(600)
    }
}
