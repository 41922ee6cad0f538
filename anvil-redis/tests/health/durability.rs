//! Waiting for replicas before a job counts as stored.

use std::time::{Duration, Instant};

use anvil_queue::{DedupeKey, Enqueued, NewJob, QueueBackend, QueueErrorKind};
use anvil_redis::{Durability, RedisBackend};
use anvil_redis_fixture::{Server, until};

use crate::harness::verbs::{PATIENCE, Verbs};

/// A master with one replica in sync, and a backend that waits for it.
fn start() -> ([Server; 2], Verbs) {
    let master = Server::builder()
        .config("repl-diskless-sync-delay", "0")
        .config("repl-ping-replica-period", "1")
        .start();
    let follows = format!("127.0.0.1 {}", master.port());
    let replica = Server::builder().config("replicaof", &follows).start();
    // The first write may have come with the snapshot, which counts as confirmed; the replica may be
    // up to a second away from hearing of what is written after it.
    until("the replica confirms", PATIENCE, || {
        let mut client = master.client().ok()?;
        for _ in 0..2 {
            client.command(&["SET", "probe", ""]).ok()?;
            let confirmed = client.command(&["WAIT", "1", "100"]).ok()?;
            (confirmed.integer() == 1).then_some(())?;
        }
        Some(())
    });
    let builder = RedisBackend::builder(&master.url()).unwrap();
    let verbs = Verbs::of(builder.durability(Durability::Replicated {
        replicas: 1,
        within: WITHIN,
    }));
    ([master, replica], verbs)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_is_there_confirms() {
    let ([_master, replica], verbs) = start();
    for size in [10, 4_096] {
        verbs.accept(NewJob::new(vec![b'p'; size])).await;
    }
    assert!(replica.command(&["EXISTS", "anvil:{hooks}:b"]).integer() == 1);
    let bodies = replica.command(&["HLEN", "anvil:{hooks}:b"]).integer();
    assert_eq!(bodies, 2, "the replica has what was confirmed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_is_away_is_a_timeout_and_the_job_sent_again_is_the_same() {
    let ([_master, replica], verbs) = start();
    verbs.accept(NewJob::new("x")).await;
    replica.pause();
    for size in [10, 4_096] {
        let job = NewJob::new(vec![b'p'; size]);
        let id = job.data().id();
        let started = Instant::now();
        let error = verbs.enqueue(job.clone()).await.unwrap_err();
        assert_eq!(error.kind(), QueueErrorKind::Timeout, "{error}");
        assert!(error.to_string().contains("did not confirm"), "{error}");
        assert!(started.elapsed() >= WITHIN);
        assert!(started.elapsed() < WITHIN + Duration::from_secs(1));

        replica.resume();
        let again = verbs.enqueue(job).await.unwrap();
        assert_eq!(again, Enqueued::Accepted(id));
        replica.pause();
    }
    assert_eq!(verbs.stats().await.ready, 3);
    replica.resume();
}

/// Their first copies may be what is not confirmed yet.
#[tokio::test(flavor = "multi_thread")]
async fn a_batch_of_duplicates_only_is_confirmed_as_well() {
    let ([_master, replica], verbs) = start();
    let key = |number: u8| DedupeKey::derive("sender", &[number]);
    let jobs = || -> Vec<_> {
        (0..3)
            .map(|n| NewJob::new("x").dedupe_key(key(n)))
            .collect()
    };
    let first = verbs.backend.enqueue(&verbs.queue, jobs()).await.unwrap();
    replica.pause();
    let error = verbs.backend.enqueue(&verbs.queue, jobs()).await;
    assert_eq!(error.unwrap_err().kind(), QueueErrorKind::Timeout);
    replica.resume();
    let again = verbs.backend.enqueue(&verbs.queue, jobs()).await.unwrap();
    for (first, again) in first.into_iter().zip(again) {
        assert_eq!(again.unwrap(), Enqueued::Duplicate(first.unwrap().id()));
    }
}

/// The connection that waits is one of its own.
#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_a_replica_holds_up_no_other_verb() {
    let ([_master, replica], verbs) = start();
    verbs.accept(NewJob::new("x")).await;
    replica.pause();
    let others = async {
        // While the first enqueue waits.
        let started = Instant::now();
        for _ in 0..10 {
            verbs.stats().await;
        }
        assert!(started.elapsed() < WITHIN / 2);
        assert_eq!(verbs.reserve(1).await.unwrap().len(), 1);
    };
    let (refused, ()) = tokio::join!(verbs.enqueue(NewJob::new("y")), others);
    refused.unwrap_err();
    replica.resume();
}

const WITHIN: Duration = Duration::from_secs(2);
