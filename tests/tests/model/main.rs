//! Random walks through the contract: after every step the backend and a deliberately simple model
//! give the same answers and hold the same jobs.
//!
//! The walk is written against [`Harness`](anvil_queue::conformance::Harness), so any backend can
//! take it.

use std::sync::LazyLock;

use proptest::prelude::*;
use tokio::runtime::Builder;

mod memory;
mod redis;
mod reference;
mod step;
mod walk;

use memory::Memory;
use redis::Redis;
use step::Step;

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memory_and_the_model_agree(steps in prop::collection::vec(Step::any(), 1..100)) {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(walk::walk(&Memory, Memory::LEEWAY, steps));
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn redis_and_the_model_agree(steps in prop::collection::vec(Step::any(), 1..60)) {
        // One server for all walks; each has keys of its own.
        static REDIS: LazyLock<Redis> = LazyLock::new(Redis::start);
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(walk::walk(&REDIS.fresh_keys(), Redis::LEEWAY, steps));
    }
}
