//! G5, waiting: `wait` is level-triggered, moves nothing, and is safe to drop.
//!
//! A wake-up is a hint and may be false, so these behaviours wait as a worker does: reserve, wait,
//! reserve again.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join;
use tokio::time::Instant;

use super::Harness;
use super::trial::{LONG, Trial};
use crate::{NewJob, QueueBackend, Replayed, Reserved, Settlement};

/// Work that is there is not waited for.
pub async fn wait_returns_at_once_where_a_job_is_ready(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue(NewJob::new("x")).await;
    in_time(async {
        for _ in 0..3 {
            trial.wait(2 * LONG).await;
        }
    })
    .await;
    trial.take().await;
}

/// An idle worker hears of a new job.
pub async fn wait_returns_when_a_job_is_enqueued(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let (reserved, id) = in_time(join(
        wait_for_a_job(&trial),
        trial.enqueue(NewJob::new("x")),
    ))
    .await;
    assert_eq!(reserved.job.id(), id);
}

/// An idle worker hears of a job that another handed back.
pub async fn wait_returns_when_a_job_is_released(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(NewJob::new("x")).await;
    let leased = trial.take().await;
    let release = trial.apply(&leased.lease, Settlement::Release);
    let (reserved, ()) = in_time(join(wait_for_a_job(&trial), release)).await;
    assert_eq!(reserved.job.id(), id);
}

/// An idle worker hears of a job that a person sent back.
pub async fn wait_returns_when_a_job_is_replayed(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.kill(NewJob::new("x")).await;
    let (reserved, replayed) = in_time(join(wait_for_a_job(&trial), trial.replay(id))).await;
    assert_eq!(replayed, Replayed::Ready);
    assert_eq!(reserved.job.id(), id);
}

/// Nobody has to enqueue for a delayed job to be noticed, also one that was scheduled while
/// somebody waited.
pub async fn wait_returns_when_a_job_falls_due(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let job = NewJob::new("x").delay(trial.short());
    let id = trial.enqueue(job.clone()).await;
    assert_eq!(in_time(wait_for_a_job(&trial)).await.job.id(), id);

    let (reserved, id) = in_time(join(
        wait_for_a_job(&trial),
        trial.enqueue(NewJob::new("x").delay(trial.short())),
    ))
    .await;
    assert_eq!(reserved.job.id(), id);
}

/// A crashed worker's job is noticed by one that was idle.
pub async fn wait_returns_when_a_lease_runs_out(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(NewJob::new("x")).await;
    trial.take_shortly().await;
    let reserved = in_time(wait_for_a_job(&trial)).await;
    assert_eq!(reserved.job.id(), id);
    assert_eq!(reserved.job.counters().reclaims, 1);
}

/// An empty queue is waited on for as long as asked, and no error comes of it.
pub async fn wait_returns_when_its_time_is_up(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.wait(Duration::ZERO).await;
    in_time(trial.wait(trial.short())).await;
    trial.assert_nothing_ready().await;
}

/// Giving up waiting loses no job.
pub async fn a_dropped_wait_moves_nothing(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    assert!(
        trial
            .backend
            .wait(&trial.queue, LONG)
            .now_or_never()
            .is_none_or(|done| done.is_ok())
    );
    let id = trial.enqueue(NewJob::new("x")).await;
    for _ in 0..3 {
        drop(trial.backend.wait(&trial.queue, LONG));
        let _ = trial.backend.wait(&trial.queue, LONG).now_or_never();
    }
    let stats = trial.stats().await;
    assert_eq!((stats.ready, stats.leased), (1, 0));
    assert_eq!(trial.take().await.job.id(), id);
}

/// A worker that was woken and leaves without looking leaves the wake-up to another.
pub async fn a_dropped_wait_does_not_take_the_wake_up_along(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let leaves = async {
        let mut waiting = Box::pin(trial.backend.wait(&trial.queue, 2 * LONG));
        let _ = waiting.as_mut().now_or_never();
        let id = trial.enqueue(NewJob::new("x")).await;
        drop(waiting);
        id
    };
    let (reserved, id) = in_time(join(wait_for_a_job(&trial), leaves)).await;
    assert_eq!(reserved.job.id(), id);
}

/// What an idle worker does.
async fn wait_for_a_job<H: Harness>(trial: &Trial<'_, H>) -> Reserved {
    loop {
        if let Some(reserved) = trial.reserve_up_to(1).await.pop() {
            return reserved;
        }
        trial.wait(2 * LONG).await;
    }
}

/// Runs what has to end well before the time that is waited for at most.
async fn in_time<T>(waiting: impl Future<Output = T>) -> T {
    let started = Instant::now();
    let answer = waiting.await;
    assert!(started.elapsed() < LONG, "nothing woke the waiter");
    answer
}
