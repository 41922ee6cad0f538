//! A delivery whose job is dead, and comes again, and again.

use anvil_queue::{
    DeadLetters, DedupeKey, Enqueued, NewJob, QueueBackend, QueueBackendExt, Replayed, Settlement,
};
use anvil_tests::{RedisQueue, stats, store, take};

use super::{SEC, bury};

#[tokio::test]
async fn dead_delivered_again_replayed_and_delivered_again_it_is_one_job_all_along() {
    let queue = RedisQueue::durable();
    let edge = queue.backend().await;
    let key = DedupeKey::derive("test", b"one");
    let delivery = || NewJob::new("once").dedupe_key(key);
    let deliver = || async {
        edge.enqueue_one(queue.name(), delivery())
            .await
            .unwrap()
            .unwrap()
    };
    let id = store(&edge, queue.name(), [delivery()]).await[0];

    for replays in 0..3 {
        let taken = take(&edge, queue.name(), 9, 60 * SEC).await.remove(0);
        assert_eq!((taken.job.id(), taken.job.attempt()), (id, 1));
        assert_eq!(taken.job.counters().replays, replays);
        assert_eq!(deliver().await, Enqueued::Duplicate(id));
        edge.settle_one(queue.name(), taken.lease, bury())
            .await
            .unwrap();
        assert_eq!(deliver().await, Enqueued::DuplicateOfDead(id));
        // What the key says outlives the server.
        queue.server().restart();
        assert_eq!(deliver().await, Enqueued::DuplicateOfDead(id));
        let operator = queue.backend().await;
        let answers = operator
            .replay(queue.name(), &[id, id], Default::default())
            .await;
        assert_eq!(answers.unwrap(), [Replayed::Ready, Replayed::NotDead]);
        assert_eq!(deliver().await, Enqueued::Duplicate(id));
        assert_eq!(queue.census().ready.len(), 1);
    }
    let taken = take(&edge, queue.name(), 9, 60 * SEC).await.remove(0);
    let done = edge
        .settle(queue.name(), &[(taken.lease, Settlement::Complete)])
        .await;
    done.unwrap();
    assert_eq!(
        deliver().await,
        Enqueued::Duplicate(id),
        "done, and not forgotten"
    );
    let stats = stats(&edge, queue.name()).await;
    assert_eq!((stats.open(), stats.dead, stats.totals.accepted), (0, 0, 1));
}

#[tokio::test]
async fn two_replays_at_once_send_each_job_back_once() {
    let queue = RedisQueue::start();
    let (one, other) = (queue.backend().await, queue.backend().await);
    let ids = store(&one, queue.name(), (0..200).map(|_| NewJob::new(""))).await;
    let taken = take(&one, queue.name(), 200, 60 * SEC).await;
    let outcomes: Vec<_> = taken.into_iter().map(|job| (job.lease, bury())).collect();
    one.settle(queue.name(), &outcomes).await.unwrap();
    let mut replayed = 0;
    for page in ids.chunks(10) {
        let (mine, theirs) = tokio::join!(
            one.replay(queue.name(), page, Default::default()),
            other.replay(queue.name(), page, Default::default()),
        );
        let answers = mine.unwrap().into_iter().chain(theirs.unwrap());
        replayed += answers.filter(|answer| *answer == Replayed::Ready).count();
    }
    assert_eq!(replayed, 200);
    let census = queue.census();
    assert_eq!((census.ready.len(), census.dead.len()), (200, 0));
}
