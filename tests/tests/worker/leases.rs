//! Who holds a job, and for how long.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anvil_queue::{
    Cancelled, Context, Control, DeadReason, HandlerError, Job, JobView, PeekPlace, PeekQuery,
    QueueBackend, QueueBackendExt, QueueErrorKind, Settlement, Worker, handler_fn,
};
use anvil_tests::{Fault, FaultyBackend, Verb, fill, memory};

use crate::{SEC, dead, drain};

#[tokio::test(start_paused = true)]
async fn leases_of_long_runs_and_of_prefetched_jobs_are_renewed() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 10).await;
    let report = Worker::new(
        Arc::clone(&backend),
        queue.clone(),
        handler_fn(|_, _| async {
            tokio::time::sleep(50 * SEC).await;
            Ok(())
        }),
    )
    .concurrency(1)
    .prefetch(9)
    .lease(10 * SEC)
    .build()
    .unwrap()
    .run_until_idle()
    .await
    .unwrap();
    assert_eq!((report.completed, report.leases_lost), (10, 0));
    assert_eq!(backend.stats(&queue).await.unwrap().totals.reclaimed, 0);
}

#[test]
fn a_handler_that_blocks_its_only_thread_keeps_its_lease() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (backend, queue) = memory();
        fill(&backend, &queue, 1).await;
        let done = Arc::new(tokio::sync::Notify::new());
        let finished = Arc::clone(&done);
        let report = Worker::new(
            Arc::clone(&backend),
            queue.clone(),
            handler_fn(move |_, _| {
                let start = std::time::Instant::now();
                while start.elapsed() < Duration::from_millis(1_800) {
                    std::hint::spin_loop();
                }
                finished.notify_one();
                async { Ok(()) }
            }),
        )
        .lease(Duration::from_millis(600))
        .build()
        .unwrap()
        .run(done.notified())
        .await
        .unwrap();
        assert_eq!((report.completed, report.leases_lost), (1, 0));
        let totals = backend.stats(&queue).await.unwrap().totals;
        assert_eq!((totals.completed, totals.reclaimed), (1, 0));
    });
}

#[tokio::test(start_paused = true)]
async fn a_lost_lease_cancels_the_run_and_its_outcome_changes_nothing() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 1).await;
    // Nothing is renewed, so somebody else gets the job while it runs.
    let faulty = FaultyBackend::new(Arc::clone(&backend));
    for _ in 0..3 {
        faulty.next(Verb::Extend, Fault::Fail(QueueErrorKind::Unavailable));
    }
    let thief = Arc::clone(&backend);
    let name = queue.clone();
    let report = Worker::new(
        faulty,
        queue.clone(),
        handler_fn(move |_, context: Context| {
            let (thief, name) = (Arc::clone(&thief), name.clone());
            async move {
                tokio::time::sleep(10 * SEC).await;
                let stolen = thief.reserve_one(&name, 100 * SEC).await.unwrap().unwrap();
                context.cancelled().await;
                assert!(context.is_cancelled());
                thief
                    .settle_one(&name, stolen.lease, Settlement::Complete)
                    .await
                    .unwrap();
                Err(HandlerError::permanent("too late"))
            }
        }),
    )
    .lease(9 * SEC)
    .concurrency(1)
    .build()
    .unwrap()
    .run_until_idle()
    .await
    .unwrap();
    assert_eq!((report.leases_lost, report.buried), (1, 0));
    let stats = backend.stats(&queue).await.unwrap();
    assert_eq!((stats.dead, stats.totals.completed), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_job_whose_workers_vanish_is_dead_as_poison_above_the_crash_budget() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 1).await;
    for _ in 0..3 {
        let taken = backend.reserve_one(&queue, SEC).await.unwrap().unwrap();
        assert_eq!(taken.job.attempt(), 1, "a crash is no attempt");
        tokio::time::advance(2 * SEC).await;
    }
    let ran = drain(
        &backend,
        &queue,
        handler_fn(|job, _| async move {
            assert_eq!((job.counters().reclaims, job.attempt()), (3, 1));
            Ok(())
        }),
    )
    .await;
    assert_eq!(ran.completed, 1, "the budget is three");

    fill(&backend, &queue, 1).await;
    for _ in 0..4 {
        backend.reserve_one(&queue, SEC).await.unwrap().unwrap();
        tokio::time::advance(2 * SEC).await;
    }
    let ran = drain(&backend, &queue, handler_fn(|_, _| async { Ok(()) })).await;
    assert_eq!(ran.completed, 0);
    assert_eq!(dead(&backend, &queue).await[0].reason, DeadReason::Poison);
}

#[tokio::test(start_paused = true)]
async fn jobs_that_may_have_killed_a_worker_run_one_at_a_time_beside_fresh_ones() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 5).await;
    let request = anvil_queue::Reserve::new(5, SEC);
    assert_eq!(backend.reserve(&queue, request).await.unwrap().len(), 5);
    tokio::time::advance(2 * SEC).await;
    fill(&backend, &queue, 20).await;

    let suspects = Arc::new(AtomicUsize::new(0));
    let fresh_beside_one = Arc::new(AtomicUsize::new(0));
    let (now, beside) = (Arc::clone(&suspects), Arc::clone(&fresh_beside_one));
    let report = drain(
        &backend,
        &queue,
        handler_fn(move |job: Job, _| {
            let (now, beside) = (Arc::clone(&now), Arc::clone(&beside));
            async move {
                if job.counters().reclaims == 0 {
                    beside.fetch_add(now.load(Ordering::SeqCst), Ordering::SeqCst);
                    return Ok(());
                }
                assert_eq!(
                    now.fetch_add(1, Ordering::SeqCst),
                    0,
                    "two suspects at a time"
                );
                tokio::time::sleep(SEC).await;
                now.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            }
        }),
    )
    .await;
    assert_eq!(report.completed, 25);
    assert!(
        fresh_beside_one.load(Ordering::SeqCst) > 0,
        "fresh jobs had to wait"
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_cancel_requested_is_told_and_its_job_does_not_come_back() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 1).await;
    let store = Arc::clone(&backend);
    let handler = handler_fn(move |job: Job, context: Context| {
        let store = Arc::clone(&store);
        async move {
            let queue = anvil_tests::queue("hooks");
            let asked = store.cancel(&queue, &[job.id()]).await;
            assert_eq!(asked.unwrap(), [Cancelled::Requested]);
            context.cancelled().await;
            Err(HandlerError::transient("cancelled"))
        }
    });
    let report = drain(&backend, &queue, handler).await;
    assert_eq!((report.retried, report.completed), (1, 0));
    let stats = backend.stats(&queue).await.unwrap();
    assert_eq!(
        (stats.open(), stats.dead, stats.totals.cancelled),
        (0, 0, 1)
    );
}

#[tokio::test(start_paused = true)]
async fn a_prefetched_job_that_is_cancel_requested_never_starts() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 2).await;
    let store = Arc::clone(&backend);
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let handler = handler_fn(move |job: Job, _| {
        let store = Arc::clone(&store);
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            let queue = anvil_tests::queue("hooks");
            let held = store.peek(&queue, PeekQuery::new(PeekPlace::Leased)).await;
            let held = held.unwrap();
            let other = held.iter().map(JobView::id).find(|id| *id != job.id());
            store.cancel(&queue, &[other.unwrap()]).await.unwrap();
            tokio::time::sleep(20 * SEC).await;
            Ok(())
        }
    });
    let report = Worker::new(Arc::clone(&backend), queue.clone(), handler)
        .concurrency(1)
        .prefetch(1)
        .lease(10 * SEC)
        .build()
        .unwrap()
        .run_until_idle()
        .await
        .unwrap();
    assert_eq!((report.completed, report.released), (1, 1));
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    let stats = backend.stats(&queue).await.unwrap();
    assert_eq!((stats.open(), stats.totals.cancelled), (0, 1));
}
