//! G1, durable first: an accepted job is stored, and sending it again is safe.

use super::Harness;
use super::trial::{Trial, bury, ids, keyed, ok};
use crate::{
    Counters, DeadLetters, Enqueued, JobId, NewJob, QueueBackend, ReplayOptions, Settlement,
};

/// What was stored is what a worker gets.
pub async fn an_accepted_job_can_be_reserved(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let job = keyed("1").kind("invoice.paid");
    let key = job.data().dedupe_key();
    let id = trial.enqueue(job).await;
    let reserved = trial.take().await;
    assert_eq!(reserved.lease.job(), id);
    let job = reserved.job;
    assert_eq!(job.id(), id);
    assert_eq!(job.kind(), "invoice.paid");
    assert_eq!(job.source(), "sender");
    assert_eq!(&job.payload()[..], b"x");
    assert_eq!(job.data().dedupe_key(), key);
    assert_eq!(job.counters(), Counters::default());
    assert_eq!(job.attempt(), 1);
}

/// The answers of a batch stand in the order of its jobs.
pub async fn a_batch_is_answered_in_its_order(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let jobs: Vec<_> = (0..50).map(|n| keyed(&n.to_string())).collect();
    let sent: Vec<_> = jobs
        .iter()
        .map(|job| Ok(Enqueued::Accepted(job.data().id())))
        .collect();
    assert_eq!(trial.offer_all(jobs).await, sent);
}

/// Every batch verb takes an empty batch.
pub async fn an_empty_batch_is_answered_with_nothing(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let (backend, queue) = (&trial.backend, &trial.queue);
    assert!(trial.offer_all(Vec::new()).await.is_empty());
    assert!(ok(backend.settle(queue, &[]).await).is_empty());
    assert!(ok(backend.extend(queue, &[], trial.short()).await).is_empty());
    assert!(ok(backend.replay(queue, &[], ReplayOptions::default()).await).is_empty());
    assert!(ok(backend.discard(queue, &[]).await).is_empty());
}

/// A caller that lost the reply sends the same job again and learns that it is there.
pub async fn the_same_job_sent_again_is_accepted_and_touches_nothing(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    for job in [keyed("1"), NewJob::new("x")] {
        let id = trial.enqueue(job.clone()).await;
        let stats = trial.stats().await;
        for _ in 0..3 {
            assert_eq!(trial.offer(job.clone()).await, Ok(Enqueued::Accepted(id)));
        }
        assert_eq!(
            trial.offer_all(vec![job; 2]).await,
            [Ok(Enqueued::Accepted(id)); 2]
        );
        assert_eq!(trial.stats().await.ready, stats.ready);
        assert_eq!(trial.take_all().await, [id]);
    }
}

/// A job that is running is not made ready a second time.
pub async fn sent_again_while_leased_a_job_is_accepted_and_not_ready_twice(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    for job in [keyed("1"), NewJob::new("x")] {
        let id = trial.enqueue(job.clone()).await;
        let leased = trial.take().await;
        assert_eq!(trial.offer(job).await, Ok(Enqueued::Accepted(id)));
        trial.assert_nothing_ready().await;
        trial.complete(&leased.lease).await;
    }
}

/// A job that is done is not done again.
pub async fn sent_again_after_completion_a_job_is_accepted_and_not_run_again(
    harness: &impl Harness,
) {
    let trial = Trial::fresh(harness).await;
    for job in [keyed("1"), NewJob::new("x")] {
        let id = trial.enqueue(job.clone()).await;
        trial.complete(&trial.take().await.lease).await;
        assert_eq!(trial.offer(job).await, Ok(Enqueued::Accepted(id)));
        trial.assert_nothing_ready().await;
    }
}

/// A dead letter is a dead end for its sender as well.
pub async fn sent_again_while_dead_a_job_is_accepted_and_stays_dead(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    for job in [keyed("1"), NewJob::new("x")] {
        let id = trial.kill(job.clone()).await;
        assert_eq!(trial.offer(job).await, Ok(Enqueued::Accepted(id)));
        trial.assert_nothing_ready().await;
        assert!(trial.dead(id).await.is_some());
    }
}

/// One backend holds several queues, and nothing crosses from one to another.
pub async fn queues_share_neither_jobs_nor_keys(harness: &impl Harness) {
    let first = Trial::fresh(harness).await;
    let second = first.queue("conformance-2");
    let id: JobId = first.enqueue(keyed("1")).await;
    second.assert_nothing_ready().await;
    let other = second.enqueue(keyed("1")).await;
    assert_ne!(id, other);

    let leased = first.take().await;
    assert_eq!(ids(&[second.take().await]), [other]);
    first.apply(&leased.lease, bury("only here")).await;
    assert!(first.dead(id).await.is_some());
    assert!(second.dead(id).await.is_none());
    assert_eq!(second.discard(&[id]).await, [false]);
    assert_eq!(first.stats().await.dead, 1);
    assert_eq!(second.stats().await.dead, 0);

    // The lease of one queue is no lease in another, even for the same id.
    let shared = NewJob::new("x").id(JobId::generate());
    first.enqueue(shared.clone()).await;
    second.enqueue(shared).await;
    let (here, there) = (first.take().await.lease, second.take().await.lease);
    assert_eq!(
        second.settle(&here, Settlement::Complete).await,
        crate::Settled::LeaseLost
    );
    second.complete(&there).await;
    first.complete(&here).await;
}
