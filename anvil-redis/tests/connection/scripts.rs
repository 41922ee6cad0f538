//! A server that forgot the scripts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anvil_queue::{
    Control, DeadLetters, DeadQuery, DeadReason, ErrorText, FailureKind, FailureReport, LeaseState,
    NewJob, PeekPlace, PeekQuery, QueueBackend, ReplayOptions, Replayed, Settled, Settlement,
};
use anvil_redis_fixture::Server;

use crate::harness::verbs::{Verbs, blocking};

#[tokio::test(flavor = "multi_thread")]
async fn every_verb_works_on_a_server_that_forgot_its_script() {
    let server = Server::start();
    let flush = || drop(server.command(&["SCRIPT", "FLUSH"]));
    let verbs = Verbs::lazy(&server.url());
    let (backend, queue) = (&verbs.backend, &verbs.queue);
    for size in [10, 100_000] {
        flush();
        let id = verbs.accept(NewJob::new(vec![b'p'; size])).await;
        flush();
        let shown = backend.peek(queue, PeekQuery::new(PeekPlace::Ready)).await;
        assert_eq!(shown.unwrap()[0].id(), id);
        flush();
        let reserved = verbs.take().await;
        assert_eq!(reserved.job.data().payload().len(), size);
        flush();
        assert_eq!(
            verbs.extend(&reserved.lease).await.unwrap(),
            LeaseState::Held
        );
        flush();
        let failure = FailureReport::new(
            FailureKind::Permanent,
            ErrorText::new("no"),
            "worker".into(),
        );
        let bury = Settlement::Bury {
            reason: DeadReason::Permanent,
            failure,
        };
        let settled = verbs.settle(&reserved.lease, bury).await.unwrap();
        assert_eq!(settled, Settled::Applied);
        flush();
        let page = backend.list_dead(queue, DeadQuery::new()).await.unwrap();
        assert_eq!(page.letters[0].id(), id);
        flush();
        let replayed = backend.replay(queue, &[id], ReplayOptions::default()).await;
        assert_eq!(replayed.unwrap(), [Replayed::Ready]);
        flush();
        assert_eq!(verbs.stats().await.ready, 1);
        flush();
        backend.wait(queue, Duration::from_secs(5)).await.unwrap();
        flush();
        backend.cancel(queue, &[id]).await.unwrap();
        flush();
        assert_eq!(backend.discard(queue, &[id]).await.unwrap(), [false]);
        assert_eq!(verbs.stats().await.ready, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_forgotten_at_any_moment_lose_nothing() {
    let server = Arc::new(Server::start());
    let verbs = Verbs::lazy(&server.url());
    let stop = Arc::new(AtomicBool::new(false));
    let flushing = {
        let (server, stop) = (Arc::clone(&server), Arc::clone(&stop));
        tokio::spawn(blocking(move || {
            let mut client = server.client().unwrap();
            let mut flushed = 0;
            while !stop.load(Ordering::Relaxed) {
                client.command(&["SCRIPT", "FLUSH"]).unwrap();
                flushed += 1;
            }
            flushed
        }))
    };
    for round in 0..100 {
        let size = [10, 2_049, 50_000][round % 3];
        let payload = vec![u8::try_from(round).unwrap(); size];
        let id = verbs.accept(NewJob::new(payload.clone())).await;
        let reserved = verbs.take().await;
        assert_eq!(reserved.job.id(), id);
        assert_eq!(reserved.job.data().payload()[..], payload[..]);
        assert_eq!(
            verbs.extend(&reserved.lease).await.unwrap(),
            LeaseState::Held
        );
        let settled = verbs.settle(&reserved.lease, Settlement::Complete).await;
        assert_eq!(settled.unwrap(), Settled::Applied);
    }
    stop.store(true, Ordering::Relaxed);
    assert!(flushing.await.unwrap() > 100);
    let stats = verbs.stats().await;
    assert_eq!((stats.ready, stats.leased, stats.dead), (0, 0, 0));
}
