//! The behaviours: each on a server of its own, or all in one test, where servers take long to
//! start.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anvil_queue::conformance::{Behaviour, Harness, behaviours};
use anvil_redis::{RedisBackend, RedisBuilder};
use anvil_redis_fixture::Server;
use tokio::task::JoinSet;

/// Makes backends on the same servers, each with a prefix of its own.
pub(crate) struct Shared {
    builder: Box<dyn Fn() -> RedisBuilder + Send + Sync>,
    made: AtomicUsize,
    short_time: Duration,
    window: Duration,
}

impl Shared {
    /// Many behaviours share these servers, and the processor.
    pub(crate) fn new(builder: impl Fn() -> RedisBuilder + Send + Sync + 'static) -> Self {
        Self {
            builder: Box::new(builder),
            made: AtomicUsize::new(0),
            short_time: Duration::from_millis(500),
            window: Duration::from_secs(3),
        }
    }

    /// A server of its own for one behaviour, so that times can be shorter.
    pub(crate) fn alone() -> Self {
        let server = Server::start();
        Self {
            short_time: Duration::from_millis(250),
            window: Duration::from_secs(2),
            ..Self::new(move || RedisBackend::builder(&server.url()).unwrap())
        }
    }

    fn builder(&self) -> RedisBuilder {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        (self.builder)()
            .prefix(format!("test{number}"))
            .dedupe_window(self.window)
            .id_window(self.window)
    }
}

impl Harness for Shared {
    type Backend = RedisBackend;

    async fn fresh(&self) -> RedisBackend {
        self.builder().connect().await.unwrap()
    }

    async fn with_capacity(&self, jobs: usize) -> RedisBackend {
        self.builder().capacity(jobs).connect().await.unwrap()
    }

    async fn pass(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn short_time(&self) -> Duration {
        self.short_time
    }

    fn dedupe_window(&self) -> Duration {
        self.window
    }

    fn id_window(&self) -> Duration {
        self.window
    }
}

/// Runs every behaviour but those left out, some at a time, and panics with the names of all that
/// failed. What each of them panicked with stands above that.
pub(crate) async fn assert_all<H: Harness + 'static>(harness: H, left_out: &[&[&str]]) {
    let harness = Arc::new(harness);
    let mut left: VecDeque<Behaviour<H>> = behaviours().into();
    let all = left.len();
    let left_out = left_out.concat();
    left.retain(|behaviour| !left_out.contains(&behaviour.name()));
    assert_eq!(all - left.len(), left_out.len(), "a name is not known");

    let mut running = JoinSet::new();
    let mut failed = Vec::new();
    while !left.is_empty() || !running.is_empty() {
        while running.len() < AT_ONCE
            && let Some(behaviour) = left.pop_front()
        {
            let harness = Arc::clone(&harness);
            running.spawn(async move {
                let started = Instant::now();
                let run = tokio::spawn(behaviour.run(harness));
                let failed = run.await.is_err().then(|| format!("{behaviour:?}"));
                (failed, behaviour.name(), started.elapsed())
            });
        }
        if let Some(ended) = running.join_next().await {
            let (name, behaviour, took) = ended.unwrap();
            if std::env::var_os("ANVIL_TIMES").is_some() {
                eprintln!("{took:?} {behaviour}");
            }
            failed.extend(name);
        }
    }
    assert!(failed.is_empty(), "these failed: {failed:#?}");
}

/// Most of them wait most of the time.
const AT_ONCE: usize = 12;

/// Twenty thousand jobs each, about the bounds of the scripts. These are the same on every
/// topology, and one server [`alone`](Shared::alone) has them.
pub(crate) const BIG: [&str; 2] = [
    "twenty_thousand_jobs_due_at_once_all_come_out",
    "twenty_thousand_leases_expired_at_once_all_come_back",
];

/// What a queue of several partitions does not promise.
pub(crate) const NOT_PARTITIONED: [&str; 16] = [
    // The jobs of different partitions have no order.
    "a_job_that_came_back_is_cancel_requested_at_its_place",
    "a_look_moves_nothing_and_shows_no_more_than_asked_for",
    "a_reclaimed_job_is_answered_alone",
    "a_reclaimed_job_is_passed_over_where_it_is_not_allowed",
    "a_reclaimed_job_is_shown_at_its_place",
    "a_reclaimed_job_returns_to_its_place",
    "a_released_batch_returns_to_its_place_in_order",
    "a_replayed_poison_job_still_runs_alone",
    "a_replayed_job_goes_to_the_tail",
    "jobs_are_reserved_in_the_order_they_came",
    "jobs_become_ready_in_the_order_they_are_due",
    "one_job_is_answered_whatever_it_weighs",
    "ready_jobs_are_shown_in_the_order_of_their_reservation",
    "the_oldest_age_is_that_of_the_oldest_open_job",
    // A reservation is of one partition, and may hold fewer jobs than are ready.
    "a_reservation_holds_no_more_jobs_than_asked_for",
    "a_reservation_weighs_no_more_than_asked_for",
];

/// The capacity is that of each partition.
pub(crate) const FULL_AS_A_WHOLE: [&str; 3] = [
    "a_drained_queue_accepts_again",
    "a_full_queue_refuses_and_keeps_no_record",
    "a_full_queue_refuses_only_what_does_not_fit",
];
