//! The proxy: what it loses, when, and that it loses nothing else.

use std::io::ErrorKind;
use std::thread;
use std::time::{Duration, Instant};

use anvil_redis_fixture::{Client, Fault, Proxy, Reply, Server, until};

const LIMIT: Duration = Duration::from_secs(10);

fn pair() -> (Server, Proxy, Client) {
    let server = Server::start();
    let proxy = Proxy::start(server.port());
    let client = Client::connect(proxy.port()).unwrap();
    (server, proxy, client)
}

#[test]
fn what_passes_is_unchanged() {
    let (server, _proxy, mut client) = pair();
    let bytes: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    client.command(&[b"SET", &b"key"[..], &bytes]).unwrap();
    assert_eq!(server.command(&["GET", "key"]), Reply::Bulk(bytes.clone()));
    assert_eq!(client.command(&["GET", "key"]).unwrap(), Reply::Bulk(bytes));
    let error = client.command(&["INCR", "key"]).unwrap();
    assert!(error.text().starts_with("ERR value is not an integer"));
}

#[test]
fn pipelined_commands_get_their_replies_in_order() {
    let (_server, _proxy, mut client) = pair();
    for _ in 0..1000 {
        client.send(&["INCR", "key"]).unwrap();
    }
    for number in 1..=1000 {
        assert_eq!(client.receive().unwrap(), Reply::Integer(number));
    }
}

#[test]
fn exactly_one_reply_is_lost_and_its_command_was_carried_out() {
    let (server, proxy, mut client) = pair();
    proxy.fail("incr", Fault::LoseReply);
    assert_eq!(proxy.faults_left(), 1);
    assert_eq!(client.command(&["PING"]).unwrap().text(), "PONG");
    assert!(client.command(&["INCR", "key"]).is_err());
    assert_eq!(proxy.faults_left(), 0);
    assert_eq!(server.command(&["GET", "key"]).text(), "1");

    let mut client = Client::connect(proxy.port()).unwrap();
    assert_eq!(client.command(&["INCR", "key"]).unwrap().integer(), 2);
}

#[test]
fn replies_before_the_lost_one_arrive() {
    let (server, proxy, mut client) = pair();
    proxy.fail("INCR", Fault::LoseReply);
    client.send(&["PING"]).unwrap();
    client.send(&["INCR", "key"]).unwrap();
    client.send(&["INCR", "key"]).unwrap();
    assert_eq!(client.receive().unwrap().text(), "PONG");
    assert!(client.receive().is_err());
    until("the first one was carried out", LIMIT, || {
        (server.command(&["GET", "key"]) != Reply::Nil).then_some(())
    });
}

#[test]
fn a_lost_request_never_reaches_the_server() {
    let (server, proxy, mut client) = pair();
    proxy.fail("*", Fault::LoseRequest);
    assert!(client.command(&["INCR", "key"]).is_err());
    assert_eq!(server.command(&["GET", "key"]), Reply::Nil);
}

#[test]
fn a_reply_can_be_cut_in_the_middle() {
    let (server, proxy, mut client) = pair();
    server.command(&["SET", "key", "a long value"]);
    proxy.fail("GET", Fault::CutReplyAfter(9));
    let error = client.command(&["GET", "key"]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
}

#[test]
fn an_answer_of_the_proxy_keeps_its_place_and_stands_for_the_command() {
    let (server, proxy, mut client) = pair();
    proxy.fail("INCR", Fault::Answer("LOADING wait".into()));
    for command in [&["PING"][..], &["INCR", "key"], &["INCR", "key"]] {
        client.send(command).unwrap();
    }
    assert_eq!(client.receive().unwrap().text(), "PONG");
    let error = Reply::Error("LOADING wait".into());
    assert_eq!(client.receive().unwrap(), error);
    assert_eq!(client.receive().unwrap().integer(), 1);
    assert_eq!(server.command(&["GET", "key"]).text(), "1");
}

#[test]
fn errors_can_be_renamed() {
    let (server, proxy, mut client) = pair();
    server.command(&["REPLICAOF", "127.0.0.1", "1"]);
    proxy.rename_errors("READONLY", "ERR READONLY");
    let error = client.command(&["SET", "key", "value"]).unwrap();
    assert!(error.text().starts_with("ERR READONLY You can't write"));
    proxy.rename_errors("", "");
    let error = client.command(&["SET", "key", "value"]).unwrap();
    assert!(error.text().starts_with("READONLY You can't write"));
}

#[test]
fn a_refusing_proxy_leaves_open_connections_alone() {
    let (_server, proxy, mut client) = pair();
    client.command(&["PING"]).unwrap();
    proxy.refuse();
    let refused = Client::connect(proxy.port()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    assert_eq!(client.command(&["PING"]).unwrap().text(), "PONG");
    proxy.pass();
    let mut second = Client::connect(proxy.port()).unwrap();
    assert_eq!(second.command(&["PING"]).unwrap().text(), "PONG");
}

#[test]
fn a_cut_closes_what_is_open_and_nothing_else() {
    let (_server, proxy, mut client) = pair();
    client.command(&["PING"]).unwrap();
    assert_eq!(proxy.connections(), 1);
    proxy.cut();
    assert!(client.command(&["PING"]).is_err());
    assert_eq!(proxy.connections(), 0);
    let mut second = Client::connect(proxy.port()).unwrap();
    assert_eq!(second.command(&["PING"]).unwrap().text(), "PONG");
}

#[test]
fn a_stalled_proxy_holds_bytes_back_until_it_passes() {
    let (server, proxy, mut client) = pair();
    client.command(&["PING"]).unwrap();
    proxy.stall();
    let mut second = Client::connect(proxy.port()).unwrap();
    client.send(&["INCR", "key"]).unwrap();
    second.send(&["INCR", "key"]).unwrap();
    // The server has a client for each connection, and neither has sent its command.
    until("the proxy has connected the second", LIMIT, || {
        (proxy.connections() == 2).then_some(())
    });
    assert_eq!(server.command(&["GET", "key"]), Reply::Nil);
    proxy.pass();
    let mut replies = [client, second].map(|mut client| client.receive().unwrap().integer());
    replies.sort_unstable();
    assert_eq!(replies, [1, 2]);
}

#[test]
fn a_connection_that_was_cut_while_stalled_takes_its_commands_along() {
    let (server, proxy, mut client) = pair();
    client.command(&["PING"]).unwrap();
    proxy.stall();
    client.send(&["INCR", "key"]).unwrap();
    proxy.cut();
    assert!(client.receive().is_err());
    proxy.pass();
    let mut second = Client::connect(proxy.port()).unwrap();
    assert_eq!(second.command(&["PING"]).unwrap().text(), "PONG");
    assert_eq!(server.command(&["GET", "key"]), Reply::Nil);
}

#[test]
fn delays_do_not_add_up_over_a_pipeline() {
    let (_server, proxy, mut client) = pair();
    let delay = Duration::from_millis(50);
    proxy.delay_replies(delay);
    let start = Instant::now();
    for _ in 0..200 {
        client.send(&["PING"]).unwrap();
    }
    for _ in 0..200 {
        client.receive().unwrap();
    }
    assert!(start.elapsed() >= delay);
    assert!(start.elapsed() < delay * 100);
}

#[test]
fn a_retargeted_proxy_sends_new_connections_elsewhere() {
    let (first, proxy, mut client) = pair();
    let second = Server::start();
    client.command(&["SET", "key", "first"]).unwrap();
    proxy.retarget(second.port());
    assert_eq!(client.command(&["GET", "key"]).unwrap().text(), "first");
    let mut client = Client::connect(proxy.port()).unwrap();
    assert_eq!(client.command(&["GET", "key"]).unwrap(), Reply::Nil);
    assert_eq!(first.command(&["DBSIZE"]).integer(), 1);
}

#[test]
fn a_client_sees_the_end_of_a_server_that_was_killed() {
    let (server, _proxy, mut client) = pair();
    client.command(&["PING"]).unwrap();
    server.kill();
    assert!(client.command(&["PING"]).is_err());
}

#[test]
fn messages_pass_though_nobody_asked_for_them() {
    let (server, _proxy, mut client) = pair();
    client.command(&["SUBSCRIBE", "news"]).unwrap();
    for number in ["1", "2", "3"] {
        server.command(&["PUBLISH", "news", number]);
        assert_eq!(client.receive().unwrap().array()[2].text(), number);
    }
}

#[test]
fn a_dropped_proxy_closes_its_connections_and_its_port() {
    let (_server, proxy, mut client) = pair();
    client.command(&["PING"]).unwrap();
    let port = proxy.port();
    thread::spawn(move || drop(proxy)).join().unwrap();
    assert!(client.receive().is_err());
    assert!(Client::connect(port).is_err());
}
