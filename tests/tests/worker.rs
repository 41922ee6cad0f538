//! What a worker does with jobs: runs, failures, retries, leases.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::{
    Context, DeadLetters, DeadQuery, DeadReason, Decision, Failure, FailureKind, Handler,
    HandlerError, Job, NewJob, QueueBackend, QueueBackendExt, QueueErrorKind, QueueName, RunError,
    Schedule, Settlement, Worker, WorkerReport, handler_fn, json_handler_fn, policy_fn,
    service_handler,
};
use anvil_tests::{Fault, FaultyBackend, Verb, fill, memory};
use tokio::time::Instant;

const SEC: Duration = Duration::from_secs(1);

async fn drain(
    backend: &Arc<MemoryBackend>,
    queue: &QueueName,
    handler: impl Handler,
) -> WorkerReport {
    Worker::new(Arc::clone(backend), queue.clone(), handler)
        .build()
        .unwrap()
        .run_until_idle()
        .await
        .unwrap()
}

async fn dead(backend: &MemoryBackend, queue: &QueueName) -> Vec<anvil_queue::DeadLetter> {
    backend
        .list_dead(queue, DeadQuery::new())
        .await
        .unwrap()
        .letters
}

#[tokio::test(start_paused = true)]
async fn by_default_the_fourth_failure_is_the_last_and_its_context_is_kept() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 1).await;
    let runs = Arc::new(Mutex::new(Vec::new()));
    let start = Instant::now();
    let seen = Arc::clone(&runs);
    let report = drain(
        &backend,
        &queue,
        handler_fn(move |job, _| {
            seen.lock()
                .unwrap()
                .push((job.attempt(), start.elapsed().as_secs()));
            async move {
                Err(HandlerError::transient(format!(
                    "failure {}",
                    job.attempt()
                )))
            }
        }),
    )
    .await;

    assert_eq!(*runs.lock().unwrap(), [(1, 0), (2, 1), (3, 6), (4, 36)]);
    assert_eq!((report.retried, report.buried), (3, 1));
    let dead = dead(&backend, &queue).await;
    let [letter] = dead.as_slice() else {
        panic!("{dead:?}")
    };
    assert_eq!(letter.reason, DeadReason::Exhausted);
    assert_eq!(letter.failures.attempts, 4);
    assert_eq!(letter.failures.last_error(), Some("failure 4"));
    let first = letter.failures.first.as_ref().unwrap();
    assert_eq!(first.report.error.as_str(), "failure 1");
    assert_eq!(first.report.kind, FailureKind::Transient);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_succeeds_completes_its_job_after_earlier_failures() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 1).await;
    let report = drain(
        &backend,
        &queue,
        handler_fn(|job, _| async move {
            if job.attempt() < 3 {
                Err(HandlerError::transient("not yet"))
            } else {
                Ok(())
            }
        }),
    )
    .await;
    assert_eq!((report.completed, report.retried, report.buried), (1, 2, 0));
}

#[tokio::test(start_paused = true)]
async fn only_an_error_that_says_so_skips_the_retries() {
    type MakeError = fn() -> HandlerError;
    let cases: [(MakeError, DeadReason, u32); 3] = [
        (|| HandlerError::permanent("no"), DeadReason::Permanent, 1),
        (
            || HandlerError::undecodable("no"),
            DeadReason::Undecodable,
            1,
        ),
        (
            || std::io::Error::other("dns").into(),
            DeadReason::Exhausted,
            4,
        ),
    ];
    for (error, reason, attempts) in cases {
        let (backend, queue) = memory();
        fill(&backend, &queue, 1).await;
        drain(
            &backend,
            &queue,
            handler_fn(move |_, _| async move { Err(error()) }),
        )
        .await;
        let dead = dead(&backend, &queue).await;
        assert_eq!(dead[0].reason, reason);
        assert_eq!(dead[0].counters.attempts, attempts);
    }
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_a_failed_attempt_that_waits_at_least_so_long() {
    // The longer of the two delays holds, and an absurd one is cut to a day.
    for (at_least, waited) in [(60, 60), (0, 1), (10_000_000, 24 * 60 * 60)] {
        let (backend, queue) = memory();
        fill(&backend, &queue, 1).await;
        let start = Instant::now();
        let at_least = Duration::from_secs(at_least);
        let report = drain(
            &backend,
            &queue,
            handler_fn(move |job, _| async move {
                match job.attempt() {
                    1 => Err(HandlerError::retry_after(at_least, "busy")),
                    _ => Ok(()),
                }
            }),
        )
        .await;
        assert_eq!(report.retried, 1);
        assert_eq!(start.elapsed().as_secs(), waited);
    }
}

#[tokio::test(start_paused = true)]
async fn a_snooze_is_no_attempt() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 1).await;
    let report = drain(
        &backend,
        &queue,
        handler_fn(|job, _| async move {
            assert_eq!(job.attempt(), 1);
            if job.counters().snoozes < 10 {
                Err(HandlerError::snooze(SEC))
            } else {
                Ok(())
            }
        }),
    )
    .await;
    assert_eq!(
        (report.snoozed, report.completed, report.retried),
        (10, 1, 0)
    );
}

struct PanicsOnDrop;

impl Drop for PanicsOnDrop {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("in a drop");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_a_failure_of_that_job_alone() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 6).await;
    let report = Worker::new(
        Arc::clone(&backend),
        queue.clone(),
        handler_fn(|job: Job, _| {
            let number = job.payload()[0];
            assert_ne!(number, b'0', "before the first await");
            async move {
                match number {
                    b'1' => panic!("in the future"),
                    b'2' => std::panic::panic_any(7),
                    b'3' => {
                        let _bomb = PanicsOnDrop;
                        tokio::task::yield_now().await;
                    }
                    b'4' => {
                        let _bomb = PanicsOnDrop;
                        std::future::pending::<()>().await;
                    }
                    _ => {}
                }
                Ok(())
            }
        }),
    )
    .retry_policy(policy_fn(|_: &Failure<'_>| Decision::Bury))
    .timeout(SEC)
    .concurrency(1)
    .build()
    .unwrap()
    .run_until_idle()
    .await
    .unwrap();

    assert_eq!((report.completed, report.buried), (1, 5));
    for letter in dead(&backend, &queue).await {
        let last = letter.failures.last.unwrap();
        assert_eq!(last.report.kind, FailureKind::Panic, "{last:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_retry_policy_that_panics_buries_the_job() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 2).await;
    let report = Worker::new(
        Arc::clone(&backend),
        queue.clone(),
        handler_fn(|_, _| async { Err(HandlerError::transient("no")) }),
    )
    .retry_policy(policy_fn(|_: &Failure<'_>| panic!("policy")))
    .build()
    .unwrap()
    .run_until_idle()
    .await
    .unwrap();
    assert_eq!(report.buried, 2);
}

#[tokio::test(start_paused = true)]
async fn a_run_past_its_timeout_is_dropped_and_counts_as_failed() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 1).await;
    let start = Instant::now();
    let report = Worker::new(
        Arc::clone(&backend),
        queue.clone(),
        handler_fn(|_, _| std::future::pending()),
    )
    .timeout(90 * SEC)
    .retry_policy(Schedule::new([SEC]).unwrap())
    .build()
    .unwrap()
    .run_until_idle()
    .await
    .unwrap();
    assert_eq!(report.buried, 1);
    assert_eq!(start.elapsed(), 90 * SEC);
    let failure = dead(&backend, &queue)
        .await
        .remove(0)
        .failures
        .last
        .unwrap();
    assert_eq!(failure.report.kind, FailureKind::Timeout);
}

#[tokio::test(start_paused = true)]
async fn json_that_does_not_decode_goes_to_the_dead_letters_with_its_raw_bytes() {
    #[derive(serde::Deserialize)]
    struct Invoice {
        amount: u64,
    }
    let (backend, queue) = memory();
    for body in [
        &b"{\"amount\":7}"[..],
        b"{\"amount\":\"secret\"}",
        b"\xff\0not json",
    ] {
        backend
            .enqueue_one(&queue, NewJob::new(body))
            .await
            .unwrap()
            .unwrap();
    }
    let report = drain(
        &backend,
        &queue,
        json_handler_fn(|invoice: Invoice, _, _| async move {
            assert_eq!(invoice.amount, 7);
            Ok(())
        }),
    )
    .await;
    assert_eq!((report.completed, report.buried), (1, 2));
    let dead = dead(&backend, &queue).await;
    assert_eq!(&dead[1].data.payload()[..], b"\xff\0not json");
    for letter in dead {
        assert_eq!(letter.reason, DeadReason::Undecodable);
        assert!(!letter.failures.last_error().unwrap().contains("secret"));
    }
}

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
async fn a_dead_letter_is_never_taken_by_a_worker() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 1).await;
    drain(
        &backend,
        &queue,
        handler_fn(|_, _| async { Err(HandlerError::permanent("no")) }),
    )
    .await;
    tokio::time::advance(Duration::from_secs(30 * 24 * 3600)).await;
    let report = drain(&backend, &queue, handler_fn(|_, _| async { Ok(()) })).await;
    assert_eq!(report, WorkerReport::default());
    assert_eq!(dead(&backend, &queue).await.len(), 1);
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
