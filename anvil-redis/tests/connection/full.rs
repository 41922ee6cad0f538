//! Redis has reached `maxmemory`.

use std::time::Duration;

use anvil_queue::{
    Cancelled, Control, DeadLetters, DeadReason, DedupeKey, Enqueued, ErrorText, FailureKind,
    FailureReport, Lease, LeaseState, NewJob, QueueBackend, QueueErrorKind, ReplayOptions,
    Replayed, Settled, Settlement,
};
use anvil_redis_fixture::Server;

use crate::harness::verbs::{LONG, Verbs};

#[tokio::test(flavor = "multi_thread")]
async fn a_full_redis_refuses_new_jobs_and_nothing_else() {
    let server = Server::start();
    let verbs = Verbs::lazy(&server.url());
    for size in [10, 4_096] {
        for _ in 0..7 {
            verbs.accept(NewJob::new(vec![b'p'; size])).await;
        }
    }
    let dead = verbs.take().await;
    settle(&verbs, &dead.lease, bury()).await;
    let held = verbs.reserve(6).await.unwrap();
    fill(&server);

    for (accepted, size) in [(14, 10), (15, 4_096)] {
        let key = DedupeKey::derive("sender", size.to_string().as_bytes());
        let refused = NewJob::new(vec![b'q'; size]).dedupe_key(key);
        let before = server.command(&["DBSIZE"]).integer();
        let error = verbs.enqueue(refused.clone()).await.unwrap_err();
        assert_eq!(error.kind(), QueueErrorKind::Unavailable);
        assert!(error.to_string().contains("memory limit"), "{error}");
        assert_eq!(server.command(&["DBSIZE"]).integer(), before);
        assert_eq!(verbs.stats().await.totals.accepted, accepted);

        empty(&server);
        // No record stayed behind: it is new.
        let id = refused.data().id();
        let other = NewJob::new("q").dedupe_key(key);
        assert_eq!(
            verbs.enqueue(refused).await.unwrap(),
            Enqueued::Accepted(id)
        );
        assert_eq!(verbs.enqueue(other).await.unwrap(), Enqueued::Duplicate(id));
        let cancelled = verbs.backend.cancel(&verbs.queue, &[id]).await;
        assert_eq!(cancelled.unwrap(), [Cancelled::Removed]);
        fill(&server);
    }

    let outcomes = [
        Settlement::Complete,
        Settlement::Release,
        Settlement::Snooze { after: LONG },
        Settlement::Retry {
            after: Duration::ZERO,
            failure: failure(),
        },
        bury(),
    ];
    for (reserved, outcome) in held.iter().zip(outcomes) {
        assert_eq!(
            verbs.extend(&reserved.lease).await.unwrap(),
            LeaseState::Held
        );
        settle(&verbs, &reserved.lease, outcome).await;
    }
    let id = dead.job.id();
    let replayed = verbs
        .backend
        .replay(&verbs.queue, &[id], ReplayOptions::default())
        .await;
    assert_eq!(replayed.unwrap(), [Replayed::Ready]);
    let buried = held[4].job.id();
    let discarded = verbs.backend.discard(&verbs.queue, &[buried]).await;
    assert_eq!(discarded.unwrap(), [true]);
    loop {
        let reserved = verbs.reserve(5).await.unwrap();
        if reserved.is_empty() {
            break;
        }
        for reserved in reserved {
            settle(&verbs, &reserved.lease, Settlement::Complete).await;
        }
    }
    let stats = verbs.stats().await;
    // One was held and is held still, and one was put off.
    assert_eq!((stats.ready, stats.leased, stats.scheduled), (0, 1, 1));

    empty(&server);
    verbs.assert_works().await;
}

/// Both sizes are refused as a whole, with all their neighbours.
#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_refused_as_a_whole_and_leaves_nothing() {
    let server = Server::start();
    let verbs = Verbs::lazy(&server.url());
    verbs.assert_works().await;
    fill(&server);
    let jobs: Vec<_> = [10, 4_096, 20]
        .into_iter()
        .map(|size| {
            let key = DedupeKey::derive("sender", size.to_string().as_bytes());
            NewJob::new(vec![b'q'; size]).dedupe_key(key)
        })
        .collect();
    let before = server.command(&["DBSIZE"]).integer();
    let error = verbs.backend.enqueue(&verbs.queue, jobs.clone()).await;
    assert_eq!(error.unwrap_err().kind(), QueueErrorKind::Unavailable);
    assert_eq!(server.command(&["DBSIZE"]).integer(), before);
    assert_eq!(verbs.stats().await.ready, 0);
    empty(&server);
    let answers = verbs.backend.enqueue(&verbs.queue, jobs.clone()).await;
    for (job, answer) in jobs.iter().zip(answers.unwrap()) {
        assert_eq!(answer.unwrap(), Enqueued::Accepted(job.data().id()));
    }
}

fn fill(server: &Server) {
    server.command(&["CONFIG", "SET", "maxmemory", "1"]);
}

fn empty(server: &Server) {
    server.command(&["CONFIG", "SET", "maxmemory", "0"]);
}

async fn settle(verbs: &Verbs, lease: &Lease, settlement: Settlement) {
    let settled = verbs.settle(lease, settlement).await;
    assert_eq!(settled.unwrap(), Settled::Applied);
}

fn bury() -> Settlement {
    Settlement::Bury {
        reason: DeadReason::Exhausted,
        failure: failure(),
    }
}

fn failure() -> FailureReport {
    FailureReport::new(
        FailureKind::Transient,
        ErrorText::new("no"),
        "worker".into(),
    )
}
