//! Worker processes that are killed, or kill themselves.

use std::collections::HashSet;
use std::thread::sleep;

use anvil_queue::{DeadReason, JobId, NewJob};
use anvil_tests::{RedisQueue, Seeded, dead, stats, store};

use super::child::{Process, runs};
use super::{MS, drain};

/// A process holds leases for a moment only, so that the rounds are short.
const LEASE: u64 = 150;
const CRASH_BUDGET: u32 = 3;

#[tokio::test]
async fn of_200_workers_killed_at_random_points_none_takes_a_job_with_it() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    let mut random = Seeded::new(9);
    let mut accepted: HashSet<JobId> = HashSet::new();
    for round in 0..100 {
        let jobs = (0..6).map(|_| NewJob::new(random.below(8).to_string()));
        accepted.extend(store(&backend, queue.name(), jobs).await);
        // Two at once, so that one may be reclaiming from another while it dies.
        let processes = [0; 2].map(|_| Process::start(&queue, LEASE));
        for process in processes {
            sleep(MS * u32::try_from(random.below(15)).unwrap());
            process.kill();
        }
        let census = queue.census();
        let totals = stats(&backend, queue.name()).await.totals;
        let known = totals.completed as usize + census.open() + census.dead.len();
        assert_eq!(known, accepted.len(), "round {round}: {totals:?}");
    }

    drain(&backend, queue.name()).await;
    let census = queue.census();
    let totals = stats(&backend, queue.name()).await.totals;
    assert_eq!(census.open(), 0);
    assert_eq!(
        totals.completed as usize + census.dead.len(),
        accepted.len()
    );
    assert!(totals.reclaimed > 20, "few were killed at work: {totals:?}");
    let letters = dead(&backend, queue.name()).await;
    assert_eq!(letters.len(), census.dead.len());
    for letter in letters {
        assert_eq!(letter.reason, DeadReason::Poison);
        assert_eq!(letter.counters.reclaims, CRASH_BUDGET + 1);
        assert_eq!(letter.counters.attempts, 0, "a crash is no attempt");
    }
    for (id, runs) in runs(&queue) {
        assert!(accepted.contains(&id), "{id} was never stored");
        assert!(runs.len() <= CRASH_BUDGET as usize + 1, "{id}: {runs:?}");
        assert!(runs.iter().all(|run| run.attempt == 1), "{id}: {runs:?}");
    }
}

#[tokio::test]
async fn a_job_that_aborts_its_process_takes_none_of_64_neighbours_to_the_dead_letters() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    let payload = |n| {
        if n == 30 {
            "abort".into()
        } else {
            2.to_string()
        }
    };
    let ids = store(
        &backend,
        queue.name(),
        (0..64).map(|n| NewJob::new(payload(n))),
    )
    .await;
    let poison = ids[30];
    // One crash for each run the budget allows, and the process that finds the queue empty.
    for _ in 0..CRASH_BUDGET + 1 {
        assert!(!Process::start(&queue, 400).wait().success());
        queue.census();
    }
    assert!(Process::start(&queue, 400).wait().success());

    let letters = dead(&backend, queue.name()).await;
    assert_eq!(letters.len(), 1, "{letters:?}");
    assert_eq!(letters[0].id(), poison);
    assert_eq!(letters[0].reason, DeadReason::Poison);
    assert_eq!(letters[0].counters.reclaims, CRASH_BUDGET + 1);
    assert_eq!(letters[0].counters.attempts, 0);
    let stats = stats(&backend, queue.name()).await;
    assert_eq!((stats.open(), stats.totals.completed), (0, 63));
    let mut runs = runs(&queue);
    assert_eq!(
        runs.remove(&poison).unwrap().len(),
        CRASH_BUDGET as usize + 1
    );
    assert_eq!(runs.len(), 63);
    for (id, runs) in runs {
        let reclaims = runs.last().unwrap().reclaims;
        assert!(reclaims <= 1, "{id} was in more than one crash: {runs:?}");
    }
}
