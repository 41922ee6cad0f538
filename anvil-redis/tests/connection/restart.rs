//! Redis ends and comes back.

use std::sync::Arc;
use std::time::Duration;

use anvil_queue::{NewJob, Settled, Settlement};
use anvil_redis::RedisBackend;
use anvil_redis_fixture::{Client, Fault, Fsync, Proxy, Reply, Server};

use crate::harness::verbs::{Verbs, blocking, until, until_listening};

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_is_survived_and_nothing_is_lost() {
    let mut server = Server::builder().append_only(Fsync::Always).start();
    let verbs = Verbs::lazy(&server.url());
    for _ in 0..3 {
        let leased = verbs.accept(NewJob::new("x")).await;
        let held = verbs.take().await;
        assert_eq!(held.job.id(), leased);
        let ready = verbs.accept(NewJob::new("y")).await;
        server = blocking(move || {
            server.restart();
            server
        })
        .await;
        verbs.extend(&held.lease).await.unwrap();
        let settled = verbs.settle(&held.lease, Settlement::Complete).await;
        assert_eq!(settled.unwrap(), Settled::Applied);
        verbs.accepted_in_time().await;
        let first = verbs.take().await;
        assert_eq!(first.job.id(), ready);
        for lease in [first.lease, verbs.take().await.lease] {
            let settled = verbs.settle(&lease, Settlement::Complete).await;
            assert_eq!(settled.unwrap(), Settled::Applied);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_is_survived_by_its_wake_up() {
    let server = Server::builder().append_only(Fsync::Always).start();
    let verbs = Verbs::lazy(&server.url());
    verbs.assert_works().await;
    let verbs = Arc::new(verbs);
    let waiter = Arc::clone(&verbs);
    let waiter = tokio::spawn(async move { waiter.wait_and_take().await });
    until_listening(&server).await;
    let _server = blocking(move || {
        server.restart();
        server
    })
    .await;
    let id = verbs.accepted_in_time().await;
    let woken = tokio::time::timeout(Duration::from_secs(5), waiter).await;
    let taken = woken.expect("within one time-out of the bell").unwrap();
    assert_eq!(taken.job.id(), id);
}

/// The server answers every verb with `LOADING` while it reads its file.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_loading_is_waited_for() {
    let server = Server::builder()
        .append_only(Fsync::No)
        .config("key-load-delay", "500")
        .config("loading-process-events-interval-bytes", "1024")
        .start();
    let mut client = server.client().unwrap();
    for number in 0..3_000 {
        let key = format!("filler{number}");
        assert!(
            !client
                .command(&["SET", &key, &"x".repeat(64)])
                .unwrap()
                .is_error()
        );
    }
    let builder = RedisBackend::builder(&server.url()).unwrap();
    let verbs = Verbs::of(builder.enqueue_timeout(Duration::from_secs(10)));
    verbs.assert_works().await;

    let port = server.port();
    let restarting = tokio::spawn(blocking(move || {
        server.restart();
        server
    }));
    until("the server is loading", async || is_loading(port)).await;
    verbs.accept(NewJob::new("x")).await;
    assert!(!is_loading(port));
    restarting.await.unwrap();
}

#[tokio::test]
async fn the_word_loading_is_waited_out_by_every_verb() {
    let server = Server::start();
    let proxy = Proxy::start(server.port());
    let verbs = Verbs::lazy(&proxy.url());
    verbs.assert_works().await;
    let loading = || {
        for text in [
            "LOADING Redis is loading the dataset in memory",
            "BUSY Redis is busy running a script",
            "ERR LOADING Redis is loading the dataset in memory",
        ] {
            proxy.fail("EVALSHA", Fault::Answer(text.to_owned()));
        }
    };
    loading();
    verbs.accept(NewJob::new("x")).await;
    loading();
    let held = verbs.take().await;
    loading();
    verbs.extend(&held.lease).await.unwrap();
    loading();
    verbs
        .settle(&held.lease, Settlement::Complete)
        .await
        .unwrap();
    assert_eq!(proxy.faults_left(), 0);
}

fn is_loading(port: u16) -> bool {
    let info =
        Client::connect(port).and_then(|mut client| client.command(&["INFO", "persistence"]));
    matches!(info, Ok(Reply::Bulk(text)) if String::from_utf8_lossy(&text).contains("\r\nloading:1\r\n"))
}
