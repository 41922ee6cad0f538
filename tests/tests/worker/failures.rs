//! Panics, timeouts and payloads that do not decode.

use std::sync::Arc;

use anvil_queue::{
    DeadReason, Decision, Failure, FailureKind, HandlerError, Job, NewJob, QueueBackendExt,
    Schedule, Worker, handler_fn, json_handler_fn, policy_fn,
};
use anvil_tests::{fill, memory};
use tokio::time::Instant;

use crate::{SEC, dead, drain};

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
