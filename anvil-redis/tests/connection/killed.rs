//! Connections that are killed all the time.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anvil_queue::{NewJob, QueueBackend, Reserve, Settled, Settlement};
use anvil_redis::RedisBackend;
use anvil_redis_fixture::Server;

use crate::harness::verbs::{Verbs, blocking};

/// Enqueues, reservations, settlements, extensions and waits all go on, and each job is done.
#[tokio::test(flavor = "multi_thread")]
async fn everything_goes_on_while_all_connections_are_killed_again_and_again() {
    let server = Arc::new(Server::start());
    let builder = RedisBackend::builder(&server.url()).unwrap();
    let verbs = Arc::new(Verbs::of(builder.enqueue_timeout(Duration::from_secs(10))));
    verbs.assert_works().await;
    let stop = Arc::new(AtomicBool::new(false));
    let killing = {
        let (server, stop) = (Arc::clone(&server), Arc::clone(&stop));
        tokio::spawn(blocking(move || {
            let mut client = server.client().unwrap();
            let mut killed = 0;
            while !stop.load(Ordering::Relaxed) {
                let reply = client.command(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
                killed += reply.unwrap().integer();
                std::thread::sleep(Duration::from_millis(20));
            }
            killed
        }))
    };

    let sending = {
        let verbs = Arc::clone(&verbs);
        tokio::spawn(async move {
            let mut sent = BTreeSet::new();
            for number in 0..JOBS {
                let size = if number % 5 == 0 { 4_096 } else { 10 };
                sent.insert(verbs.accept(NewJob::new(vec![b'p'; size])).await);
                // Spread over some dozens of kills.
                tokio::time::sleep(Duration::from_millis(3)).await;
            }
            sent
        })
    };
    let mut done = BTreeSet::new();
    while done.len() < JOBS {
        let request = Reserve::new(10, Duration::from_millis(500)).crash_budget(1_000);
        // Its reply may be lost; what it took comes back when the lease runs out.
        let Ok(reserved) = verbs.backend.reserve(&verbs.queue, request).await else {
            continue;
        };
        if reserved.is_empty() {
            let waited = verbs.backend.wait(&verbs.queue, Duration::from_millis(500));
            waited.await.unwrap();
        }
        for reserved in reserved {
            verbs.extend(&reserved.lease).await.unwrap();
            let settled = verbs.settle(&reserved.lease, Settlement::Complete).await;
            if settled.unwrap() == Settled::Applied {
                assert!(done.insert(reserved.job.id()), "a job is done twice");
            }
        }
    }
    assert_eq!(sending.await.unwrap(), done);
    stop.store(true, Ordering::Relaxed);
    assert!(killing.await.unwrap() > 20);
    let stats = verbs.stats().await;
    assert_eq!(
        (stats.ready, stats.leased, stats.scheduled, stats.dead),
        (0, 0, 0, 0)
    );
}

const JOBS: usize = 300;
