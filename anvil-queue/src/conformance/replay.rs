//! G7, replay: a separate, deliberate act that sends a dead job back under its own id.

use std::collections::HashMap;
use std::time::Duration;

use super::Harness;
use super::trial::{LONG, Trial, bury, ids, keyed, ok};
use crate::{
    DeadFilter, DeadLetters, DeadLettersExt, DeadQuery, DeadReason, Enqueued, JobId, NewJob,
    QueueBackend, ReplayOptions, Replayed, Reserve, Settlement,
};

/// A replayed job starts anew, and its past stays visible.
pub async fn a_replayed_job_runs_under_its_id_without_attempts(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(keyed("1")).await;
    let leased = trial.take().await;
    let accepted_at = leased.job.accepted_at();
    trial
        .apply(
            &leased.lease,
            Settlement::Snooze {
                after: Duration::ZERO,
            },
        )
        .await;
    trial.kill_next().await;
    assert_eq!(trial.replay(id).await, Replayed::Ready);
    assert!(trial.dead(id).await.is_none());
    let job = trial.take().await.job;
    assert_eq!(job.id(), id);
    assert_eq!(job.attempt(), 1);
    assert_eq!(job.accepted_at(), accepted_at);
    let counters = job.counters();
    assert_eq!(
        [
            counters.attempts,
            counters.snoozes,
            counters.reclaims,
            counters.replays
        ],
        [0, 1, 0, 1]
    );
}

/// Old work that is sent back does not overtake new work.
pub async fn a_replayed_job_goes_to_the_tail(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let dead = trial.kill(NewJob::new("x")).await;
    let waiting = trial.enqueue(NewJob::new("x")).await;
    assert_eq!(trial.replay(dead).await, Replayed::Ready);
    assert_eq!(trial.take_all().await, [waiting, dead]);
}

/// Replay can be repeated as often as the job dies.
pub async fn a_second_replay_runs_the_job_again(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.kill(keyed("1")).await;
    for replays in 1..=3 {
        assert_eq!(trial.replay(id).await, Replayed::Ready);
        assert_eq!(trial.replay(id).await, Replayed::NotDead);
        let leased = trial.take().await;
        assert_eq!(leased.job.counters().replays, replays);
        trial.assert_nothing_ready().await;
        trial.apply(&leased.lease, bury("again")).await;
    }
}

/// The failure context is that of the runs since the last replay.
pub async fn the_failures_of_a_replayed_job_count_anew(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.kill(NewJob::new("x")).await;
    assert_eq!(trial.replay(id).await, Replayed::Ready);
    trial
        .apply(&trial.take().await.lease, bury("after the replay"))
        .await;
    let failures = trial.letter(id).await.failures;
    assert_eq!(failures.attempts, 1);
    assert_eq!(failures.first, failures.last);
    assert_eq!(failures.last_error(), Some("after the replay"));
}

/// A replay forgives failed attempts but not crashes: the job may still kill its worker.
pub async fn a_replayed_poison_job_still_runs_alone(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let poison = trial.enqueue(NewJob::new("x")).await;
    trial.take_shortly().await;
    trial.pass_short().await;
    assert!(
        trial
            .reserve(Reserve::new(1, LONG).crash_budget(0))
            .await
            .is_empty()
    );
    assert_eq!(trial.letter(poison).await.reason, DeadReason::Poison);
    assert_eq!(trial.replay(poison).await, Replayed::Ready);
    let other = trial.enqueue(NewJob::new("x")).await;
    let first = trial.reserve_up_to(10).await;
    assert_eq!(ids(&first), [poison]);
    assert_eq!(first[0].job.counters().reclaims, 1);
    assert_eq!(ids(&trial.reserve_up_to(10).await), [other]);
}

/// A replay never asks dedupe for permission, and renews the key for its job.
pub async fn a_delivery_after_a_replay_is_still_a_duplicate(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.kill(keyed("1")).await;
    let (window, slack) = (harness.dedupe_window(), harness.dedupe_slack());
    harness.pass(window / 2 + slack).await;
    assert_eq!(trial.replay(id).await, Replayed::Ready);
    assert_eq!(trial.offer(keyed("1")).await, Ok(Enqueued::Duplicate(id)));
    trial.complete(&trial.take().await.lease).await;
    harness.pass(window / 2).await;
    assert_eq!(trial.offer(keyed("1")).await, Ok(Enqueued::Duplicate(id)));
    harness.pass(window / 2 + slack).await;
    trial.enqueue(keyed("1")).await;
}

/// A key that nobody holds any more is the replayed job's again.
pub async fn a_replay_takes_an_expired_key_again(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.kill(keyed("1")).await;
    trial.pass_window().await;
    assert_eq!(trial.replay(id).await, Replayed::Ready);
    assert_eq!(trial.offer(keyed("1")).await, Ok(Enqueued::Duplicate(id)));
    assert_eq!(trial.take_all().await, [id]);
}

/// Where the sender's next delivery has taken the key, a person has to insist.
pub async fn a_superseded_job_stays_dead_unless_forced(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let old = trial.kill(keyed("1")).await;
    trial.pass_window().await;
    let newer = trial.enqueue(keyed("1")).await;
    assert_eq!(trial.replay(old).await, Replayed::Superseded(newer));
    assert!(trial.dead(old).await.is_some());
    assert_eq!(trial.take_all().await, [newer]);

    let forced = ReplayOptions::default().force(true);
    assert_eq!(trial.replay_with(old, forced).await, Replayed::Ready);
    assert_eq!(trial.offer(keyed("1")).await, Ok(Enqueued::Duplicate(old)));
    assert_eq!(trial.take_all().await, [old]);
}

/// Also where the key was claimed long before: a store must not find the older claim first.
pub async fn a_forced_replay_takes_the_key_from_its_holder(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let old = trial.kill(keyed("1")).await;
    trial.pass_window().await;
    trial.enqueue(keyed("1")).await;
    harness.pass(harness.dedupe_window() / 2).await;
    let forced = ReplayOptions::default().force(true);
    assert_eq!(trial.replay_with(old, forced).await, Replayed::Ready);
    assert_eq!(trial.offer(keyed("1")).await, Ok(Enqueued::Duplicate(old)));
}

/// Only a dead job can be replayed; anything else is left where it is.
pub async fn what_is_not_dead_is_not_replayed(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let leased = trial.enqueue(NewJob::new("x")).await;
    trial.take().await;
    let done = trial.enqueue(NewJob::new("x")).await;
    trial.complete(&trial.take().await.lease).await;
    let discarded = trial.kill(NewJob::new("x")).await;
    assert_eq!(trial.discard(&[discarded]).await, [true]);
    let scheduled = trial.enqueue(NewJob::new("x").delay(LONG)).await;
    let ready = trial.enqueue(NewJob::new("x")).await;
    let dead = trial.kill_other(ready).await;

    let ids = [
        leased,
        done,
        discarded,
        scheduled,
        ready,
        JobId::generate(),
        dead,
        dead,
    ];
    let options = ReplayOptions::default().force(true);
    let answers = ok(trial.backend.replay(&trial.queue, &ids, options).await);
    let mut expected = [Replayed::NotDead; 8];
    expected[6] = Replayed::Ready;
    assert_eq!(answers, expected);
    let stats = trial.stats().await;
    assert_eq!(
        [stats.ready, stats.scheduled, stats.leased, stats.dead],
        [2, 1, 1, 0]
    );
}

/// A bulk replay names the newest death it knew of when it began.
pub async fn a_job_that_died_after_the_given_position_is_left_alone(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let first = trial.kill(NewJob::new("x")).await;
    let options = ReplayOptions::default().up_to(trial.letter(first).await.position);
    let second = trial.kill(NewJob::new("x")).await;
    assert_eq!(trial.replay_with(second, options).await, Replayed::NotDead);
    assert_eq!(trial.replay_with(first, options).await, Replayed::Ready);
    trial.kill_next().await;
    // The same job, but it died again since.
    assert_eq!(trial.replay_with(first, options).await, Replayed::NotDead);
    assert_eq!(trial.dead_ids(DeadQuery::new()).await, [second, first]);
}

/// Jobs that die again while a walk goes on are not met a second time, so the walk ends.
pub async fn a_bulk_replay_runs_each_job_once_although_all_die_again(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue_many(100, Duration::ZERO).await;
    let mut runs = HashMap::new();
    kill_all(&trial, &mut HashMap::new()).await;

    let mut query = DeadQuery::new().limit(7);
    loop {
        let page = ok(trial.backend.list_dead(&trial.queue, query.clone()).await);
        query = query.clone().up_to(query.up_to.or(page.newest));
        let ids: Vec<_> = page.letters.iter().map(|letter| letter.id()).collect();
        let options = ReplayOptions::default().up_to(query.up_to);
        for answer in ok(trial.backend.replay(&trial.queue, &ids, options).await) {
            assert_eq!(answer, Replayed::Ready);
        }
        kill_all(&trial, &mut runs).await;
        let Some(next) = page.next else { break };
        query = query.after(next);
    }
    assert_eq!(runs.len(), 100);
    assert!(runs.values().all(|runs| *runs == 1), "{runs:?}");
    assert_eq!(trial.stats().await.dead, 100);

    let everything = DeadFilter::default();
    let report = ok(trial
        .backend
        .replay_matching(&trial.queue, everything, ReplayOptions::default())
        .await);
    assert_eq!(
        (report.replayed, report.superseded, report.gone),
        (100, 0, 0)
    );
    assert_eq!(trial.stats().await.ready, 100);
}

/// What the filter does not name stays dead, on every page.
pub async fn a_bulk_replay_keeps_to_its_filter(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    for _ in 0..2 {
        let batch = (0..250).map(|n| NewJob::new("x").kind(if n % 50 == 0 { "a" } else { "b" }));
        trial.offer_all(batch.collect()).await;
    }
    kill_all(&trial, &mut HashMap::new()).await;
    let filter = DeadFilter::default().kind("a");
    let report = ok(trial
        .backend
        .replay_matching(&trial.queue, filter, ReplayOptions::default())
        .await);
    assert_eq!(report.replayed, 10);
    let stats = trial.stats().await;
    assert_eq!((stats.ready, stats.dead), (10, 490));
}

impl<H: Harness> Trial<'_, H> {
    /// Stores and buries a job while `waiting` is ready and stays so.
    async fn kill_other(&self, waiting: JobId) -> JobId {
        let id = self.enqueue(NewJob::new("x")).await;
        for reserved in self.take_many(2).await {
            let next = if reserved.job.id() == waiting {
                Settlement::Release
            } else {
                bury("no")
            };
            self.apply(&reserved.lease, next).await;
        }
        id
    }
}

/// A handler that always fails, and a policy that never retries.
async fn kill_all<H: Harness>(trial: &Trial<'_, H>, runs: &mut HashMap<JobId, usize>) {
    loop {
        let reserved = trial.reserve_up_to(100).await;
        if reserved.is_empty() {
            return;
        }
        for id in ids(&reserved) {
            *runs.entry(id).or_default() += 1;
        }
        let outcomes: Vec<_> = reserved
            .into_iter()
            .map(|reserved| (reserved.lease, bury("always")))
            .collect();
        ok(trial.backend.settle(&trial.queue, &outcomes).await);
    }
}
