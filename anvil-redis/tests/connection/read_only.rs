//! The server becomes a replica under the connection, as after a failover.

use std::time::Duration;

use anvil_queue::{NewJob, QueueErrorKind, Settlement};
use anvil_redis::RedisBackend;
use anvil_redis_fixture::{Fault, Proxy, Server};

use crate::harness::verbs::Verbs;

/// Both wordings: some servers and proxies put `ERR` in front.
#[tokio::test(flavor = "multi_thread")]
async fn a_demoted_server_is_left_for_the_one_the_address_leads_to() {
    for (from, to) in [("", ""), ("READONLY", "ERR READONLY")] {
        let [old, new] = [Server::start(), Server::start()];
        let proxy = Proxy::start(old.port());
        proxy.rename_errors(from, to);
        let verbs = Verbs::lazy(&proxy.url());
        verbs.assert_works().await;
        let port = new.port().to_string();
        old.command(&["REPLICAOF", "127.0.0.1", &port]);
        let error = verbs.enqueue(NewJob::new("x")).await.unwrap_err();
        // The last attempt may run into the time-out.
        let kinds = [QueueErrorKind::Unavailable, QueueErrorKind::Timeout];
        assert!(kinds.contains(&error.kind()), "{error}");

        // The open connections stay where they are; only a new one leads to the master.
        proxy.retarget(new.port());
        verbs.assert_works().await;
        let written = new.command(&["DBSIZE"]).integer();
        assert!(written > 0, "the new master has it");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_the_master_again_is_used_again() {
    let server = Server::start();
    let verbs = Verbs::lazy(&server.url());
    verbs.accept(NewJob::new("x")).await;
    let held = verbs.take().await;
    // A master that nobody reaches: the data stays.
    server.command(&["REPLICAOF", "127.0.0.1", "1"]);
    verbs.enqueue(NewJob::new("x")).await.unwrap_err();
    server.command(&["REPLICAOF", "NO", "ONE"]);
    verbs
        .settle(&held.lease, Settlement::Complete)
        .await
        .unwrap();
    verbs.assert_works().await;
}

/// Nothing was carried out, so that even a reservation is sent again.
#[tokio::test(flavor = "multi_thread")]
async fn every_verb_is_sent_again_where_the_server_says_that_it_is_none_to_write_to() {
    let server = Server::start();
    let proxy = Proxy::start(server.port());
    let builder = RedisBackend::builder(&proxy.url()).unwrap();
    let verbs = Verbs::of(builder.enqueue_timeout(Duration::from_secs(5)));
    verbs.assert_works().await;
    for text in [
        "READONLY You can't write against a read only replica.",
        "ERR READONLY You can't write against a read only replica.",
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
        "NOREPLICAS Not enough good replicas to write.",
    ] {
        let fail = || proxy.fail("EVALSHA", Fault::Answer(text.to_owned()));
        fail();
        verbs.accept(NewJob::new("x")).await;
        fail();
        let held = verbs.take().await;
        fail();
        verbs.extend(&held.lease).await.unwrap();
        fail();
        verbs
            .settle(&held.lease, Settlement::Complete)
            .await
            .unwrap();
        assert_eq!(proxy.faults_left(), 0);
    }
}
