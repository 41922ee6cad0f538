//! G7, dead letters are a dead end: they are looked at and discarded by a person, never consumed.

use std::time::Duration;

use super::Harness;
use super::trial::{LONG, Trial, bury, failure, ok};
use crate::{
    DeadFilter, DeadLetters, DeadQuery, DeadReason, FailureKind, JobId, NewJob, Settlement,
};

/// A letter holds the job and all that is known of its death.
pub async fn a_letter_tells_what_happened(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial
        .enqueue(NewJob::new("payload").kind("invoice.paid").source("stripe"))
        .await;
    trial.pass_short().await;
    let mut report = failure("card declined");
    report.kind = FailureKind::Permanent;
    let leased = trial.take().await;
    let accepted_at = leased.job.accepted_at();
    let bury = Settlement::Bury {
        reason: DeadReason::Permanent,
        failure: report.clone(),
    };
    trial.apply(&leased.lease, bury).await;

    let listed = ok(trial
        .backend
        .list_dead(&trial.queue, DeadQuery::new())
        .await)
    .letters;
    for letter in listed.into_iter().chain([trial.letter(id).await]) {
        assert_eq!(letter.id(), id);
        assert_eq!(&letter.data.payload()[..], b"payload");
        assert_eq!(letter.data.kind(), "invoice.paid");
        assert_eq!(letter.data.source(), "stripe");
        assert_eq!(letter.reason, DeadReason::Permanent);
        assert_eq!(letter.counters.attempts, 1);
        assert_eq!(letter.failures.attempts, 1);
        assert_eq!(letter.failures.last.unwrap().report, report);
        assert_eq!(letter.accepted_at, accepted_at);
        assert!(letter.died_at > accepted_at);
    }
}

/// No time that passes and no worker that asks brings a dead job back.
pub async fn a_dead_job_is_never_reserved(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.kill(NewJob::new("x")).await;
    for _ in 0..3 {
        trial.assert_nothing_ready().await;
        trial.pass_short().await;
    }
    assert!(trial.dead(id).await.is_some());
}

/// A job that is ready, scheduled, leased, done or unknown has no letter.
pub async fn only_dead_jobs_are_letters(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let leased = trial.enqueue(NewJob::new("x")).await;
    trial.take().await;
    let done = trial.enqueue(NewJob::new("x")).await;
    trial.complete(&trial.take().await.lease).await;
    let ready = trial.enqueue(NewJob::new("x")).await;
    let scheduled = trial.enqueue(NewJob::new("x").delay(LONG)).await;
    for id in [leased, done, ready, scheduled, JobId::generate()] {
        assert!(trial.dead(id).await.is_none());
        assert_eq!(trial.discard(&[id]).await, [false]);
    }
    assert!(trial.dead_ids(DeadQuery::new()).await.is_empty());
    assert_eq!(trial.stats().await.open(), 3);
}

/// Page by page, nothing is left out and nothing comes twice.
pub async fn pages_cover_every_letter_once_in_the_order_of_death(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue_many(25, Duration::ZERO).await;
    let mut killed = Vec::new();
    for reserved in trial.take_many(25).await.iter().rev() {
        trial.apply(&reserved.lease, bury("no")).await;
        killed.push(reserved.job.id());
    }

    let mut listed = Vec::new();
    let mut query = DeadQuery::new().limit(10);
    loop {
        let page = ok(trial.backend.list_dead(&trial.queue, query.clone()).await);
        assert!(page.letters.is_sorted_by_key(|letter| letter.position));
        assert_eq!(page.newest, Some(trial.letter(killed[24]).await.position));
        listed.extend(page.letters.iter().map(|letter| letter.id()));
        let Some(next) = page.next else { break };
        query = query.after(next);
    }
    assert_eq!(listed, killed);
}

/// What died after the walk began can be left out of it.
pub async fn a_walk_ends_at_the_given_position(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let mut killed = Vec::new();
    for _ in 0..4 {
        killed.push(trial.kill(NewJob::new("x")).await);
    }
    let second = trial.letter(killed[1]).await.position;
    assert_eq!(
        trial.dead_ids(DeadQuery::new().up_to(second)).await,
        killed[..2]
    );
    assert_eq!(
        trial.dead_ids(DeadQuery::new().after(second)).await,
        killed[2..]
    );
    assert!(
        trial
            .dead_ids(DeadQuery::new().after(second).up_to(second))
            .await
            .is_empty()
    );
}

/// Each part of a filter narrows the list, and parts add up.
pub async fn a_filter_keeps_what_it_names(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let kill = async |kind: &'static str, source: &str, reason, error: &str| {
        let id = trial
            .enqueue(NewJob::new("x").kind(kind).source(source))
            .await;
        let failure = failure(error);
        let lease = trial.take().await.lease;
        trial
            .apply(&lease, Settlement::Bury { reason, failure })
            .await;
        id
    };
    let a = kill("paid", "stripe", DeadReason::Exhausted, "card declined").await;
    trial.pass_short().await;
    let b = kill("paid", "github", DeadReason::Permanent, "no such user").await;
    let c = kill("push", "github", DeadReason::Exhausted, "card expired").await;

    let list = async |filter| trial.dead_ids(DeadQuery::new().filter(filter)).await;
    let filter = DeadFilter::default;
    assert_eq!(list(filter()).await, [a, b, c]);
    assert_eq!(list(filter().kind("paid")).await, [a, b]);
    assert_eq!(list(filter().source("github")).await, [b, c]);
    assert_eq!(list(filter().reason(DeadReason::Exhausted)).await, [a, c]);
    assert_eq!(list(filter().error_contains("card")).await, [a, c]);
    assert_eq!(list(filter().dead_for(trial.short())).await, [a]);
    let within = trial.short() * 3 / 4;
    assert_eq!(list(filter().died_within(within)).await, [b, c]);
    assert_eq!(list(filter().kind("paid").source("github")).await, [b]);
    assert!(list(filter().kind("pai")).await.is_empty());
}

/// Neighbours in time of death are left alone.
pub async fn a_discard_removes_only_what_it_names(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let mut killed = Vec::new();
    for _ in 0..5 {
        killed.push(trial.kill(NewJob::new("x")).await);
    }
    let named = [killed[3], JobId::generate(), killed[1]];
    assert_eq!(trial.discard(&named).await, [true, false, true]);
    assert_eq!(trial.discard(&named).await, [false; 3]);
    assert_eq!(
        trial.dead_ids(DeadQuery::new()).await,
        [killed[0], killed[2], killed[4]]
    );
    assert!(trial.dead(killed[1]).await.is_none());
}
