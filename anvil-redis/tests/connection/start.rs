//! Starting while there is no Redis.

use std::time::{Duration, Instant};

use anvil_queue::{NewJob, QueueErrorKind};
use anvil_redis::RedisBackend;
use anvil_redis_fixture::Server;

use crate::harness::verbs::{Verbs, blocking};

#[tokio::test(flavor = "multi_thread")]
async fn a_process_starts_without_redis_and_works_when_it_comes_up() {
    let server = Server::start();
    server.kill();
    let verbs = Verbs::lazy(&server.url());
    let error = verbs.enqueue(NewJob::new("x")).await.unwrap_err();
    assert_eq!(error.kind(), QueueErrorKind::Unavailable, "{error}");
    let _server = blocking(move || {
        server.restart();
        server
    })
    .await;
    verbs.assert_works().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_enqueue_that_began_without_redis_is_stored_when_it_comes_up_in_time() {
    let server = Server::start();
    server.kill();
    let builder = RedisBackend::builder(&server.url()).unwrap();
    let verbs = Verbs::of(builder.enqueue_timeout(Duration::from_secs(10)));
    let (stored, _server) = tokio::join!(
        verbs.accept(NewJob::new("x")),
        blocking(move || {
            server.restart();
            server
        })
    );
    assert_eq!(verbs.take().await.job.id(), stored);
}

#[tokio::test]
async fn an_enqueue_without_redis_fails_within_its_own_time() {
    let server = Server::start();
    server.kill();
    let builder = RedisBackend::builder(&server.url()).unwrap();
    let verbs = Verbs::of(builder.enqueue_timeout(Duration::from_millis(300)));
    for _ in 0..3 {
        let started = Instant::now();
        verbs.enqueue(NewJob::new("x")).await.unwrap_err();
        assert!(started.elapsed() < Duration::from_millis(600));
    }
}
