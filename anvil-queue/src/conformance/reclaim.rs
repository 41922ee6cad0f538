//! G6, reclaims: a lease that runs out is a crash, and a job that crashes its workers is stopped.

use std::time::Duration;

use super::Harness;
use super::trial::{LONG, Trial, ids, retry};
use crate::{DeadReason, NewJob, Reserve, Settlement};

/// A crash never eats an attempt.
pub async fn a_reclaim_counts_a_reclaim_and_no_attempt(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue(NewJob::new("x")).await;
    trial.take_shortly().await;
    trial.pass_short().await;
    let job = trial.take().await.job;
    let counters = job.counters();
    assert_eq!(
        [
            counters.attempts,
            counters.snoozes,
            counters.reclaims,
            counters.replays
        ],
        [0, 0, 1, 0]
    );
    assert_eq!(job.attempt(), 1);
}

/// A crash does not send a job to the end of the line.
pub async fn a_reclaimed_job_returns_to_its_place(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let sent = trial.enqueue_many(3, Duration::ZERO).await;
    trial.take_shortly().await;
    trial.pass_short().await;
    assert_eq!(ids(&trial.reserve_up_to(1).await), sent[..1]);
    assert_eq!(trial.take_all().await, sent[1..]);
}

/// As many crashes as the budget allows, and the next one is the last.
pub async fn a_job_is_poison_above_the_crash_budget_and_not_before(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(NewJob::new("x")).await;
    let request = || Reserve::new(1, trial.short()).crash_budget(2);
    for reclaims in 0..=2 {
        let reserved = trial.reserve(request()).await;
        assert_eq!(ids(&reserved), [id]);
        assert_eq!(reserved[0].job.counters().reclaims, reclaims);
        trial.pass_short().await;
    }
    assert!(trial.reserve(request()).await.is_empty());
    let letter = trial.letter(id).await;
    assert_eq!(letter.reason, DeadReason::Poison);
    assert_eq!((letter.counters.reclaims, letter.counters.attempts), (3, 0));
    assert_eq!(letter.failures.attempts, 0);
}

/// A deploy never eats the crash budget.
pub async fn releases_do_not_eat_the_crash_budget(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue(NewJob::new("x")).await;
    for _ in 0..5 {
        let reserved = trial.reserve(Reserve::new(1, LONG).crash_budget(0)).await;
        trial.apply(&reserved[0].lease, Settlement::Release).await;
    }
    assert_eq!(trial.take().await.job.counters().reclaims, 0);
}

/// A crash at the end does not wipe out what went wrong before.
pub async fn poison_keeps_the_failures_the_job_had(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(NewJob::new("x")).await;
    trial
        .apply(&trial.take().await.lease, retry(Duration::ZERO))
        .await;
    trial.take_shortly().await;
    trial.pass_short().await;
    assert!(
        trial
            .reserve(Reserve::new(1, LONG).crash_budget(0))
            .await
            .is_empty()
    );
    let letter = trial.letter(id).await;
    assert_eq!(letter.reason, DeadReason::Poison);
    assert_eq!(letter.failures.attempts, 1);
    assert_eq!(letter.failures.last_error(), Some("retried"));
}

/// What may have killed a worker takes no neighbours along a second time.
pub async fn a_reclaimed_job_is_answered_alone(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let sent = trial.enqueue_many(6, Duration::ZERO).await;
    let crashed = trial.reserve(Reserve::new(3, trial.short())).await;
    assert_eq!(ids(&crashed), sent[..3]);
    trial.pass_short().await;
    let mut taken = Vec::new();
    while taken.len() < sent.len() {
        let reserved = trial.reserve_up_to(10).await;
        assert!(
            !reserved.is_empty(),
            "{} jobs are missing",
            sent.len() - taken.len()
        );
        let reclaimed = reserved
            .iter()
            .any(|reserved| reserved.job.counters().reclaims > 0);
        assert!(!reclaimed || reserved.len() == 1, "{reserved:?}");
        taken.extend(ids(&reserved));
    }
    assert_eq!(taken, sent);
}

/// A worker that holds one such job asks for no second and gets the others meanwhile.
pub async fn a_reclaimed_job_is_passed_over_where_it_is_not_allowed(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let sent = trial.enqueue_many(4, Duration::ZERO).await;
    trial.reserve(Reserve::new(2, trial.short())).await;
    trial.pass_short().await;
    let request = || Reserve::new(10, LONG).reclaimed(false);
    assert_eq!(ids(&trial.reserve(request()).await), sent[2..]);
    assert!(trial.reserve(request()).await.is_empty());
    assert_eq!(ids(&trial.reserve_up_to(10).await), sent[..1]);
    assert_eq!(ids(&trial.reserve_up_to(10).await), sent[1..2]);
}

/// Once suspected, a job stays so until it is done.
pub async fn a_reclaimed_job_stays_alone_after_a_retry(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(NewJob::new("x")).await;
    trial.take_shortly().await;
    trial.pass_short().await;
    trial
        .apply(&trial.take().await.lease, retry(Duration::ZERO))
        .await;
    let other = trial.enqueue(NewJob::new("x")).await;
    let mut taken = [
        ids(&trial.reserve_up_to(10).await),
        ids(&trial.reserve_up_to(10).await),
    ];
    taken.sort();
    let mut expected = [vec![id], vec![other]];
    expected.sort();
    assert_eq!(taken, expected);
}
