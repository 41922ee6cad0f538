//! The server has done it, and the reply never comes.

use std::time::Duration;

use anvil_queue::{
    DeadReason, DedupeKey, Enqueued, ErrorText, FailureKind, FailureReport, LeaseState, NewJob,
    QueueBackend, Reserve, Settled, Settlement,
};
use anvil_redis::RedisBackend;
use anvil_redis_fixture::{Fault, Proxy, Server};

use crate::harness::verbs::{LONG, Verbs, until};

fn start() -> (Server, Proxy, Verbs) {
    let server = Server::start();
    let proxy = Proxy::start(server.port());
    let verbs = Verbs::lazy(&proxy.url());
    (server, proxy, verbs)
}

/// Payloads below, at and above the size from which they are kept out of the script.
const SIZES: [usize; 6] = [0, 100, 2_047, 2_048, 2_049, 1 << 20];

fn faults() -> [Fault; 4] {
    [
        Fault::LoseReply,
        Fault::LoseRequest,
        Fault::CutReplyAfter(1),
        Fault::CutReplyAfter(9),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn an_enqueue_is_sent_again_by_itself_and_is_one_job() {
    let (server, proxy, verbs) = start();
    verbs.assert_works().await;
    for size in SIZES {
        for command in ["EVALSHA", "SET"] {
            if command == "SET" && size <= 2_048 {
                continue;
            }
            for fault in faults() {
                proxy.fail(command, fault.clone());
                let payload = vec![b'p'; size];
                let id = verbs.accept(NewJob::new(payload.clone())).await;
                assert_eq!(proxy.faults_left(), 0, "{command} {size} {fault:?}");
                assert_eq!(verbs.stats().await.ready, 1, "{command} {size} {fault:?}");
                let reserved = verbs.take().await;
                assert_eq!(reserved.job.id(), id);
                assert_eq!(reserved.job.data().payload()[..], payload[..]);
                verbs
                    .settle(&reserved.lease, Settlement::Complete)
                    .await
                    .unwrap();
            }
        }
    }
    let kept = server.command(&["KEYS", "*:o:*"]);
    assert!(kept.array().is_empty(), "{kept:?}");
    assert_staged_keys_end(&server);
}

/// The caller was told that it may or may not be stored, and sends the same job again.
#[tokio::test(flavor = "multi_thread")]
async fn a_job_sent_again_by_the_caller_is_one_job() {
    let (server, proxy, _) = start();
    let builder = RedisBackend::builder(&proxy.url()).unwrap();
    let verbs = Verbs::of(builder.enqueue_timeout(Duration::from_secs(1)));
    verbs.assert_works().await;
    for size in [100, 2_048, 2_049, 1 << 20] {
        let job = NewJob::new(vec![b'p'; size]);
        proxy.delay_replies(too_late(size));
        verbs.enqueue(job.clone()).await.unwrap_err();
        proxy.delay_replies(Duration::ZERO);
        let id = job.data().id();
        for _ in 0..2 {
            let answer = verbs.enqueue(job.clone()).await.unwrap();
            assert_eq!(answer, Enqueued::Accepted(id), "{size}");
        }
        assert_eq!(verbs.stats().await.ready, 1, "{size}");
        let reserved = verbs.take().await;
        assert_eq!(reserved.job.data().payload().len(), size);
        verbs
            .settle(&reserved.lease, Settlement::Complete)
            .await
            .unwrap();
    }
    assert_staged_keys_end(&server);
}

/// With an id of its own and the same key, as a sender's retry has.
#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_sent_again_after_a_lost_reply_gets_the_first_id() {
    let (_server, proxy, _) = start();
    let builder = RedisBackend::builder(&proxy.url()).unwrap();
    let verbs = Verbs::of(builder.enqueue_timeout(Duration::from_secs(1)));
    verbs.assert_works().await;
    for size in [100, 2_048, 2_049, 1 << 20] {
        let key = DedupeKey::derive("sender", size.to_string().as_bytes());
        let job = || NewJob::new(vec![b'p'; size]).dedupe_key(key);
        let first = job();
        let id = first.data().id();
        proxy.delay_replies(too_late(size));
        verbs.enqueue(first).await.unwrap_err();
        proxy.delay_replies(Duration::ZERO);
        let answer = verbs.enqueue(job()).await.unwrap();
        assert_eq!(answer, Enqueued::Duplicate(id), "{size}");
        let reserved = verbs.take().await;
        assert_eq!(reserved.job.id(), id);
        assert_eq!(reserved.job.data().payload().len(), size);
        assert_eq!(verbs.stats().await.ready, 0, "{size}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_settlement_is_sent_again_and_is_applied_once() {
    let (_server, proxy, verbs) = start();
    let failure = || {
        FailureReport::new(
            FailureKind::Transient,
            ErrorText::new("no"),
            "worker".into(),
        )
    };
    let settlements = [
        Settlement::Complete,
        Settlement::Release,
        Settlement::Snooze { after: LONG },
        Settlement::Retry {
            after: LONG,
            failure: failure(),
        },
        Settlement::Bury {
            reason: DeadReason::Exhausted,
            failure: failure(),
        },
    ];
    // Both are known to the server from here on.
    verbs.assert_works().await;
    for size in [0, 4_096] {
        for settlement in &settlements {
            for fault in faults() {
                let id = verbs.accept(NewJob::new(vec![b'p'; size])).await;
                let reserved = verbs.take().await;
                assert_eq!(reserved.job.id(), id);
                proxy.fail("EVALSHA", fault);
                let settled = verbs.settle(&reserved.lease, settlement.clone()).await;
                assert_eq!(settled.unwrap(), Settled::Applied, "{settlement:?}");
                let again = verbs.settle(&reserved.lease, settlement.clone()).await;
                assert_eq!(again.unwrap(), Settled::Applied, "{settlement:?}");
                if *settlement == Settlement::Release {
                    let lease = verbs.take().await.lease;
                    verbs.settle(&lease, Settlement::Complete).await.unwrap();
                }
            }
        }
    }
    let stats = verbs.stats().await;
    // Two sizes, four faults.
    assert_eq!((stats.scheduled, stats.dead), (16, 8));
    assert_eq!((stats.ready, stats.leased), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_extension_is_sent_again() {
    let (_server, proxy, verbs) = start();
    verbs.accept(NewJob::new("x")).await;
    let lease = verbs.take().await.lease;
    assert_eq!(verbs.extend(&lease).await.unwrap(), LeaseState::Held);
    for fault in faults() {
        proxy.fail("EVALSHA", fault);
        assert_eq!(verbs.extend(&lease).await.unwrap(), LeaseState::Held);
        assert_eq!(proxy.faults_left(), 0);
    }
}

/// Nobody knows which jobs it took: their leases run out.
#[tokio::test(flavor = "multi_thread")]
async fn a_reservation_whose_reply_is_lost_comes_back_when_its_lease_runs_out() {
    let (_server, proxy, verbs) = start();
    verbs.assert_works().await;
    let id = verbs.accept(NewJob::new("x")).await;
    proxy.fail("EVALSHA", Fault::LoseReply);
    let short = Reserve::new(10, Duration::from_millis(100));
    let answer = verbs.backend.reserve(&verbs.queue, short).await;
    assert!(answer.is_err(), "{answer:?}");
    until("the lease runs out", async || {
        let reserved = verbs.reserve(10).await.unwrap();
        reserved.iter().any(|reserved| {
            let counters = reserved.job.counters();
            assert_eq!((counters.reclaims, counters.attempts), (1, 0));
            reserved.job.id() == id
        })
    })
    .await;
}

/// Holds the script's answer back for longer than the caller waits. A large payload has been
/// staged before, within the same time.
fn too_late(size: usize) -> Duration {
    Duration::from_millis(if size > 2_048 { 600 } else { 1_200 })
}

/// What was staged and never claimed is removed by the server.
fn assert_staged_keys_end(server: &Server) {
    for key in server.command(&["KEYS", "*:u:*"]).array() {
        let key = key.text();
        let left = server.command(&["PTTL", key]).integer();
        assert!((0..=60_000).contains(&left), "{key}: {left}");
    }
}
