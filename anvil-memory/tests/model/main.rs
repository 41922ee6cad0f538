//! Random walks through the contract: after every step the backend and a deliberately simple model
//! give the same answers and hold the same jobs.
//!
//! The walk is written against [`Harness`], so any backend can take it.

use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::conformance::Harness;
use proptest::prelude::*;

mod reference;
mod step;
mod walk;

use step::Step;

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_backend_and_the_model_agree(steps in prop::collection::vec(Step::any(), 1..100)) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(walk::walk(&Memory, steps));
    }
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
        Duration::from_secs(8)
    }

    fn id_window(&self) -> Duration {
        Duration::from_secs(600)
    }
}
