//! G6, separate counters: attempts, snoozes and releases are told apart.

use std::time::Duration;

use super::Harness;
use super::trial::{Trial, bury, failure, retry};
use crate::{Counters, DeadReason, FailureKind, NewJob, Settlement};

/// A failed run is one attempt.
pub async fn a_retry_counts_an_attempt_and_nothing_else(harness: &impl Harness) {
    let counters = after_three(harness, retry(Duration::ZERO)).await;
    assert_eq!(
        [
            counters.attempts,
            counters.snoozes,
            counters.reclaims,
            counters.replays
        ],
        [3, 0, 0, 0]
    );
}

/// A job that is put off has not failed.
pub async fn a_snooze_counts_a_snooze_and_nothing_else(harness: &impl Harness) {
    let counters = after_three(
        harness,
        Settlement::Snooze {
            after: Duration::ZERO,
        },
    )
    .await;
    assert_eq!(
        [
            counters.attempts,
            counters.snoozes,
            counters.reclaims,
            counters.replays
        ],
        [0, 3, 0, 0]
    );
}

/// A deploy costs a job nothing.
pub async fn a_release_counts_nothing(harness: &impl Harness) {
    let counters = after_three(harness, Settlement::Release).await;
    assert_eq!(counters, Counters::default());
}

/// The run that led to the burial is an attempt like the others.
pub async fn a_burial_counts_an_attempt(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(NewJob::new("x")).await;
    trial
        .apply(&trial.take().await.lease, retry(Duration::ZERO))
        .await;
    let second = trial.take().await;
    assert_eq!(second.job.attempt(), 2);
    trial.apply(&second.lease, bury("enough")).await;
    let letter = trial.letter(id).await;
    assert_eq!(letter.counters.attempts, 2);
    assert_eq!(letter.failures.attempts, 2);
}

/// A dead letter shows how it began and how it ended.
pub async fn the_first_and_the_last_failure_are_kept(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(NewJob::new("x")).await;
    for error in ["first", "second"] {
        let lease = trial.take().await.lease;
        trial
            .apply(
                &lease,
                Settlement::Retry {
                    after: Duration::ZERO,
                    failure: failure(error),
                },
            )
            .await;
        trial.pass_short().await;
    }
    let mut last = failure("third");
    last.kind = FailureKind::Permanent;
    last.worker = "worker-2".into();
    let bury = Settlement::Bury {
        reason: DeadReason::Permanent,
        failure: last.clone(),
    };
    trial.apply(&trial.take().await.lease, bury).await;

    let letter = trial.letter(id).await;
    assert_eq!(letter.failures.attempts, 3);
    let (first, newest) = (
        letter.failures.first.unwrap(),
        letter.failures.last.unwrap(),
    );
    assert_eq!(first.report, failure("first"));
    assert_eq!(newest.report, last);
    assert!(newest.at > first.at);
}

async fn after_three(harness: &impl Harness, settlement: Settlement) -> Counters {
    let trial = Trial::fresh(harness).await;
    trial.enqueue(NewJob::new("x")).await;
    for _ in 0..3 {
        trial
            .apply(&trial.take().await.lease, settlement.clone())
            .await;
    }
    trial.take().await.job.counters()
}
