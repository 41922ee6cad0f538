//! A worker whose only thread is blocked, and one that has to end while Redis is gone.

use std::sync::Arc;
use std::time::Instant;

use anvil_queue::{HandlerError, NewJob, Worker, handler_fn};
use anvil_tests::{RedisQueue, stats, store};
use tokio::sync::Notify;
use tokio::time::sleep;

use super::{MS, SEC};

#[test]
fn a_handler_that_blocks_its_only_thread_keeps_its_lease_in_redis() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let queue = RedisQueue::start();
        let backend = queue.backend().await;
        store(&backend, queue.name(), [NewJob::new("")]).await;
        let done = Arc::new(Notify::new());
        let finished = Arc::clone(&done);
        let handler = handler_fn(move |_, _| {
            // Neither this thread nor the connections driven by it get on meanwhile.
            std::thread::sleep(1_800 * MS);
            finished.notify_one();
            async { Ok::<_, HandlerError>(()) }
        });
        let worker = Worker::new(Arc::clone(&backend), queue.name().clone(), handler)
            .lease(600 * MS)
            .build()
            .unwrap();
        let report = worker.run(done.notified()).await.unwrap();
        assert_eq!((report.completed, report.leases_lost), (1, 0));
        let totals = stats(&backend, queue.name()).await.totals;
        assert_eq!((totals.completed, totals.reclaimed), (1, 0));
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn told_to_stop_while_redis_is_gone_a_worker_ends_in_its_time_and_says_what_is_left() {
    let queue = RedisQueue::durable();
    let backend = queue.backend().await;
    store(&backend, queue.name(), (0..5).map(|_| NewJob::new(""))).await;
    let started = Arc::new(Notify::new());
    let begun = Arc::clone(&started);
    let handler = handler_fn(move |_, _| {
        begun.notify_one();
        async {
            sleep(200 * MS).await;
            Ok::<_, HandlerError>(())
        }
    });
    let worker = Worker::new(backend, queue.name().clone(), handler)
        .concurrency(1)
        .prefetch(4)
        .grace(SEC)
        .cancel_grace(100 * MS)
        .build()
        .unwrap();
    let gone = async {
        started.notified().await;
        queue.server().kill();
    };
    let began = Instant::now();
    let report = worker.run(gone).await.unwrap();
    assert!(began.elapsed() < 5 * SEC, "{:?}", began.elapsed());
    assert!(!report.is_clean(), "{report}");
    queue.server().restart();
    assert_eq!(queue.census().open(), 5, "{report}");
}
