//! Two processes that do the same thing at the same time.

use std::collections::{HashMap, HashSet};

use anvil_queue::{JobId, NewJob, QueueBackend, Settled, Settlement};
use anvil_tests::{RedisQueue, stats, store, take};
use tokio::time::sleep;

use super::{MS, SEC, failure};

#[tokio::test]
async fn two_processes_that_reclaim_at_once_share_the_expired_leases() {
    let queue = RedisQueue::start();
    let (one, other) = (queue.backend().await, queue.backend().await);
    let jobs = (0..400).map(|_| NewJob::new(""));
    let ids = store(&one, queue.name(), jobs).await;
    assert_eq!(take(&one, queue.name(), 200, 20 * MS).await.len(), 200);
    assert_eq!(take(&other, queue.name(), 200, 20 * MS).await.len(), 200);
    sleep(25 * MS).await;

    let mut taken: HashMap<JobId, u32> = HashMap::new();
    loop {
        let (mine, theirs) = tokio::join!(
            take(&one, queue.name(), 10, 60 * SEC),
            take(&other, queue.name(), 10, 60 * SEC),
        );
        if mine.is_empty() && theirs.is_empty() {
            break;
        }
        for reserved in mine.into_iter().chain(theirs) {
            let reclaims = reserved.job.counters().reclaims;
            let before = taken.insert(reserved.job.id(), reclaims);
            assert_eq!(before, None, "one job, two holders");
        }
    }
    assert_eq!(taken.len(), ids.len());
    assert!(taken.values().all(|reclaims| *reclaims == 1));
    assert_eq!(stats(&one, queue.name()).await.totals.reclaimed, 400);
    assert_eq!(queue.census().leased.len(), 400);
}

#[tokio::test]
async fn a_batch_settled_by_two_processes_is_settled_once() {
    let queue = RedisQueue::start();
    let (one, other) = (queue.backend().await, queue.backend().await);
    store(&one, queue.name(), (0..200).map(|_| NewJob::new(""))).await;
    let complete = |lease| (lease, Settlement::Complete);
    let outcomes: Vec<_> = take(&one, queue.name(), 200, SEC)
        .await
        .into_iter()
        .map(|reserved| complete(reserved.lease))
        .collect();
    let (mine, theirs) = tokio::join!(
        one.settle(queue.name(), &outcomes),
        other.settle(queue.name(), &outcomes),
    );
    for answer in mine.unwrap().into_iter().chain(theirs.unwrap()) {
        assert_eq!(
            answer,
            Settled::Applied,
            "the same settlement again is no loss"
        );
    }
    let stats = stats(&one, queue.name()).await;
    assert_eq!((stats.open(), stats.totals.completed), (0, 200));
}

#[tokio::test]
async fn of_two_different_settlements_of_one_lease_one_counts() {
    let queue = RedisQueue::start();
    let (one, other) = (queue.backend().await, queue.backend().await);
    let ids = store(&one, queue.name(), (0..200).map(|_| NewJob::new(""))).await;
    let reserved = take(&one, queue.name(), 200, SEC).await;
    let leases = || reserved.iter().map(|reserved| reserved.lease.clone());
    let done: Vec<_> = leases()
        .map(|lease| (lease, Settlement::Complete))
        .collect();
    let retry = Settlement::Retry {
        after: 60 * SEC,
        failure: failure("no"),
    };
    let failed: Vec<_> = leases().rev().map(|lease| (lease, retry.clone())).collect();
    // In small steps, so that the two meet in the middle.
    for (done, failed) in done.chunks(10).zip(failed.chunks(10)) {
        let (mine, theirs) = tokio::join!(
            one.settle(queue.name(), done),
            other.settle(queue.name(), failed),
        );
        drop((mine.unwrap(), theirs.unwrap()));
    }
    let stats = stats(&one, queue.name()).await;
    let census = queue.census();
    assert_eq!(stats.totals.completed + stats.totals.retried, 200);
    assert_eq!(census.scheduled.len(), stats.totals.retried as usize);
    assert_eq!(stats.totals.leases_lost, 200);
    assert!(census.scheduled.is_subset(&HashSet::from_iter(ids)));
}
