//! A worker that is told to stop: nothing is lost, no attempt is spent, and it ends in time.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::{
    Context, Handler, HandlerError, Job, QueueBackend, QueueBackendExt, QueueErrorKind, QueueName,
    Worker, WorkerBuilder, WorkerReport, handler_fn,
};
use anvil_tests::{Fault, FaultyBackend, Verb, fill, memory};
use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;

const SEC: Duration = Duration::from_secs(1);

/// A worker whose lease outlasts every test, since a paused clock knows no renewal thread.
fn worker<H: Handler>(
    backend: impl QueueBackend,
    queue: &QueueName,
    handler: H,
) -> WorkerBuilder<H> {
    Worker::new(backend, queue.clone(), handler)
        .lease(3_600 * SEC)
        .grace(20 * SEC)
        .cancel_grace(5 * SEC)
}

async fn run<H: Handler>(worker: WorkerBuilder<H>, stop: impl Future<Output = ()>) -> WorkerReport {
    worker.build().unwrap().run(stop).await.unwrap()
}

/// A handler that says when a run starts and then does as told.
fn starting<F, Fut>(started: &Arc<Notify>, then: F) -> impl Handler
where
    F: Fn(Job, Context) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<(), HandlerError>> + Send,
{
    let started = Arc::clone(started);
    handler_fn(move |job, context| {
        let (started, then) = (Arc::clone(&started), then.clone());
        async move {
            started.notify_one();
            then(job, context).await
        }
    })
}

async fn assert_untouched(backend: &MemoryBackend, queue: &QueueName, jobs: usize) {
    let stats = backend.stats(queue).await.unwrap();
    assert_eq!((stats.ready, stats.leased), (jobs, 0), "{stats:?}");
    for _ in 0..jobs {
        let taken = backend.reserve_one(queue, SEC).await.unwrap().unwrap();
        assert_eq!(taken.job.attempt(), 1);
        assert_eq!(taken.job.counters().reclaims, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn runs_finish_within_the_grace_and_prefetched_jobs_are_released_in_order() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 65).await;
    let started = Arc::new(Notify::new());
    let handler = starting(&started, |_, _| async {
        tokio::time::sleep(10 * SEC).await;
        Ok(())
    });
    let worker = worker(Arc::clone(&backend), &queue, handler)
        .concurrency(1)
        .prefetch(64);
    let report = run(worker, started.notified()).await;
    assert_eq!((report.completed, report.released), (1, 64));
    assert!(report.is_clean());
    for n in 1..65 {
        let taken = backend.reserve_one(&queue, SEC).await.unwrap().unwrap();
        assert_eq!(&taken.job.payload()[..], n.to_string().as_bytes());
        assert_eq!(taken.job.counters(), Default::default());
    }
}

#[tokio::test(start_paused = true)]
async fn whenever_it_stops_every_job_is_done_or_ready() {
    for steps in 0..60 {
        let (backend, queue) = memory();
        fill(&backend, &queue, 30).await;
        let handler = handler_fn(|_, _| async {
            tokio::task::yield_now().await;
            Ok(())
        });
        let worker = worker(Arc::clone(&backend), &queue, handler)
            .concurrency(2)
            .prefetch(8);
        let stop = async {
            for _ in 0..steps {
                tokio::task::yield_now().await;
            }
        };
        let report = run(worker, stop).await;
        let stats = backend.stats(&queue).await.unwrap();
        assert_eq!(stats.leased, 0, "after {steps} steps: {report}");
        assert_eq!(stats.ready + report.completed as usize, 30);
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_heeds_its_context_is_released_and_no_attempt_is_spent() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 1).await;
    let started = Arc::new(Notify::new());
    let handler = starting(&started, |_, context| async move {
        context.cancelled().await;
        Err(HandlerError::transient("interrupted"))
    });
    let start = Instant::now();
    let report = run(
        worker(Arc::clone(&backend), &queue, handler),
        started.notified(),
    )
    .await;
    assert_eq!(start.elapsed(), 20 * SEC, "asked to end after the grace");
    assert_eq!((report.released, report.retried), (1, 0));
    assert_untouched(&backend, &queue, 1).await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_succeeds_after_it_was_asked_to_end_is_done() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 1).await;
    let started = Arc::new(Notify::new());
    let handler = starting(&started, |_, context| async move {
        context.cancelled().await;
        Ok(())
    });
    let report = run(
        worker(Arc::clone(&backend), &queue, handler),
        started.notified(),
    )
    .await;
    assert_eq!((report.completed, report.released), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_ignores_its_context_is_cut_off_and_released() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 3).await;
    let started = Arc::new(Notify::new());
    let handler = starting(&started, |_, _| pending());
    let start = Instant::now();
    let report = run(
        worker(Arc::clone(&backend), &queue, handler),
        started.notified(),
    )
    .await;
    assert_eq!(start.elapsed(), 25 * SEC);
    assert_eq!(report.released, 3);
    assert!(report.is_clean());
    assert_untouched(&backend, &queue, 3).await;
}

#[test]
fn a_run_that_never_yields_does_not_hold_up_the_end_and_is_reported() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let (let_go, held) = std::sync::mpsc::channel::<()>();
    let held = std::sync::Mutex::new(held);
    runtime.block_on(async {
        let (backend, queue) = memory();
        fill(&backend, &queue, 1).await;
        let started = Arc::new(Notify::new());
        let begun = Arc::clone(&started);
        let handler = handler_fn(move |_, _| {
            begun.notify_one();
            let _ = held.lock().unwrap().recv();
            async { Ok(()) }
        });
        let worker = worker(Arc::clone(&backend), &queue, handler)
            .grace(Duration::from_millis(20))
            .cancel_grace(Duration::from_millis(20));
        let report = run(worker, started.notified()).await;
        assert_eq!(report.abandoned, 1);
        assert!(!report.is_clean());
        assert_eq!(backend.stats(&queue).await.unwrap().leased, 1);
    });
    drop(let_go);
}

#[tokio::test(start_paused = true)]
async fn with_the_backend_down_it_still_ends_in_time() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 20).await;
    let faulty = FaultyBackend::new(Arc::clone(&backend));
    let started = Arc::new(Notify::new());
    let handler = starting(&started, |_, _| async {
        tokio::time::sleep(SEC).await;
        Ok(())
    });
    let outage = faulty.clone();
    let stop = async {
        started.notified().await;
        let down = Fault::Fail(QueueErrorKind::Unavailable);
        for verb in [Verb::Reserve, Verb::Settle, Verb::Extend, Verb::Wait] {
            outage.always(verb, down.clone());
        }
    };
    let start = Instant::now();
    let report = run(
        worker(faulty, &queue, handler).concurrency(4).prefetch(4),
        stop,
    )
    .await;
    assert!(start.elapsed() <= 27 * SEC, "{:?}", start.elapsed());
    assert_eq!(report.abandoned, 8);
    let stats = backend.stats(&queue).await.unwrap();
    assert_eq!(stats.open(), 20, "nothing is lost");
}

#[tokio::test(start_paused = true)]
async fn a_reserve_that_never_answers_does_not_hold_up_the_end() {
    let (backend, queue) = memory();
    let faulty = FaultyBackend::new(backend);
    let never = Arc::new(Semaphore::new(0));
    faulty.always(Verb::Reserve, Fault::Hold(never));
    let start = Instant::now();
    let handler = handler_fn(|_, _| async { Ok(()) });
    run(worker(faulty, &queue, handler), tokio::time::sleep(SEC)).await;
    assert!(start.elapsed() <= 21 * SEC, "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn what_a_late_reserve_still_takes_is_handed_back() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 5).await;
    let faulty = FaultyBackend::new(Arc::clone(&backend));
    faulty.next(Verb::Reserve, Fault::Late(5 * SEC));
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let handler = handler_fn(move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok(()) }
    });
    let report = run(worker(faulty, &queue, handler), tokio::time::sleep(SEC)).await;
    let stats = backend.stats(&queue).await.unwrap();
    assert_eq!(stats.leased, 0, "{report}");
    assert_eq!(stats.ready + runs.load(Ordering::SeqCst), 5);
}

#[tokio::test(start_paused = true)]
async fn a_failure_during_the_grace_is_recorded_before_the_end() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 1).await;
    let started = Arc::new(Notify::new());
    let handler = starting(&started, |_, _| async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        Err(HandlerError::transient("no"))
    });
    let report = run(
        worker(Arc::clone(&backend), &queue, handler),
        started.notified(),
    )
    .await;
    assert_eq!(report.retried, 1);
    assert_eq!(backend.stats(&queue).await.unwrap().scheduled, 1);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_dropped_hands_its_jobs_back() {
    let (backend, queue) = memory();
    fill(&backend, &queue, 4).await;
    let started = Arc::new(Notify::new());
    let handler = starting(&started, |_, _| pending());
    let worker = worker(Arc::clone(&backend), &queue, handler)
        .concurrency(2)
        .prefetch(2)
        .build()
        .unwrap();
    tokio::select! {
        _ = worker.run(pending()) => panic!("it ended"),
        () = started.notified() => {}
    }
    while backend.stats(&queue).await.unwrap().leased > 0 {
        tokio::task::yield_now().await;
    }
    assert_untouched(&backend, &queue, 4).await;
}

#[tokio::test(start_paused = true)]
async fn the_same_worker_can_run_again() {
    let (backend, queue) = memory();
    let worker = worker(
        Arc::clone(&backend),
        &queue,
        handler_fn(|_, _| async { Ok(()) }),
    )
    .build()
    .unwrap();
    for _ in 0..2 {
        fill(&backend, &queue, 3).await;
        assert_eq!(worker.run_until_idle().await.unwrap().completed, 3);
    }
}
