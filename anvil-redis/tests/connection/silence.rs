//! A peer that went away without a word.

use std::time::{Duration, Instant};

use anvil_queue::{NewJob, QueueErrorKind};
use anvil_redis::RedisBackend;
use anvil_redis_fixture::{Proxy, Server};

use crate::harness::verbs::{Verbs, until_listening};

#[tokio::test(flavor = "multi_thread")]
async fn an_enqueue_into_silence_fails_in_its_time_and_the_next_one_works() {
    let server = Server::start();
    let proxy = Proxy::start(server.port());
    let builder = RedisBackend::builder(&proxy.url()).unwrap();
    let verbs = Verbs::of(builder.enqueue_timeout(ENQUEUE_TIMEOUT));
    verbs.assert_works().await;
    proxy.stall();
    for _ in 0..2 {
        let started = Instant::now();
        let error = verbs.enqueue(NewJob::new("x")).await.unwrap_err();
        assert_eq!(error.kind(), QueueErrorKind::Timeout, "{error}");
        assert!(started.elapsed() < 2 * ENQUEUE_TIMEOUT);
    }
    proxy.pass();
    // A new connection, though the old one would work again, too.
    verbs.accept(NewJob::new("x")).await;
}

/// The stalled connection is not waited for: a server that is there again is used.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_connection_is_given_up_for_a_new_one() {
    let server = Server::start();
    let silent = Proxy::start(server.port());
    let front = Proxy::start(silent.port());
    let builder = RedisBackend::builder(&front.url()).unwrap();
    let verbs = Verbs::of(builder.enqueue_timeout(ENQUEUE_TIMEOUT));
    verbs.assert_works().await;
    silent.stall();
    front.retarget(server.port());
    verbs.enqueue(NewJob::new("x")).await.unwrap_err();
    verbs.accept(NewJob::new("y")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_connections_are_an_error_until_they_are_taken_again() {
    let server = Server::start();
    let proxy = Proxy::start(server.port());
    let builder = RedisBackend::builder(&proxy.url()).unwrap();
    let verbs = Verbs::of(builder.enqueue_timeout(ENQUEUE_TIMEOUT));
    verbs.assert_works().await;
    proxy.refuse();
    proxy.cut();
    for _ in 0..3 {
        let started = Instant::now();
        let error = verbs.enqueue(NewJob::new("x")).await.unwrap_err();
        assert_eq!(error.kind(), QueueErrorKind::Unavailable, "{error}");
        assert!(error.to_string().contains("refused"), "{error}");
        assert!(started.elapsed() < 2 * ENQUEUE_TIMEOUT);
    }
    proxy.pass();
    verbs.accepted_in_time().await;
}

/// A waiter notices too, and hears the bell on its next connection.
#[tokio::test(flavor = "multi_thread")]
async fn a_wait_on_a_silent_connection_ends_and_the_next_is_woken() {
    let server = Server::start();
    let proxy = Proxy::start(server.port());
    let verbs = Verbs::lazy(&proxy.url());
    let direct = Verbs::lazy(&server.url());
    verbs.assert_works().await;
    let silence = async {
        until_listening(&server).await;
        proxy.stall();
        let id = direct.accept(NewJob::new("x")).await;
        proxy.pass();
        id
    };
    let (taken, id) = tokio::join!(verbs.wait_and_take(), silence);
    assert_eq!(taken.job.id(), id);
}

const ENQUEUE_TIMEOUT: Duration = Duration::from_millis(500);
