//! The conformance suite on the in-memory backend, directly and through a pointer.

use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::conformance::{Harness, Pointer};

mod direct {
    use super::*;

    anvil_queue::conformance!(Memory, start_paused = true);
}

mod through_a_pointer {
    use super::*;

    anvil_queue::conformance!(Pointer::new(Memory), start_paused = true);
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
