//! Cancelling: what waits is gone, what runs is asked to stop and does not wait again.

use std::time::Duration;

use super::Harness;
use super::trial::{LONG, Trial, bury, keyed, retry, set};
use crate::{
    Cancelled, Enqueued, JobId, JobPlace, LeaseState, NewJob, Replayed, Reserve, Settlement,
};

/// Ready and scheduled jobs are removed for good, and their neighbours stay.
pub async fn a_waiting_job_that_is_cancel_requested_is_gone(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let ready = trial.enqueue_many(4, Duration::ZERO).await;
    let scheduled = trial.enqueue_many(3, trial.short()).await;
    let named = [ready[1], scheduled[1], ready[0], JobId::generate()];
    let gone = [Cancelled::Removed, Cancelled::Removed, Cancelled::Removed];
    let answers = trial.cancel(&named).await;
    assert_eq!(answers, [&gone[..], &[Cancelled::NotFound]].concat());
    assert_eq!(trial.cancel(&named).await, [Cancelled::NotFound; 4]);
    for id in &named[..3] {
        assert!(trial.view(*id).await.is_none());
    }
    let stats = trial.stats().await;
    assert_eq!((stats.ready, stats.scheduled), (2, 2));
    assert_eq!(stats.totals.cancelled, 3);

    assert_eq!(set(trial.take_all().await), set([ready[2], ready[3]]));
    trial.pass_short().await;
    let due = set(trial.take_all().await);
    assert_eq!(due, set([scheduled[0], scheduled[2]]));
}

/// A job that came back to an earlier place can be cancelled there, a suspect included.
pub async fn a_job_that_came_back_is_cancel_requested_at_its_place(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let sent = trial.enqueue_many(4, Duration::ZERO).await;
    trial.take_shortly().await;
    trial.pass_short().await;
    let other = trial.reserve(Reserve::new(1, LONG).reclaimed(false)).await;
    trial.apply(&other[0].lease, Settlement::Release).await;
    assert_eq!(trial.cancel(&sent[..2]).await, [Cancelled::Removed; 2]);
    assert_eq!(trial.take_all().await, sent[2..]);
}

/// The window is not reopened: the sender's retry of a cancelled delivery is a duplicate.
pub async fn the_record_outlives_the_cancelled_job(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(keyed("1")).await;
    let without_key = NewJob::new("x");
    let other = trial.enqueue(without_key.clone()).await;
    assert_eq!(trial.cancel(&[id, other]).await, [Cancelled::Removed; 2]);
    assert_eq!(trial.offer(keyed("1")).await, Ok(Enqueued::Duplicate(id)));
    let again = trial.offer(without_key).await;
    assert_eq!(again, Ok(Enqueued::Accepted(other)));
    trial.assert_nothing_ready().await;
}

/// The worker is told at its next renewal, each time; its neighbours are not.
pub async fn a_run_that_is_cancel_requested_is_told_at_the_next_extension(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue_many(2, Duration::ZERO).await;
    let reserved = trial.take_many(2).await;
    let [cancelled, other] = [&reserved[0], &reserved[1]];
    let id = cancelled.job.id();
    for _ in 0..2 {
        assert_eq!(trial.cancel(&[id]).await, [Cancelled::Requested]);
        let state = trial.extend(&cancelled.lease, 2 * LONG).await;
        assert_eq!(state, LeaseState::CancelRequested);
        assert_eq!(trial.extend(&other.lease, LONG).await, LeaseState::Held);
    }
    let place = trial.view(id).await.map(|view| view.place);
    assert!(
        matches!(place, Some(JobPlace::Leased { expires_in, cancel_requested: true })
            if expires_in > LONG)
    );
    let stats = trial.stats().await;
    assert_eq!((stats.leased, stats.totals.cancelled), (2, 0));
}

/// A request is no verdict: a run that ends well all the same is done, and one that is buried dead.
pub async fn a_cancelled_run_may_still_complete_or_die(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    for (end, dead) in [(Settlement::Complete, 0), (bury("no"), 1)] {
        let id = trial.enqueue(NewJob::new("x")).await;
        let leased = trial.take().await;
        assert_eq!(trial.cancel(&[id]).await, [Cancelled::Requested]);
        trial.apply(&leased.lease, end).await;
        let stats = trial.stats().await;
        assert_eq!((stats.open(), stats.dead), (0, dead));
        assert_eq!(stats.totals.cancelled, 0);
    }
}

/// Whatever would make a cancelled job wait again removes it, and counts as what it is.
pub async fn a_cancelled_job_does_not_wait_again(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let after = trial.short();
    for end in [
        Settlement::Release,
        Settlement::Snooze { after },
        retry(after),
    ] {
        let id = trial.enqueue(NewJob::new("x")).await;
        let leased = trial.take().await;
        trial.cancel(&[id]).await;
        trial.apply(&leased.lease, end.clone()).await;
        trial.apply(&leased.lease, end).await;
        assert!(trial.view(id).await.is_none());
        assert_eq!(trial.stats().await.open(), 0);
    }
    let id = trial.enqueue(NewJob::new("x")).await;
    trial.take_shortly().await;
    trial.cancel(&[id]).await;
    trial.pass_short().await;
    trial.assert_nothing_ready().await;
    assert!(trial.view(id).await.is_none());

    let stats = trial.stats().await;
    assert_eq!((stats.open(), stats.dead), (0, 0));
    assert_eq!(stats.oldest_age, None);
    let totals = stats.totals;
    assert_eq!((totals.released, totals.snoozed, totals.retried), (1, 1, 1));
    assert_eq!((totals.reclaimed, totals.cancelled), (1, 4));
}

/// A request ends with the run it was made for.
pub async fn a_replayed_job_does_not_know_a_former_request(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(NewJob::new("x")).await;
    let leased = trial.take().await;
    trial.cancel(&[id]).await;
    trial.apply(&leased.lease, bury("no")).await;
    assert_eq!(trial.replay(id).await, Replayed::Ready);
    let leased = trial.take().await;
    assert_eq!(trial.extend(&leased.lease, LONG).await, LeaseState::Held);
    trial.apply(&leased.lease, Settlement::Release).await;
    assert_eq!(trial.take().await.job.id(), id);
}

/// Dead letters are discarded, not cancelled; what is gone can't be.
pub async fn what_is_dead_or_gone_is_not_cancelled(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let done = trial.enqueue(NewJob::new("x")).await;
    trial.complete(&trial.take().await.lease).await;
    let dead = trial.kill(NewJob::new("x")).await;
    assert_eq!(
        trial.cancel(&[done, dead]).await,
        [Cancelled::NotFound, Cancelled::Dead]
    );
    assert!(trial.dead(dead).await.is_some());
    assert_eq!(trial.stats().await.totals.cancelled, 0);
}

/// A cancelled job takes no room.
pub async fn a_full_queue_has_room_after_a_cancellation(harness: &impl Harness) {
    let trial = Trial::with_capacity(harness, 1).await;
    let id = trial.enqueue(NewJob::new("x")).await;
    assert_eq!(trial.cancel(&[id]).await, [Cancelled::Removed]);
    trial.enqueue(NewJob::new("x")).await;
}
