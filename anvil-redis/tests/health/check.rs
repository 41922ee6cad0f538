//! Findings about servers that are configured badly.

use std::time::Duration;

use anvil_queue::QueueErrorKind;
use anvil_redis::{Durability, RedisBackend};
use anvil_redis_fixture::{Fsync, Server};

async fn findings(server: &Server) -> Vec<String> {
    let backend = RedisBackend::builder(&server.url()).unwrap().build();
    let health = backend.unwrap().check().await.unwrap();
    assert!(health.version.starts_with(|c: char| c.is_ascii_digit()));
    assert!(health.findings.iter().all(|finding| !finding.fatal));
    let texts = health.findings.iter().map(|finding| finding.text.clone());
    texts.collect()
}

async fn strictly(server: &Server) -> Result<RedisBackend, anvil_queue::QueueError> {
    let builder = RedisBackend::builder(&server.url()).unwrap();
    builder.strict(true).connect().await
}

#[tokio::test]
async fn a_fit_server_has_no_findings_and_passes_strictly() {
    let server = Server::builder().append_only(Fsync::Everysec).start();
    assert!(findings(&server).await.is_empty());
    strictly(&server).await.unwrap();
}

#[tokio::test]
async fn each_fault_is_named_and_refused_strictly() {
    let evicts = Server::builder()
        .append_only(Fsync::Everysec)
        .config("maxmemory-policy", "volatile-lru")
        .start();
    let forgets = Server::start();
    let master = Server::start();
    let follows = format!("127.0.0.1 {}", master.port());
    let replica = Server::builder()
        .append_only(Fsync::Everysec)
        .config("replicaof", &follows)
        .start();
    for (server, says) in [
        (&evicts, ["maxmemory-policy is volatile-lru", "noeviction"]),
        (&forgets, ["appendonly is off", "set appendonly to yes"]),
        (&replica, ["is a replica", "connect to its master"]),
    ] {
        let found = findings(server).await;
        assert_eq!(found.len(), 1, "{found:?}");
        let error = strictly(server).await.unwrap_err();
        assert_eq!(error.kind(), QueueErrorKind::Rejected);
        for word in says {
            assert!(found[0].contains(word), "{found:?}");
            assert!(error.to_string().contains(word), "{error}");
        }
        let lenient = RedisBackend::connect(&server.url()).await;
        lenient.expect("a warning is no refusal");
    }
}

/// On Redis 7.0, that is; a newer one has it.
#[tokio::test]
async fn a_server_without_waitaof_is_refused_where_it_is_asked_for() {
    let server = Server::builder().append_only(Fsync::Everysec).start();
    let durability = Durability::Fsynced {
        replicas: 0,
        within: Duration::from_secs(3),
    };
    let builder = RedisBackend::builder(&server.url()).unwrap();
    let connected = builder.durability(durability).connect().await;
    let has_it = server.command(&["COMMAND", "COUNT"]).integer() > 0
        && !server.command(&["COMMAND", "INFO", "waitaof"]).array()[0]
            .eq(&anvil_redis_fixture::Reply::Nil);
    match connected {
        Ok(_) => assert!(has_it),
        Err(error) => {
            assert!(!has_it, "{error}");
            assert_eq!(error.kind(), QueueErrorKind::Rejected);
            let text = error.to_string();
            assert!(text.contains("WAITAOF") && text.contains("7.2"), "{text}");
        }
    }
}
