//! G3, one place: each accepted job is in exactly one place, and ready jobs have an order.

use super::Harness;
use super::trial::{Trial, bury, ids, keyed, retry};
use crate::{NewJob, QueueStats, Replayed, Reserve, Settled, Settlement};

/// First in, first out, across batches.
pub async fn jobs_are_reserved_in_the_order_they_came(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let mut sent = Vec::new();
    for size in [1, 7, 2] {
        let batch: Vec<_> = (0..size).map(|_| NewJob::new("x")).collect();
        sent.extend(batch.iter().map(|job| job.data().id()));
        trial.offer_all(batch).await;
    }
    let mut taken = ids(&trial.reserve_up_to(4).await);
    taken.extend(trial.take_all().await);
    assert_eq!(taken, sent);
}

/// A job in the hands of a worker is not given to another.
pub async fn a_leased_job_is_not_reserved_twice(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(NewJob::new("x")).await;
    assert_eq!(trial.take_all().await, [id]);
    trial.assert_nothing_ready().await;
}

/// Nothing brings a completed job back, not even its lease running out.
pub async fn a_completed_job_is_gone(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue(NewJob::new("x")).await;
    trial.complete(&trial.take_shortly().await.lease).await;
    trial.pass_short().await;
    trial.assert_nothing_ready().await;
    assert_eq!(trial.stats().await.open(), 0);
}

/// What a worker hands back at shutdown comes before what arrived later, and in its old order.
pub async fn a_released_batch_returns_to_its_place_in_order(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let sent = trial.enqueue_many(6, std::time::Duration::ZERO).await;
    let reserved = trial.reserve_up_to(4).await;
    let late = trial.enqueue(NewJob::new("x")).await;
    for index in [2, 0, 3, 1] {
        trial
            .apply(&reserved[index].lease, Settlement::Release)
            .await;
    }
    assert_eq!(trial.take_all().await, [&sent[..], &[late]].concat());
}

/// Whatever happens to a job, it is counted once.
pub async fn each_job_is_counted_in_exactly_one_place_after_every_step(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let assert_places = async |ready, scheduled, leased, dead| {
        let stats = trial.stats().await;
        assert_eq!(
            [stats.ready, stats.scheduled, stats.leased, stats.dead],
            [ready, scheduled, leased, dead]
        );
    };
    assert_places(0, 0, 0, 0).await;
    let id = trial.enqueue(keyed("1")).await;
    assert_places(1, 0, 0, 0).await;
    assert!(
        trial
            .offer(keyed("1"))
            .await
            .is_ok_and(|answer| answer.is_duplicate())
    );
    assert_places(1, 0, 0, 0).await;

    let leased = trial.take().await;
    assert_places(0, 0, 1, 0).await;
    trial.apply(&leased.lease, Settlement::Release).await;
    assert_places(1, 0, 0, 0).await;
    assert_eq!(
        trial.settle(&leased.lease, Settlement::Complete).await,
        Settled::LeaseLost
    );
    assert_places(1, 0, 0, 0).await;

    for put_off in [
        Settlement::Snooze {
            after: trial.short(),
        },
        retry(trial.short()),
    ] {
        trial.apply(&trial.take().await.lease, put_off).await;
        assert_places(0, 1, 0, 0).await;
        trial.assert_nothing_ready().await;
        assert_places(0, 1, 0, 0).await;
        trial.pass_short().await;
    }
    let lost = trial.take_shortly().await;
    assert_places(0, 0, 1, 0).await;
    trial.pass_short().await;
    let leased = trial.take().await;
    assert_places(0, 0, 1, 0).await;
    assert_eq!(
        trial.settle(&lost.lease, Settlement::Release).await,
        Settled::LeaseLost
    );
    assert_places(0, 0, 1, 0).await;
    trial.apply(&leased.lease, bury("no")).await;
    assert_places(0, 0, 0, 1).await;
    assert_eq!(trial.replay(id).await, Replayed::Ready);
    assert_places(1, 0, 0, 0).await;
    trial.complete(&trial.take().await.lease).await;
    assert_places(0, 0, 0, 0).await;

    let id = trial.kill(NewJob::new("x")).await;
    assert_places(0, 0, 0, 1).await;
    assert_eq!(trial.discard(&[id]).await, [true]);
    assert_places(0, 0, 0, 0).await;
}

/// Jobs that are done or dead have no age any more; replayed ones have their old one.
pub async fn the_oldest_age_is_that_of_the_oldest_open_job(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    assert_eq!(trial.stats().await.oldest_age, None);
    let first = trial.enqueue(NewJob::new("x")).await;
    trial.pass_short().await;
    trial.enqueue(NewJob::new("x")).await;
    assert!(trial.stats().await.oldest_age >= Some(trial.short()));
    trial.kill_next().await;
    let before = trial.stats().await.oldest_age;
    trial.pass_short().await;
    assert!(before.is_some() && trial.stats().await.oldest_age > before);
    trial.complete(&trial.take().await.lease).await;
    assert_eq!(trial.stats().await.oldest_age, None);
    assert_eq!(trial.replay(first).await, Replayed::Ready);
    assert!(trial.stats().await.oldest_age >= Some(2 * trial.short()));
}

/// The counts of a queue tell how often each thing happened.
pub async fn totals_count_each_event_once(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(keyed("1")).await;
    assert!(
        trial
            .offer(keyed("1"))
            .await
            .is_ok_and(|answer| answer.is_duplicate())
    );
    for next in settlements_that_keep_the_job_open() {
        let leased = trial.take().await;
        trial.apply(&leased.lease, next.clone()).await;
        trial.apply(&leased.lease, next).await;
    }
    trial.take_shortly().await;
    trial.pass_short().await;
    let lost = trial
        .reserve(Reserve::new(1, trial.short()).crash_budget(1))
        .await;
    trial.pass_short().await;
    assert!(
        trial
            .reserve(Reserve::new(1, trial.short()).crash_budget(1))
            .await
            .is_empty()
    );
    assert_eq!(
        trial.settle(&lost[0].lease, Settlement::Complete).await,
        Settled::LeaseLost
    );
    assert_eq!(trial.replay(id).await, Replayed::Ready);
    trial.complete(&trial.take().await.lease).await;
    let discarded = trial.kill(NewJob::new("x")).await;
    assert_eq!(trial.discard(&[discarded]).await, [true]);

    let QueueStats { totals, .. } = trial.stats().await;
    assert_eq!(totals.accepted, 2);
    assert_eq!(totals.duplicates, 1);
    assert_eq!(totals.refused, 0);
    assert_eq!(totals.released, 1);
    assert_eq!(totals.snoozed, 1);
    assert_eq!(totals.retried, 1);
    assert_eq!(totals.reclaimed, 2);
    assert_eq!(totals.buried, 2);
    assert_eq!(totals.leases_lost, 1);
    assert_eq!(totals.replayed, 1);
    assert_eq!(totals.completed, 1);
    assert_eq!(totals.discarded, 1);
}

fn settlements_that_keep_the_job_open() -> [Settlement; 3] {
    let after = std::time::Duration::ZERO;
    [
        Settlement::Release,
        Settlement::Snooze { after },
        retry(after),
    ]
}
