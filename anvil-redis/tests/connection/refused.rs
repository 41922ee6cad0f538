//! `connect` fails clearly: with the address, the cause, and never the password.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use anvil_queue::{QueueError, QueueErrorKind};
use anvil_redis::RedisBackend;
use anvil_redis_fixture::Server;

async fn error_of(url: &str) -> QueueError {
    let started = Instant::now();
    let builder = RedisBackend::builder(url).unwrap();
    let error = builder.timeout(TIMEOUT).connect().await.unwrap_err();
    assert!(started.elapsed() < 2 * TIMEOUT, "{:?}", started.elapsed());
    error
}

/// The whole error, its causes included, as a log would have it.
fn in_full(error: &QueueError) -> String {
    format!("{error} {error:?}")
}

fn assert_says(error: &QueueError, port: u16, words: &[&str]) {
    let text = in_full(error);
    let address = format!(":{port}");
    assert!(error.to_string().contains(&address), "{error}");
    for word in words {
        assert!(error.to_string().contains(word), "{word:?} in: {error}");
    }
    assert!(!text.contains("hidden"), "{text}");
}

#[tokio::test]
async fn where_nobody_listens() {
    let server = Server::start();
    server.kill();
    let port = server.port();
    let error = error_of(&format!("redis://me:hidden@127.0.0.1:{port}")).await;
    assert_eq!(error.kind(), QueueErrorKind::Unavailable);
    assert_says(&error, port, &["can't be reached", "refused"]);
}

#[tokio::test]
async fn where_the_host_has_no_address() {
    let error = error_of("redis://me:hidden@no-such-host.invalid:6379").await;
    assert_eq!(error.kind(), QueueErrorKind::Unavailable);
    assert_says(&error, 6379, &["no-such-host.invalid", "can't be reached"]);
}

#[tokio::test]
async fn where_the_password_is_wrong() {
    let server = Server::builder().password("right").start();
    let port = server.port();
    let started = Instant::now();
    for login in [":hidden@", "me:hidden@"] {
        let error = error_of(&format!("redis://{login}127.0.0.1:{port}")).await;
        assert_says(&error, port, &["did not accept the user or the password"]);
    }
    assert!(started.elapsed() < TIMEOUT, "it is not tried again");
}

#[tokio::test]
async fn where_the_password_is_missing() {
    let server = Server::builder().password("hidden").start();
    let port = server.port();
    let error = error_of(&format!("redis://127.0.0.1:{port}")).await;
    assert_eq!(error.kind(), QueueErrorKind::Unavailable);
    assert_says(&error, port, &["password"]);
}

#[tokio::test]
async fn where_the_user_has_no_permission() {
    let server = Server::start();
    let port = server.port();
    server.command(&["ACL", "SETUSER", "me", "on", ">hidden", "~*", "+ping"]);
    let error = error_of(&format!("redis://me:hidden@127.0.0.1:{port}")).await;
    assert_eq!(error.kind(), QueueErrorKind::Unavailable);
    assert_says(&error, port, &["does not let this user", "info"]);
}

#[tokio::test]
async fn where_something_else_listens() {
    let port = answer_with(Some(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
    let error = error_of(&format!("redis://me:hidden@127.0.0.1:{port}")).await;
    assert_eq!(error.kind(), QueueErrorKind::Unavailable);
    assert_says(&error, port, &["can't be reached"]);
}

#[tokio::test]
async fn where_somebody_listens_and_says_nothing() {
    let port = answer_with(None);
    let error = error_of(&format!("redis://me:hidden@127.0.0.1:{port}")).await;
    assert_eq!(error.kind(), QueueErrorKind::Timeout);
    assert_says(&error, port, &["did not answer in time"]);
}

#[cfg(feature = "tls")]
mod tls {
    use super::*;
    use crate::harness::install_crypto;

    #[tokio::test]
    async fn where_tls_meets_a_server_without() {
        install_crypto();
        let server = Server::start();
        let port = server.port();
        let error = error_of(&format!("rediss://me:hidden@127.0.0.1:{port}")).await;
        // Redis takes the greeting for the start of a line and waits for its end.
        assert_eq!(error.kind(), QueueErrorKind::Timeout);
        assert_says(&error, port, &["did not answer in time"]);
    }

    #[tokio::test]
    async fn where_a_server_speaks_tls_only() {
        let server = Server::builder().tls().start();
        let port = server.tls_port();
        let error = error_of(&format!("redis://me:hidden@127.0.0.1:{port}")).await;
        assert_eq!(error.kind(), QueueErrorKind::Unavailable);
        assert_says(&error, port, &["can't be reached"]);
    }

    #[tokio::test]
    async fn where_the_certificate_is_of_an_unknown_authority() {
        install_crypto();
        let server = Server::builder().tls().start();
        let port = server.tls_port();
        let error = error_of(&server.tls_url()).await;
        assert_eq!(error.kind(), QueueErrorKind::Unavailable);
        assert_says(&error, port, &["certificate"]);
    }

    #[tokio::test]
    async fn where_the_server_asks_for_a_certificate_and_gets_none() {
        install_crypto();
        let server = Server::builder().mutual_tls().start();
        let port = server.tls_port();
        let builder = RedisBackend::builder(&server.tls_url()).unwrap();
        let builder = builder.authority(server.ca_pem()).timeout(TIMEOUT);
        let error = builder.connect().await.unwrap_err();
        assert_eq!(error.kind(), QueueErrorKind::Unavailable);
        assert_says(&error, port, &["can't be reached"]);
    }
}

/// A server that is not Redis: it answers each connection so, or never.
fn answer_with(answer: Option<&'static [u8]>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            if let Some(answer) = answer {
                // A client that went away is no fault of this server.
                let _ = stream.read(&mut [0; 1024]);
                let _ = stream.write_all(answer);
            }
            open.push(stream);
        }
    });
    port
}

const TIMEOUT: Duration = Duration::from_secs(1);
