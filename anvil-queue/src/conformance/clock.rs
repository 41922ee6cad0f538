//! G5, one clock: callers pass durations and the backend alone tells the time.

use std::time::Duration;

use super::Harness;
use super::trial::{LONG, Trial, retry};
use crate::{NewJob, Settlement};

/// A delay is kept to the end and no longer.
pub async fn a_delayed_job_is_ready_when_it_is_due_and_not_before(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial
        .enqueue(NewJob::new("x").delay(2 * trial.short()))
        .await;
    trial.assert_nothing_ready().await;
    trial.pass_short().await;
    trial.assert_nothing_ready().await;
    trial.pass_short().await;
    assert_eq!(trial.take().await.job.id(), id);
}

/// The delay of a retry is the backend's to keep.
pub async fn a_retried_job_is_ready_when_it_is_due_and_not_before(harness: &impl Harness) {
    put_off(harness, retry(2 * harness.short_time())).await;
}

/// So is that of a snooze.
pub async fn a_snoozed_job_is_ready_when_it_is_due_and_not_before(harness: &impl Harness) {
    put_off(
        harness,
        Settlement::Snooze {
            after: 2 * harness.short_time(),
        },
    )
    .await;
}

/// What falls due first is ready first, whatever was scheduled first.
pub async fn jobs_become_ready_in_the_order_they_are_due(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let mut sent = Vec::new();
    for delay in [3, 1, 2] {
        sent.push(
            trial
                .enqueue(NewJob::new("x").delay(delay * trial.short()))
                .await,
        );
    }
    harness.pass(3 * trial.short()).await;
    assert_eq!(trial.take_all().await, [sent[1], sent[2], sent[0]]);
}

/// Every duration is a duration: none overflows.
pub async fn an_endless_delay_is_no_error(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.pass_short().await;
    trial.enqueue(NewJob::new("x").delay(Duration::MAX)).await;
    let id = trial.enqueue(NewJob::new("x")).await;
    let leased = trial.reserve(crate::Reserve::new(1, Duration::MAX)).await;
    assert_eq!(leased[0].job.id(), id);
    assert_eq!(
        trial.extend(&leased[0].lease, Duration::MAX).await,
        crate::LeaseState::Held
    );
    trial.apply(&leased[0].lease, retry(Duration::MAX)).await;
    trial.pass_short().await;
    trial.assert_nothing_ready().await;
    assert_eq!(trial.stats().await.scheduled, 2);
}

/// A lease is good for all of its time.
pub async fn a_lease_is_not_reclaimed_before_its_deadline(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(NewJob::new("x")).await;
    trial
        .reserve(crate::Reserve::new(1, 2 * trial.short()))
        .await;
    trial.assert_nothing_ready().await;
    trial.pass_short().await;
    trial.assert_nothing_ready().await;
    trial.pass_short().await;
    assert_eq!(trial.take().await.job.id(), id);
}

/// Policies and handlers see how old a job is by the backend's clock.
pub async fn a_job_knows_its_age(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue(NewJob::new("x")).await;
    trial.pass_short().await;
    let first = trial.take().await;
    assert!(first.job.age() >= trial.short());
    assert!(first.job.age() < LONG);
    trial.apply(&first.lease, Settlement::Release).await;
    trial.pass_short().await;
    let second = trial.take().await;
    assert!(second.job.age() >= 2 * trial.short());
    assert_eq!(second.job.accepted_at(), first.job.accepted_at());
}

async fn put_off(harness: &impl Harness, settlement: Settlement) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(NewJob::new("x")).await;
    trial.apply(&trial.take().await.lease, settlement).await;
    trial.assert_nothing_ready().await;
    trial.pass_short().await;
    trial.assert_nothing_ready().await;
    trial.pass_short().await;
    assert_eq!(trial.take().await.job.id(), id);
}
