//! Looking at jobs that are not dead: what is shown is what is there, and looking moves nothing.

use std::time::{Duration, SystemTime};

use super::Harness;
use super::trial::{LONG, Trial, retry};
use crate::{
    DeadReason, JobId, JobPlace, JobView, NewJob, PeekPlace, PeekQuery, Reserve, Settlement,
};

/// What is shown first is reserved first, whatever way the jobs became ready.
pub async fn ready_jobs_are_shown_in_the_order_of_their_reservation(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue_many(6, Duration::ZERO).await;
    let reserved = trial.reserve_up_to(4).await;
    for index in [2, 0] {
        trial
            .apply(&reserved[index].lease, Settlement::Release)
            .await;
    }
    trial.enqueue(NewJob::new("x")).await;
    let shown = ids(&trial.peek(PeekQuery::new(PeekPlace::Ready)).await);
    assert_eq!(shown.len(), 5);
    assert_eq!(trial.take_all().await, shown);
}

/// A job whose lease ran out is shown at its place, and suspects are no exception.
pub async fn a_reclaimed_job_is_shown_at_its_place(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let sent = trial.enqueue_many(3, Duration::ZERO).await;
    trial.take_shortly().await;
    trial.pass_short().await;
    // What reclaims is a reservation; this one may not have the job.
    let other = trial.reserve(Reserve::new(1, LONG).reclaimed(false)).await;
    assert_eq!(other[0].job.id(), sent[1]);
    let shown = trial.peek(PeekQuery::new(PeekPlace::Ready)).await;
    assert_eq!(ids(&shown), [sent[0], sent[2]]);
    assert_eq!(shown[0].counters.reclaims, 1);
}

/// What falls due first is shown first, with the time that is left.
pub async fn scheduled_jobs_are_shown_as_they_fall_due(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let mut sent = Vec::new();
    for seconds in [300, 100, 200] {
        let delay = Duration::from_secs(seconds);
        sent.push(trial.enqueue(NewJob::new("x").delay(delay)).await);
    }
    let shown = trial.peek(PeekQuery::new(PeekPlace::Scheduled)).await;
    assert_eq!(ids(&shown), [sent[1], sent[2], sent[0]]);
    for (view, seconds) in shown.iter().zip([100.0, 200.0, 300.0]) {
        let JobPlace::Scheduled { due_in } = view.place else {
            panic!("a scheduled job is shown as {:?}", view.place);
        };
        assert!((seconds - 90.0..=seconds).contains(&due_in.as_secs_f64()));
    }
}

/// The lease that runs out first is shown first, with the time that is left.
pub async fn leased_jobs_are_shown_as_their_leases_run_out(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue_many(3, Duration::ZERO).await;
    let mut leased = Vec::new();
    for seconds in [300, 100, 200] {
        let reserved = trial
            .reserve(Reserve::new(1, Duration::from_secs(seconds)))
            .await;
        leased.push(reserved[0].job.id());
    }
    let shown = trial.peek(PeekQuery::new(PeekPlace::Leased)).await;
    assert_eq!(ids(&shown), [leased[1], leased[2], leased[0]]);
    for (view, seconds) in shown.iter().zip([100.0, 200.0, 300.0]) {
        let JobPlace::Leased {
            expires_in,
            cancel_requested,
        } = view.place
        else {
            panic!("a leased job is shown as {:?}", view.place);
        };
        assert!(!cancel_requested);
        assert!((seconds - 90.0..=seconds).contains(&expires_in.as_secs_f64()));
    }
}

/// A look at a place of thousands shows its beginning, and everything stays where it is.
pub async fn a_look_moves_nothing_and_shows_no_more_than_asked_for(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let sent = trial.enqueue_many(500, Duration::ZERO).await;
    trial.enqueue(NewJob::new("x").delay(trial.short())).await;
    trial.enqueue(NewJob::new("x").delay(Duration::MAX)).await;
    trial.take_shortly().await;
    trial.pass_short().await;
    let before = trial.stats().await;
    for _ in 0..2 {
        for place in [PeekPlace::Ready, PeekPlace::Scheduled, PeekPlace::Leased] {
            trial.peek(PeekQuery::new(place)).await;
        }
        let shown = trial.peek(PeekQuery::new(PeekPlace::Ready).limit(3)).await;
        assert_eq!(ids(&shown), sent[1..4]);
        assert!(trial.view(sent[0]).await.is_some());
    }
    let most = trial.peek(PeekQuery::new(PeekPlace::Ready).limit(1_000));
    assert_eq!(ids(&most.await), sent[1..201]);
    let after = trial.stats().await;
    assert_eq!(after.totals, before.totals);
    assert_eq!(
        (after.ready, after.scheduled, after.leased),
        (before.ready, before.scheduled, before.leased)
    );
}

/// A job is found by its id wherever it is, with all that is known of it, until it is done.
pub async fn a_job_is_found_in_each_place(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    assert!(trial.view(JobId::generate()).await.is_none());
    let job = NewJob::new("payload").kind("invoice.paid").source("stripe");
    let id = trial.enqueue(job).await;
    let seen = async |place: &str| {
        let view = trial.view(id).await.expect("the job is not found");
        assert_eq!(view.place.as_str(), place);
        assert_eq!(view.id(), id);
        assert_eq!(&view.data.payload()[..], b"payload");
        assert_eq!(
            (view.data.kind(), view.data.source()),
            ("invoice.paid", "stripe")
        );
        view
    };
    assert_eq!(seen("ready").await.place, JobPlace::Ready);
    let leased = trial.take().await;
    let view = seen("leased").await;
    assert_eq!(view.accepted_at, leased.job.accepted_at());
    assert!(matches!(view.place, JobPlace::Leased { expires_in, .. } if expires_in <= LONG));

    trial.apply(&leased.lease, retry(trial.short())).await;
    let view = seen("scheduled").await;
    assert!(matches!(view.place, JobPlace::Scheduled { due_in } if due_in <= trial.short()));
    assert_eq!(view.counters.attempts, 1);
    assert_eq!(view.failures.last_error(), Some("retried"));

    trial.pass_short().await;
    trial.kill_next().await;
    let view = seen("dead").await;
    let letter = trial.letter(id).await;
    let place = JobPlace::Dead {
        reason: DeadReason::Exhausted,
        died_at: letter.died_at,
        position: letter.position,
    };
    assert_eq!(view.place, place);
    assert_eq!(view.failures, letter.failures);
    assert!(view.accepted_at > SystemTime::UNIX_EPOCH);

    trial.replay(id).await;
    seen("ready").await;
    trial.complete(&trial.take().await.lease).await;
    assert!(trial.view(id).await.is_none());
}

fn ids(views: &[JobView]) -> Vec<JobId> {
    views.iter().map(JobView::id).collect()
}
