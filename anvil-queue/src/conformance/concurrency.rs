//! Many callers at once, on several threads: G1, G2, G3, G4 and G7 hold all the same.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::task::JoinHandle;

use super::Harness;
use super::trial::{LONG, Trial, ids, keyed, ok, settlements};
use crate::{
    DeadLetters, Enqueued, NewJob, QueueBackend, QueueName, ReplayOptions, Replayed, Reserve,
    Settled,
};

/// 64 copies of one delivery arrive together: one is accepted, and all get its id.
pub async fn many_deliveries_of_one_key_at_once_are_one_job(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    for round in 0..50 {
        let answers = at_once(&trial, 64, move |_, backend, queue| async move {
            ok(backend
                .enqueue(&queue, vec![keyed(&round.to_string())])
                .await)
            .remove(0)
        })
        .await;
        let accepted: Vec<_> = answers
            .iter()
            .filter(|answer| matches!(answer, Ok(Enqueued::Accepted(_))))
            .collect();
        assert_eq!(accepted.len(), 1);
        let ids: HashSet<_> = answers.iter().map(|answer| ok(*answer).id()).collect();
        assert_eq!(ids.len(), 1);
    }
    assert_eq!(trial.take_all().await.len(), 50);
}

/// Nobody is answered with somebody else's job.
pub async fn every_concurrent_caller_gets_its_own_job(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    at_once(&trial, 64, |n, backend, queue| async move {
        for round in 0..10 {
            let job = keyed(&format!("{n}-{round}"));
            let id = job.data().id();
            let answer = ok(backend.enqueue(&queue, vec![job]).await).remove(0);
            assert_eq!(answer, Ok(Enqueued::Accepted(id)));
        }
    })
    .await;
    assert_eq!(
        trial
            .take_all()
            .await
            .into_iter()
            .collect::<HashSet<_>>()
            .len(),
        640
    );
}

/// Workers that reserve together never share a job.
pub async fn each_job_goes_to_one_of_many_workers(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let sent = trial.enqueue_many(1_000, Duration::ZERO).await;
    let taken = at_once(&trial, 16, |n, backend, queue| async move {
        let mut taken = Vec::new();
        loop {
            let reserved = ok(backend.reserve(&queue, Reserve::new(n % 5 + 1, LONG)).await);
            if reserved.is_empty() {
                return taken;
            }
            taken.extend(ids(&reserved));
        }
    })
    .await
    .concat();
    assert_eq!(taken.len(), sent.len());
    assert_eq!(
        taken.into_iter().collect::<HashSet<_>>(),
        sent.into_iter().collect()
    );
}

/// Contradicting settlements of one lease race, and exactly one is applied.
pub async fn one_of_many_settlements_wins(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    for _ in 0..50 {
        let id = trial.enqueue(NewJob::new("x")).await;
        let lease = trial.take().await.lease;
        let answers = at_once(&trial, settlements().len(), move |n, backend, queue| {
            let outcome = (lease.clone(), settlements()[n].clone());
            async move { ok(backend.settle(&queue, &[outcome]).await).remove(0) }
        })
        .await;
        let applied = answers
            .iter()
            .filter(|answer| **answer == Settled::Applied)
            .count();
        assert_eq!(applied, 1);
        // Wherever the winner put it, the next round starts with an empty queue.
        for reserved in trial.reserve_up_to(1).await {
            trial.complete(&reserved.lease).await;
        }
        trial.discard(&[id]).await;
        let stats = trial.stats().await;
        assert_eq!((stats.open(), stats.dead), (0, 0));
    }
}

/// Two people press the same button.
pub async fn two_replays_at_once_run_each_job_once(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let mut killed = Vec::new();
    for _ in 0..50 {
        killed.push(trial.kill(NewJob::new("x")).await);
    }
    let named = Arc::new(killed);
    let answers = at_once(&trial, 2, {
        let named = Arc::clone(&named);
        move |_, backend, queue| {
            let named = Arc::clone(&named);
            async move {
                let mut answers = Vec::new();
                for id in named.iter() {
                    answers.extend(ok(backend
                        .replay(&queue, &[*id], ReplayOptions::default())
                        .await));
                }
                answers
            }
        }
    })
    .await;
    for (one, other) in answers[0].iter().zip(&answers[1]) {
        assert!(matches!(
            (one, other),
            (Replayed::Ready, Replayed::NotDead) | (Replayed::NotDead, Replayed::Ready)
        ));
    }
    let taken = trial.take_all().await;
    assert_eq!(taken.len(), named.len());
    assert_eq!(
        taken.into_iter().collect::<HashSet<_>>(),
        named.iter().copied().collect()
    );
}

/// A burst wakes as many idle workers as there is work for.
pub async fn every_waiting_worker_gets_its_job(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    for _ in 0..20 {
        let workers = spawn(&trial, 8, |_, backend, queue| async move {
            loop {
                let reserved = ok(backend.reserve(&queue, Reserve::new(1, LONG)).await);
                if let Some(reserved) = reserved.into_iter().next() {
                    return reserved.job.id();
                }
                ok(backend.wait(&queue, 2 * LONG).await);
            }
        });
        tokio::task::yield_now().await;
        let sent = trial.enqueue_many(8, Duration::ZERO).await;
        let taken = tokio::time::timeout(LONG, join_all(workers))
            .await
            .expect("a worker sleeps on");
        let taken: HashSet<_> = taken.into_iter().map(ok).collect();
        assert_eq!(taken, sent.into_iter().collect());
    }
}

/// Runs `count` callers, each in a task of its own, and gives their answers in order.
async fn at_once<H, F, T>(
    trial: &Trial<'_, H>,
    count: usize,
    caller: impl Fn(usize, Arc<H::Backend>, QueueName) -> F,
) -> Vec<T>
where
    H: Harness,
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    join_all(spawn(trial, count, caller))
        .await
        .into_iter()
        .map(|joined| joined.expect("a caller panicked"))
        .collect()
}

fn spawn<H, F, T>(
    trial: &Trial<'_, H>,
    count: usize,
    caller: impl Fn(usize, Arc<H::Backend>, QueueName) -> F,
) -> Vec<JoinHandle<T>>
where
    H: Harness,
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    (0..count)
        .map(|n| tokio::spawn(caller(n, Arc::clone(&trial.backend), trial.queue.clone())))
        .collect()
}
