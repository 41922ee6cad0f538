//! What becomes of a job after a run.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use anvil_queue::{DeadReason, FailureKind, HandlerError, WorkerReport, handler_fn};
use anvil_tests::{fill, memory};
use tokio::time::Instant;

use crate::{SEC, dead, drain};

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
