//! What a worker asks of its backend, its handler and its settings.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anvil_queue::{
    Context, Job, QueueBackend, QueueErrorKind, RunError, Worker, handler_fn, service_handler,
};
use anvil_tests::{Fault, FaultyBackend, Verb, fill, memory};

use crate::{SEC, drain};

#[tokio::test(start_paused = true)]
async fn no_more_jobs_run_at_a_time_than_the_concurrency() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 100).await;
    let now = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (running, peak) = (Arc::clone(&now), Arc::clone(&most));
    Worker::new(
        Arc::clone(&backend),
        queue,
        handler_fn(move |_, _| {
            let (running, peak) = (Arc::clone(&running), Arc::clone(&peak));
            async move {
                peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::time::sleep(SEC).await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            }
        }),
    )
    .concurrency(7)
    .prefetch(20)
    .build()
    .unwrap()
    .run_until_idle()
    .await
    .unwrap();
    assert_eq!(most.load(Ordering::SeqCst), 7);
}

/// What the backend will never take must not stop what is behind it.
#[tokio::test(start_paused = true)]
async fn a_settlement_that_is_rejected_holds_up_no_other_and_its_job_comes_back() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 3).await;
    let faulty = FaultyBackend::new(Arc::clone(&backend));
    faulty.next(Verb::Settle, Fault::Fail(QueueErrorKind::Rejected));
    let report = Worker::new(faulty, queue.clone(), handler_fn(|_, _| async { Ok(()) }))
        .build()
        .unwrap()
        .run_until_idle()
        .await
        .unwrap();
    assert_eq!((report.completed, report.abandoned), (3, 1));
    let totals = backend.stats(&queue).await.unwrap().totals;
    assert_eq!((totals.completed, totals.reclaimed), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn a_settlement_that_gets_no_answer_is_sent_again() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 3).await;
    let faulty = FaultyBackend::new(Arc::clone(&backend));
    let never = Arc::new(tokio::sync::Semaphore::new(0));
    faulty.next(Verb::Settle, Fault::Hold(never));
    let report = Worker::new(faulty, queue.clone(), handler_fn(|_, _| async { Ok(()) }))
        .build()
        .unwrap()
        .run_until_idle()
        .await
        .unwrap();
    assert_eq!((report.completed, report.leases_lost), (3, 0));
    assert_eq!(backend.stats(&queue).await.unwrap().totals.reclaimed, 0);
}

#[tokio::test(start_paused = true)]
async fn a_lost_reply_to_a_settlement_is_repeated_and_counts_once() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 3).await;
    let faulty = FaultyBackend::new(Arc::clone(&backend));
    for fault in [
        Fault::LoseReply,
        Fault::LoseReply,
        Fault::Fail(QueueErrorKind::Unavailable),
    ] {
        faulty.next(Verb::Settle, fault);
    }
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let report = Worker::new(
        faulty,
        queue.clone(),
        handler_fn(move |_, _| {
            counted.fetch_add(1, Ordering::SeqCst);
            async { Ok(()) }
        }),
    )
    .build()
    .unwrap()
    .run_until_idle()
    .await
    .unwrap();
    assert_eq!((report.completed, report.leases_lost), (3, 0));
    assert_eq!(runs.load(Ordering::SeqCst), 3);
    assert_eq!(backend.stats(&queue).await.unwrap().totals.completed, 3);
}

#[tokio::test(start_paused = true)]
async fn an_outage_of_every_verb_costs_time_and_no_job() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 50).await;
    let faulty = FaultyBackend::new(Arc::clone(&backend));
    for verb in [
        Verb::Reserve,
        Verb::Settle,
        Verb::Extend,
        Verb::Wait,
        Verb::Stats,
    ] {
        for _ in 0..5 {
            faulty.next(verb, Fault::Fail(QueueErrorKind::Unavailable));
        }
    }
    let report = Worker::new(
        faulty,
        queue.clone(),
        handler_fn(|_, _| async {
            tokio::time::sleep(SEC).await;
            Ok(())
        }),
    )
    .build()
    .unwrap()
    .run_until_idle()
    .await
    .unwrap();
    assert_eq!(report.completed, 50);
    assert_eq!(backend.stats(&queue).await.unwrap().totals.reclaimed, 0);
}

#[tokio::test(start_paused = true)]
async fn run_until_idle_ends_with_an_error_where_the_backend_only_fails() {
    let (backend, queue) = memory();
    let faulty = FaultyBackend::new(backend);
    faulty.always(Verb::Reserve, Fault::Fail(QueueErrorKind::Unavailable));
    let error = Worker::new(faulty, queue, handler_fn(|_, _| async { Ok(()) }))
        .build()
        .unwrap()
        .run_until_idle()
        .await
        .unwrap_err();
    assert!(matches!(error, RunError::Backend(e) if e.kind() == QueueErrorKind::Unavailable));
}

#[tokio::test(start_paused = true)]
async fn a_tower_service_gates_reserving_with_its_readiness() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 20).await;
    let now = Arc::new(AtomicUsize::new(0));
    let running = Arc::clone(&now);
    let service = tower::ServiceBuilder::new()
        .concurrency_limit(2)
        .service(tower::service_fn(move |_: Job| {
            let running = Arc::clone(&running);
            async move {
                assert!(
                    running.fetch_add(1, Ordering::SeqCst) < 2,
                    "the limit was passed"
                );
                tokio::time::sleep(SEC).await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok::<_, std::convert::Infallible>(())
            }
        }));
    let report = drain(&backend, &queue, service_handler(service)).await;
    assert_eq!((report.completed, report.retried), (20, 0));
}

#[test]
fn settings_that_can_not_work_are_refused_with_what_to_change() {
    let build = |change: fn(anvil_queue::WorkerBuilder<_>) -> anvil_queue::WorkerBuilder<_>| {
        let (backend, queue) = memory();
        let handler = handler_fn(|_: Job, _: Context| std::future::ready(Ok(())));
        change(Worker::new(backend, queue, handler))
            .build()
            .unwrap_err()
            .to_string()
    };
    assert!(build(|worker| worker.concurrency(0)).contains("concurrency is 0: set it from 1"));
    assert!(build(|worker| worker.concurrency(1 << 20)).contains("concurrency"));
    assert!(build(|worker| worker.prefetch(1 << 20)).contains("prefetch"));
    assert!(build(|worker| worker.lease(Duration::from_millis(1))).contains("set it from 100ms"));
    assert!(build(|worker| worker.timeout(Duration::ZERO)).contains("timeout"));
}
