//! Redis is away for longer than the lease of a job that runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anvil_queue::{HandlerError, NewJob, Worker, handler_fn};
use anvil_tests::{RedisQueue, stats, store};
use tokio::sync::Notify;
use tokio::time::sleep;

use super::{MS, SEC};

/// What a run tells the test, and the test the run.
#[derive(Default)]
struct Signs {
    runs: AtomicU32,
    started: Notify,
    let_go: Notify,
}

/// A job that runs while Redis is away and ends before it is back.
async fn outlived(away: impl FnOnce(&RedisQueue), back: impl FnOnce(&RedisQueue), reclaims: u64) {
    let queue = RedisQueue::durable();
    let backend = Arc::new(queue.builder().timeout(SEC).connect().await.unwrap());
    store(&backend, queue.name(), [NewJob::new("")]).await;
    let signs = Arc::new(Signs::default());
    let given = Arc::clone(&signs);
    let handler = handler_fn(move |_, _| {
        let signs = Arc::clone(&given);
        async move {
            if signs.runs.fetch_add(1, Ordering::SeqCst) == 0 {
                signs.started.notify_one();
                signs.let_go.notified().await;
            }
            Ok::<_, HandlerError>(())
        }
    });
    let worker = Worker::new(Arc::clone(&backend), queue.name().clone(), handler)
        .lease(300 * MS)
        .build()
        .unwrap();
    let working = tokio::spawn(async move { worker.run_until_idle().await });
    signs.started.notified().await;
    away(&queue);
    sleep(500 * MS).await;
    signs.let_go.notify_one();
    sleep(100 * MS).await;
    back(&queue);
    working.await.unwrap().unwrap();

    let stats = stats(&backend, queue.name()).await;
    assert_eq!(
        (stats.open(), stats.dead, stats.totals.completed),
        (0, 0, 1)
    );
    assert!(
        stats.totals.reclaimed <= reclaims,
        "a crash loop: {stats:?}"
    );
    assert!(signs.runs.load(Ordering::SeqCst) <= 2);
    assert_eq!(queue.census().open(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_counts_once_though_redis_did_not_answer_for_longer_than_the_lease() {
    outlived(
        |queue| queue.server().pause(),
        |queue| queue.server().resume(),
        1,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_counts_once_though_redis_was_gone_for_longer_than_the_lease() {
    // The answer to a reservation may be lost in the outage: that lease has to run out, too.
    outlived(
        |queue| queue.server().kill(),
        |queue| queue.server().restart(),
        2,
    )
    .await;
}

/// The worker has died with Redis away: what it held is found when Redis is back, and not before.
#[tokio::test]
async fn a_lease_that_ran_out_while_redis_was_gone_is_taken_back_once() {
    let queue = RedisQueue::durable();
    let backend = queue.backend().await;
    let ids = store(&backend, queue.name(), (0..10).map(|_| NewJob::new(""))).await;
    let taken = anvil_tests::take(&backend, queue.name(), 10, 100 * MS).await;
    assert_eq!(taken.len(), 10);
    queue.server().kill();
    sleep(200 * MS).await;
    queue.server().restart();
    let runs = super::drain(&backend, queue.name()).await;
    assert_eq!(runs.len(), ids.len());
    for job in runs {
        assert_eq!((job.counters().reclaims, job.attempt()), (1, 1));
    }
}
