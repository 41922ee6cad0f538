//! A server that speaks TLS: whom it answers, and who trusts it.
#![cfg(feature = "tls")]

use std::fs;
use std::process::Command;

use anvil_redis_fixture::{Proxy, Server};

/// What `redis-cli` prints for a PING over TLS, with the client's certificate or without.
fn ping(server: &Server, port: u16, arguments: &[&str]) -> String {
    let directory = server.directory();
    let (certificate, key) = server.client_pem();
    fs::write(directory.join("trusted.pem"), server.ca_pem()).unwrap();
    fs::write(directory.join("client.pem"), certificate).unwrap();
    fs::write(directory.join("client.key"), key).unwrap();
    let output = Command::new("redis-cli")
        .current_dir(directory)
        .args(["--tls", "-h", "127.0.0.1", "-p", &port.to_string()])
        .args(arguments)
        .arg("PING")
        .output()
        .expect("the package redis-server brings redis-cli");
    let printed = [output.stdout, output.stderr].concat();
    String::from_utf8(printed).unwrap().trim().to_owned()
}

const TRUST: [&str; 2] = ["--cacert", "trusted.pem"];
const SHOW: [&str; 6] = [
    "--cacert",
    "trusted.pem",
    "--cert",
    "client.pem",
    "--key",
    "client.key",
];

#[test]
fn a_client_that_trusts_the_authority_is_answered() {
    let server = Server::builder().tls().start();
    let url = format!("rediss://localhost:{}", server.tls_port());
    assert_eq!(server.tls_url(), url);
    assert_eq!(ping(&server, server.tls_port(), &TRUST), "PONG");
    server.restart();
    assert_eq!(ping(&server, server.tls_port(), &TRUST), "PONG");
}

#[test]
fn a_client_that_trusts_another_authority_goes_away() {
    let server = Server::builder().tls().start();
    let other = Server::builder().tls().start();
    let printed = ping(&other, server.tls_port(), &TRUST);
    assert!(printed.contains("certificate verify failed"), "{printed}");
}

#[test]
fn with_mutual_tls_a_client_has_to_show_its_certificate() {
    let server = Server::builder().mutual_tls().start();
    assert_eq!(ping(&server, server.tls_port(), &SHOW), "PONG");
    let refused = ping(&server, server.tls_port(), &TRUST);
    assert_ne!(refused, "PONG");
}

#[test]
fn a_user_is_let_in_over_tls() {
    let server = Server::builder().user("anvil", "secret").tls().start();
    assert!(
        server
            .tls_url()
            .starts_with("rediss://anvil:secret@localhost:")
    );
    let login = [&TRUST[..], &["--user", "anvil", "--pass", "secret"]].concat();
    assert!(ping(&server, server.tls_port(), &login).contains("PONG"));
    assert!(ping(&server, server.tls_port(), &TRUST).contains("NOAUTH"));
}

#[test]
fn a_proxy_passes_tls_on() {
    let server = Server::builder().tls().start();
    let proxy = Proxy::start(server.tls_port());
    assert_eq!(ping(&server, proxy.port(), &TRUST), "PONG");
}
