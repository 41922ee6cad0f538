//! G4, fenced leases: only the current holder of a job can settle it.

use std::collections::HashSet;
use std::time::Duration;

use super::Harness;
use super::trial::{LONG, Trial, ids, ok, retry, set, settlements};
use crate::{Lease, LeaseState, LeaseToken, NewJob, QueueBackend, Reserve, Settled, Settlement};

/// The token of a lease never comes again, not even for the same job.
pub async fn every_reservation_has_its_own_token(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue(NewJob::new("x")).await;
    let mut tokens = HashSet::new();
    for _ in 0..20 {
        let leased = trial.take().await;
        assert!(tokens.insert(leased.lease.token()));
        trial.apply(&leased.lease, Settlement::Release).await;
    }
}

/// A worker whose lease ran out, and whose job is in other hands, can neither settle nor extend.
pub async fn a_late_worker_changes_nothing(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    for settlement in settlements() {
        let id = trial.enqueue(NewJob::new("x")).await;
        let late = trial.take_shortly().await;
        trial.pass_short().await;
        let current = trial.take().await;
        assert_eq!(current.job.id(), id);
        assert_eq!(
            trial.settle(&late.lease, settlement.clone()).await,
            Settled::LeaseLost
        );
        assert_eq!(trial.extend(&late.lease, LONG).await, LeaseState::Lost);
        let stats = trial.stats().await;
        assert_eq!(
            (stats.leased, stats.open(), stats.dead),
            (1, 1, 0),
            "{settlement:?}"
        );
        trial.complete(&current.lease).await;
    }
}

/// A job can be reserved twice with the same attempt number; the leases differ all the same.
pub async fn a_snoozed_job_does_not_know_its_old_lease(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue(NewJob::new("x")).await;
    let first = trial.take().await;
    trial
        .apply(
            &first.lease,
            Settlement::Snooze {
                after: Duration::ZERO,
            },
        )
        .await;
    let second = trial.take().await;
    assert_eq!(first.job.attempt(), second.job.attempt());
    assert_eq!(
        trial.settle(&first.lease, Settlement::Complete).await,
        Settled::LeaseLost
    );
    assert_eq!(trial.extend(&first.lease, LONG).await, LeaseState::Lost);
    trial.complete(&second.lease).await;
}

/// The fence is the job and the token together.
pub async fn a_token_is_worth_nothing_with_another_job(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue_many(2, Duration::ZERO).await;
    let (a, b) = (trial.take().await.lease, trial.take().await.lease);
    let forged = [
        Lease::new(a.job(), b.token()),
        Lease::new(a.job(), LeaseToken::generate()),
        Lease::new(crate::JobId::generate(), a.token()),
    ];
    for lease in forged {
        for settlement in settlements() {
            assert_eq!(trial.settle(&lease, settlement).await, Settled::LeaseLost);
        }
        assert_eq!(trial.extend(&lease, LONG).await, LeaseState::Lost);
    }
    trial.complete(&a).await;
    trial.complete(&b).await;
}

/// Repeating a settlement whose reply was lost succeeds and has no second effect.
pub async fn a_settlement_sent_again_is_applied_once(harness: &impl Harness) {
    for settlement in settlements() {
        let trial = Trial::fresh(harness).await;
        trial.enqueue(NewJob::new("x")).await;
        let lease = trial.take().await.lease;
        trial.apply(&lease, settlement.clone()).await;
        let stats = trial.stats().await;
        for _ in 0..3 {
            trial.apply(&lease, settlement.clone()).await;
        }
        let again = trial.stats().await;
        assert_eq!(again.totals, stats.totals, "{settlement:?}");
        assert_eq!(
            (again.open(), again.dead),
            (stats.open(), stats.dead),
            "{settlement:?}"
        );
        assert_eq!(trial.extend(&lease, LONG).await, LeaseState::Lost);
    }
}

/// A repeated settlement does not reach the job's next reservation.
pub async fn a_settlement_sent_again_leaves_the_next_lease_alone(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let after = Duration::ZERO;
    for settlement in [
        Settlement::Release,
        Settlement::Snooze { after },
        retry(after),
    ] {
        trial.enqueue(NewJob::new("x")).await;
        let first = trial.take().await;
        trial.apply(&first.lease, settlement.clone()).await;
        let second = trial.take().await;
        trial.apply(&first.lease, settlement).await;
        trial.assert_nothing_ready().await;
        trial.complete(&second.lease).await;
    }
}

/// The first settlement of a lease is the only one.
pub async fn a_settled_lease_takes_no_other_settlement(harness: &impl Harness) {
    for (n, first) in settlements().into_iter().enumerate() {
        for (_, other) in settlements()
            .into_iter()
            .enumerate()
            .filter(|(m, _)| *m != n)
        {
            let trial = Trial::fresh(harness).await;
            trial.enqueue(NewJob::new("x")).await;
            let lease = trial.take().await.lease;
            trial.apply(&lease, first.clone()).await;
            let stats = trial.stats().await;
            let answer = trial.settle(&lease, other.clone()).await;
            assert_eq!(answer, Settled::LeaseLost, "{other:?} after {first:?}");
            let again = trial.stats().await;
            assert_eq!((again.open(), again.dead), (stats.open(), stats.dead));
        }
    }
}

/// As long as nobody else has the job, its worker may be late.
pub async fn a_late_settlement_wins_while_nobody_has_reclaimed(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue(NewJob::new("x")).await;
    let late = trial.take_shortly().await;
    trial.pass_short().await;
    trial.complete(&late.lease).await;
    trial.assert_nothing_ready().await;

    trial.enqueue(NewJob::new("x")).await;
    let late = trial.take_shortly().await;
    trial.pass_short().await;
    assert_eq!(trial.extend(&late.lease, LONG).await, LeaseState::Held);
    trial.assert_nothing_ready().await;
    trial.complete(&late.lease).await;
}

/// Renewal keeps a long job with its worker.
pub async fn an_extended_lease_outlives_its_first_deadline(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue(NewJob::new("x")).await;
    let leased = trial.take_shortly().await;
    assert_eq!(trial.extend(&leased.lease, LONG).await, LeaseState::Held);
    trial.pass_short().await;
    trial.pass_short().await;
    trial.assert_nothing_ready().await;
    trial.complete(&leased.lease).await;
}

/// A renewal for less time than is left changes nothing.
pub async fn extending_never_shortens_a_lease(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue(NewJob::new("x")).await;
    let leased = trial.take().await;
    assert_eq!(
        trial.extend(&leased.lease, Duration::ZERO).await,
        LeaseState::Held
    );
    assert_eq!(
        trial.extend(&leased.lease, trial.short()).await,
        LeaseState::Held
    );
    trial.pass_short().await;
    trial.assert_nothing_ready().await;
    trial.complete(&leased.lease).await;
}

/// Two workers of one name are two workers: the leases of one say nothing about those of the other.
pub async fn a_worker_that_dies_leaves_its_namesake_alone(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let sent = trial.enqueue_many(2, Duration::ZERO).await;
    let request = |lease| Reserve::new(1, lease).worker("worker-1");
    let mut taken = trial.reserve(request(trial.short())).await;
    taken.extend(trial.reserve(request(LONG)).await);
    let [dies, lives] = &taken[..] else {
        panic!("two jobs were stored: {taken:?}")
    };
    assert_eq!(set(ids(&taken)), set(sent));
    trial.pass_short().await;
    let reclaimed = trial.take().await;
    assert_eq!(reclaimed.job.id(), dies.job.id());
    trial.assert_nothing_ready().await;
    trial.complete(&lives.lease).await;
}

/// Each lease of a batch is judged on its own, and the answers keep the order.
pub async fn a_lost_lease_does_not_fail_its_neighbours(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let sent = trial.enqueue_many(3, Duration::ZERO).await;
    let first = trial.take_many(3).await;
    let taken = ids(&first);
    assert_eq!(set(taken.clone()), set(sent));
    trial.complete(&first[1].lease).await;
    let leases: Vec<_> = first.into_iter().map(|reserved| reserved.lease).collect();
    let states = ok(trial.backend.extend(&trial.queue, &leases, LONG).await);
    assert_eq!(
        states,
        [LeaseState::Held, LeaseState::Lost, LeaseState::Held]
    );
    let outcomes: Vec<_> = leases
        .into_iter()
        .map(|lease| (lease, Settlement::Release))
        .collect();
    let settled = ok(trial.backend.settle(&trial.queue, &outcomes).await);
    assert_eq!(
        settled,
        [Settled::Applied, Settled::LeaseLost, Settled::Applied]
    );
    assert_eq!(set(trial.take_all().await), set([taken[0], taken[2]]));
    assert_eq!(trial.stats().await.leased, 2);
}
