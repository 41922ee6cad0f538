//! G10, full is survivable: a full queue refuses new jobs and goes on with everything else.

use std::time::Duration;

use super::Harness;
use super::trial::{LONG, Trial, bury, keyed, retry};
use crate::{Enqueued, LeaseState, NewJob, Refusal, Replayed, Settlement};

/// A refused delivery can be sent again: it is not taken for a duplicate of itself.
pub async fn a_full_queue_refuses_and_keeps_no_record(harness: &impl Harness) {
    let trial = Trial::with_capacity(harness, 1).await;
    trial.enqueue(NewJob::new("x")).await;
    let refused = keyed("1");
    for _ in 0..2 {
        assert_eq!(trial.offer(refused.clone()).await, Err(Refusal::Full));
        assert_eq!(trial.offer(keyed("1")).await, Err(Refusal::Full));
        assert_eq!(trial.offer(NewJob::new("x")).await, Err(Refusal::Full));
    }
    assert_eq!(trial.stats().await.open(), 1);
    trial.complete(&trial.take().await.lease).await;
    trial.enqueue(refused).await;
}

/// A duplicate needs no room.
pub async fn a_full_queue_still_knows_its_duplicates(harness: &impl Harness) {
    let trial = Trial::with_capacity(harness, 1).await;
    let job = keyed("1");
    let id = trial.enqueue(job.clone()).await;
    assert_eq!(trial.offer(keyed("1")).await, Ok(Enqueued::Duplicate(id)));
    assert_eq!(trial.offer(job).await, Ok(Enqueued::Accepted(id)));
}

/// The part of a batch that fits is stored, and each job learns its own fate.
pub async fn a_full_queue_refuses_only_what_does_not_fit(harness: &impl Harness) {
    let trial = Trial::with_capacity(harness, 2).await;
    let jobs = vec![keyed("1"), keyed("1"), keyed("2"), keyed("3"), keyed("2")];
    let [a, _, b, ..] = [0, 1, 2].map(|n: usize| jobs[n].data().id());
    assert_eq!(
        trial.offer_all(jobs).await,
        [
            Ok(Enqueued::Accepted(a)),
            Ok(Enqueued::Duplicate(a)),
            Ok(Enqueued::Accepted(b)),
            Err(Refusal::Full),
            Ok(Enqueued::Duplicate(b)),
        ]
    );
    assert_eq!(trial.stats().await.totals.refused, 1);
}

/// A full queue must be able to drain.
pub async fn a_full_queue_goes_on_with_every_other_verb(harness: &impl Harness) {
    let trial = Trial::with_capacity(harness, 3).await;
    trial.enqueue_many(3, Duration::ZERO).await;
    for next in [
        Settlement::Release,
        Settlement::Snooze {
            after: Duration::ZERO,
        },
        retry(Duration::ZERO),
        bury("no"),
        Settlement::Complete,
    ] {
        let lease = trial.take().await.lease;
        assert_eq!(trial.extend(&lease, LONG).await, LeaseState::Held);
        trial.apply(&lease, next).await;
    }
    trial.take_shortly().await;
    trial.pass_short().await;
    assert_eq!(trial.take().await.job.counters().reclaims, 1);
}

/// A replay moves a job that is already stored.
pub async fn a_full_queue_replays(harness: &impl Harness) {
    let trial = Trial::with_capacity(harness, 2).await;
    let dead = trial.kill(keyed("1")).await;
    trial.enqueue(NewJob::new("x")).await;
    assert_eq!(trial.replay(dead).await, Replayed::Ready);
    assert_eq!(trial.take_all().await.len(), 2);
}

/// Being full passes.
pub async fn a_drained_queue_accepts_again(harness: &impl Harness) {
    let trial = Trial::with_capacity(harness, 2).await;
    for _ in 0..3 {
        trial.enqueue_many(2, Duration::ZERO).await;
        assert_eq!(trial.offer(NewJob::new("x")).await, Err(Refusal::Full));
        for reserved in trial.reserve_up_to(2).await {
            trial.complete(&reserved.lease).await;
        }
    }
}
