//! G2, one job per key: within the window every delivery of a key stands for the same job.

use super::Harness;
use super::trial::{Trial, bury, keyed, ok, retry, set};
use crate::{DedupeKey, Enqueued, NewJob, Settlement};

/// The second delivery is answered with the first one's job and changes nothing.
pub async fn a_duplicate_gets_the_original_id(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let key = DedupeKey::derive("sender", b"1");
    let id = trial.enqueue(NewJob::new("original").dedupe_key(key)).await;
    for _ in 0..3 {
        let duplicate = NewJob::new("other").kind("other").dedupe_key(key);
        assert_eq!(trial.offer(duplicate).await, Ok(Enqueued::Duplicate(id)));
    }
    assert_eq!(&trial.take().await.job.payload()[..], b"original");
    trial.assert_nothing_ready().await;
}

/// Ready, scheduled, leased, put off or failed: the key is held all the same.
pub async fn a_duplicate_finds_the_job_wherever_it_is(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let assert_held = async |id| {
        assert_eq!(trial.offer(keyed("1")).await, Ok(Enqueued::Duplicate(id)));
    };
    let id = trial.enqueue(keyed("1").delay(trial.short())).await;
    assert_held(id).await;
    trial.pass_short().await;
    for next in [
        Settlement::Release,
        Settlement::Snooze {
            after: trial.short(),
        },
        retry(trial.short()),
        Settlement::Complete,
    ] {
        let leased = trial.take().await;
        assert_held(id).await;
        let put_off = matches!(next, Settlement::Snooze { .. } | Settlement::Retry { .. });
        trial.apply(&leased.lease, next).await;
        assert_held(id).await;
        if put_off {
            trial.pass_short().await;
        }
    }
}

/// The sender's retry of a job that failed for good can be told from any other duplicate.
pub async fn a_duplicate_of_a_dead_job_says_so(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.kill(keyed("1")).await;
    let answer = ok(trial.offer(keyed("1")).await);
    assert_eq!(answer, Enqueued::DuplicateOfDead(id));
    trial.assert_nothing_ready().await;
}

/// Duplicates within one batch are found like any other.
pub async fn a_batch_with_one_key_twice_stores_one_job(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let jobs = vec![keyed("k"), keyed("k"), keyed("l")];
    let [first, _, other] = [0, 1, 2].map(|n: usize| jobs[n].data().id());
    let answers = trial.offer_all(jobs).await;
    assert_eq!(
        answers,
        [
            Ok(Enqueued::Accepted(first)),
            Ok(Enqueued::Duplicate(first)),
            Ok(Enqueued::Accepted(other))
        ]
    );
    assert_eq!(trial.take_all().await, [first, other]);
}

/// Sources and ids that look alike are different keys.
pub async fn different_keys_never_meet(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let mut expected = Vec::new();
    for source in ["a", "ab", "b"] {
        let parts = (0..200).map(|n| format!("b{n}"));
        let jobs: Vec<_> = parts
            .map(|part| NewJob::new("x").dedupe_key(DedupeKey::derive(source, part.as_bytes())))
            .collect();
        expected.extend(jobs.iter().map(|job| job.data().id()));
        for answer in trial.offer_all(jobs).await {
            assert!(!ok(answer).is_duplicate());
        }
    }
    assert_eq!(set(trial.take_all().await), set(expected));
}

/// No key is no key: nothing is mistaken for a duplicate.
pub async fn jobs_without_a_key_are_never_duplicates(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let ids = [
        trial.enqueue(NewJob::new("x")).await,
        trial.enqueue(NewJob::new("x")).await,
    ];
    assert_eq!(set(trial.take_all().await), set(ids));
}

/// Completing a job does not reopen its window.
pub async fn the_record_outlives_the_completed_job(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(keyed("1")).await;
    trial.complete(&trial.take().await.lease).await;
    assert_eq!(trial.offer(keyed("1")).await, Ok(Enqueued::Duplicate(id)));
    trial.assert_nothing_ready().await;
}

/// Throwing a dead job away does not reopen its window.
pub async fn the_record_outlives_the_discarded_job(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.kill(keyed("1")).await;
    assert_eq!(trial.discard(&[id]).await, [true]);
    assert_eq!(trial.offer(keyed("1")).await, Ok(Enqueued::Duplicate(id)));
    trial.assert_nothing_ready().await;
}

/// Half-way through the window the key is still held.
pub async fn the_record_lasts_for_the_window(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(keyed("1")).await;
    trial.complete(&trial.take().await.lease).await;
    harness.pass(harness.dedupe_window() / 2).await;
    assert_eq!(trial.offer(keyed("1")).await, Ok(Enqueued::Duplicate(id)));
}

/// The window is counted from the job, so a sender that never stops is heard again.
pub async fn a_duplicate_does_not_renew_the_window(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.enqueue(keyed("1")).await;
    harness.pass(harness.dedupe_window() / 2).await;
    assert_eq!(trial.offer(keyed("1")).await, Ok(Enqueued::Duplicate(id)));
    harness
        .pass(harness.dedupe_window() / 2 + harness.dedupe_slack())
        .await;
    trial.enqueue(keyed("1")).await;
}

/// After the window there are two jobs, and both are run.
pub async fn after_the_window_a_delivery_is_a_new_job_although_the_first_still_waits(
    harness: &impl Harness,
) {
    let trial = Trial::fresh(harness).await;
    let first = trial.enqueue(keyed("1")).await;
    trial.pass_window().await;
    let second = trial.enqueue(keyed("1")).await;
    assert_ne!(first, second);
    assert_eq!(
        trial.offer(keyed("1")).await,
        Ok(Enqueued::Duplicate(second))
    );
    assert_eq!(trial.take_all().await, [first, second]);
}

/// Records expire by the clock, not by traffic, however many there are.
pub async fn an_idle_queue_does_not_answer_from_an_expired_record(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let deliveries = || (0..250).map(|n| keyed(&n.to_string()));
    trial.offer_all(deliveries().collect()).await;
    trial.pass_window().await;
    for job in deliveries().rev() {
        trial.enqueue(job).await;
    }
}

/// A dead letter does not block its key for ever.
pub async fn the_key_of_a_dead_job_is_free_after_the_window(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let dead = trial.kill(keyed("1")).await;
    trial.pass_window().await;
    let id = trial.enqueue(keyed("1")).await;
    let leased = trial.take().await;
    assert_eq!(leased.job.id(), id);
    trial.apply(&leased.lease, bury("again")).await;
    assert_eq!(trial.dead_ids(crate::DeadQuery::new()).await, [dead, id]);
}

/// A job without a key can be sent again for a while after it is done, and is new after that.
pub async fn the_id_of_a_job_without_a_key_is_free_after_its_window(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let job = NewJob::new("x");
    let id = trial.enqueue(job.clone()).await;
    trial.complete(&trial.take().await.lease).await;
    harness.pass(harness.id_window() / 2).await;
    assert_eq!(trial.offer(job.clone()).await, Ok(Enqueued::Accepted(id)));
    trial.assert_nothing_ready().await;
    harness
        .pass(harness.id_window() / 2 + harness.dedupe_slack())
        .await;
    assert_eq!(trial.offer(job).await, Ok(Enqueued::Accepted(id)));
    assert_eq!(trial.take().await.job.id(), id);
}
