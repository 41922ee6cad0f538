//! G9, bounded: no call takes more than it was asked for, and no backlog is too long.

use std::collections::HashSet;
use std::time::Duration;

use super::Harness;
use super::trial::{LONG, Trial, ids, ok};
use crate::{DeadLetters, DeadQuery, NewJob, Reserve};

/// A worker gets no more jobs than it has room for.
pub async fn a_reservation_holds_no_more_jobs_than_asked_for(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue_many(10, Duration::ZERO).await;
    for asked in [1, 3, 5] {
        assert_eq!(trial.reserve_up_to(asked).await.len(), asked);
    }
    assert_eq!(trial.reserve_up_to(5).await.len(), 1);
}

/// A worker gets no more bytes than it has room for, by the weight of the jobs.
pub async fn a_reservation_weighs_no_more_than_asked_for(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let job = || NewJob::new(vec![b'x'; 1_000]);
    let weight = job().data().weight();
    let sent = trial.offer_all((0..7).map(|_| job()).collect()).await;
    let sent: Vec<_> = sent.into_iter().map(|answer| ok(answer).id()).collect();
    let request = || Reserve::new(100, LONG).max_bytes(3 * weight);
    for expected in sent.chunks(3) {
        assert_eq!(ids(&trial.reserve(request()).await), expected);
    }
}

/// A heavy job is not left behind.
pub async fn one_job_is_answered_whatever_it_weighs(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let heavy = trial.enqueue(NewJob::new(vec![b'x'; 100_000])).await;
    let light = trial.enqueue(NewJob::new("x")).await;
    let request = || Reserve::new(10, LONG).max_bytes(1_000);
    assert_eq!(ids(&trial.reserve(request()).await), [heavy]);
    assert_eq!(ids(&trial.reserve(request()).await), [light]);
}

/// A flood of due jobs is worked off in steps, and no step comes back empty-handed.
pub async fn twenty_thousand_jobs_due_at_once_all_come_out(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let delay = FLOOD_TIMES * trial.short();
    let sent: HashSet<_> = trial.enqueue_many(FLOOD, delay).await.into_iter().collect();
    harness.pass(delay).await;
    let taken = trial.take_all().await;
    assert_eq!(taken.len(), FLOOD);
    assert_eq!(taken.into_iter().collect::<HashSet<_>>(), sent);
}

/// A flood of crashed jobs comes back, each once and each alone.
pub async fn twenty_thousand_leases_expired_at_once_all_come_back(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let sent: HashSet<_> = trial
        .enqueue_many(FLOOD, Duration::ZERO)
        .await
        .into_iter()
        .collect();
    let lease = FLOOD_TIMES * trial.short();
    let mut leased = 0;
    while leased < FLOOD {
        leased += trial.reserve(Reserve::new(250, lease)).await.len();
    }
    harness.pass(lease).await;
    let taken = trial.take_all().await;
    assert_eq!(taken.len(), FLOOD);
    assert_eq!(taken.into_iter().collect::<HashSet<_>>(), sent);
    assert_eq!(trial.stats().await.totals.reclaimed, FLOOD as u64);
}

/// However many are dead, a page has its size.
pub async fn a_page_holds_no_more_letters_than_asked_for(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    for _ in 0..5 {
        trial.kill(NewJob::new("x")).await;
    }
    for (asked, answered) in [(0, 1), (2, 2), (usize::MAX, 5)] {
        let mut query = DeadQuery::new();
        query.limit = asked;
        let page = ok(trial.backend.list_dead(&trial.queue, query).await);
        assert_eq!(page.letters.len(), answered);
        assert_eq!(page.next.is_some(), answered < 5);
    }
}

const FLOOD: usize = 20_000;

/// How many short times it takes at most to set a flood up.
const FLOOD_TIMES: u32 = 50;
