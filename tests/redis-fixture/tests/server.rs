//! One server: what it keeps, what it loses, and that nothing of it is left.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use std::{env, thread};

use anvil_redis_fixture::{Client, Fsync, Reply, Server, until};

const LIMIT: Duration = Duration::from_secs(10);

#[test]
fn a_killed_server_with_an_append_only_file_keeps_what_it_acknowledged() {
    let server = Server::builder().append_only(Fsync::Always).start();
    for round in 1..=5 {
        for _ in 0..50 {
            server.command(&["INCR", "acknowledged"]);
        }
        server.kill();
        server.restart();
        let kept = server.command(&["GET", "acknowledged"]);
        assert_eq!(kept.text(), (50 * round).to_string());
    }
}

#[test]
fn a_killed_server_without_one_comes_back_empty_on_the_same_port() {
    let server = Server::start();
    let (url, pid) = (server.url(), server.pid());
    server.command(&["SET", "key", "value"]);
    server.kill();
    assert!(server.try_command(&["PING"]).is_err());
    server.restart();
    assert_eq!(server.command(&["GET", "key"]), Reply::Nil);
    assert_eq!(server.url(), url);
    assert_ne!(server.pid(), pid);
}

#[test]
fn a_stopped_server_has_written_everything() {
    let server = Server::builder().append_only(Fsync::No).start();
    server.command(&["SET", "key", "value"]);
    server.stop();
    assert!(server.try_command(&["PING"]).is_err());
    server.restart();
    assert_eq!(server.command(&["GET", "key"]).text(), "value");
}

#[test]
fn a_paused_server_takes_connections_and_answers_when_it_goes_on() {
    let server = Server::start();
    server.pause();
    let mut client = Client::connect(server.port()).unwrap();
    client.send(&["PING"]).unwrap();
    thread::scope(|scope| {
        let reply = scope.spawn(|| client.receive());
        let stopped = || stat(server.pid()).contains(" T ").then_some(());
        until("the process is stopped", LIMIT, stopped);
        assert!(!reply.is_finished());
        server.resume();
        let reply = reply.join().unwrap().unwrap();
        assert_eq!(reply, Reply::Status("PONG".into()));
    });
}

#[test]
fn a_full_server_refuses_writes() {
    let server = Server::builder().max_memory(1).start();
    let reply = server.try_command(&["SET", "key", "value"]).unwrap();
    assert!(reply.text().starts_with("OOM "), "{reply:?}");
}

#[test]
fn a_password_lets_in_only_who_knows_it() {
    let server = Server::builder().password("s3 \"cret\\").start();
    assert_eq!(
        server.url(),
        format!("redis://:s3%20%22cret%5C@127.0.0.1:{}", server.port())
    );
    assert_eq!(server.command(&["PING"]).text(), "PONG");
    let mut stranger = Client::connect(server.port()).unwrap();
    let refused = stranger.command(&["PING"]).unwrap();
    assert!(refused.text().starts_with("NOAUTH "), "{refused:?}");
}

#[test]
fn a_user_is_the_only_one_let_in() {
    let server = Server::builder().user("anvil", "p@ss").start();
    assert!(server.url().starts_with("redis://anvil:p%40ss@127.0.0.1:"));
    assert_eq!(server.command(&["ACL", "WHOAMI"]).text(), "anvil");
    let mut stranger = Client::connect(server.port()).unwrap();
    let refused = stranger.command(&["AUTH", "default", ""]).unwrap();
    assert!(refused.is_error(), "{refused:?}");
}

#[test]
fn many_servers_at_once_have_ports_of_their_own() {
    let servers: Vec<_> = thread::scope(|scope| {
        let starts: Vec<_> = (0..8).map(|_| scope.spawn(Server::start)).collect();
        starts
            .into_iter()
            .map(|start| start.join().unwrap())
            .collect()
    });
    let mut ports: Vec<_> = servers.iter().map(Server::port).collect();
    ports.sort_unstable();
    ports.dedup();
    assert_eq!(ports.len(), servers.len());
    for (number, server) in servers.iter().enumerate() {
        server.command(&["SET", "number", &number.to_string()]);
    }
    for (number, server) in servers.iter().enumerate() {
        assert_eq!(
            server.command(&["GET", "number"]).text(),
            number.to_string()
        );
    }
}

#[test]
fn a_server_outlives_the_thread_that_started_it() {
    let server = thread::spawn(Server::start).join().unwrap();
    let pid = server.pid();
    assert_eq!(server.command(&["PING"]).text(), "PONG");
    assert_eq!(server.pid(), pid);
}

#[test]
fn a_setting_the_server_refuses_is_reported_with_its_log() {
    let builder = Server::builder().config("no-such-setting", "1");
    let panic = thread::spawn(|| builder.start()).join().unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("no-such-setting"), "{message}");
}

#[test]
fn a_dropped_server_leaves_no_process_and_no_directory() {
    let server = Server::start();
    let (pid, directory) = (server.pid(), server.directory().to_owned());
    assert!(directory.is_dir());
    drop(server);
    assert!(!is_alive(pid));
    assert!(!directory.exists());
}

/// The test runs itself as the process that is killed.
#[test]
fn a_server_dies_with_the_process_that_was_killed() {
    let name = "a_server_dies_with_the_process_that_was_killed";
    if let Ok(report) = env::var(REPORT) {
        let server = Server::start();
        fs::write(format!("{report}.new"), server.pid().to_string()).unwrap();
        fs::rename(format!("{report}.new"), report).unwrap();
        loop {
            thread::park();
        }
    }
    let report = env::temp_dir().join(format!("anvil-redis-report-{}", std::process::id()));
    let mut victim = Command::new(env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(REPORT, &report)
        .spawn()
        .unwrap();
    let pid = until("the other process has a server", LIMIT, || read(&report));
    fs::remove_file(&report).unwrap();
    assert!(is_alive(pid));
    victim.kill().unwrap();
    victim.wait().unwrap();
    until("its server is gone", LIMIT, || {
        (!is_alive(pid)).then_some(())
    });
}

const REPORT: &str = "ANVIL_REDIS_FIXTURE_REPORT";

fn read(report: &Path) -> Option<u32> {
    fs::read_to_string(report).ok()?.parse().ok()
}

/// Whether the process is there; one that has ended and is not waited for yet is not.
fn is_alive(pid: u32) -> bool {
    let stat = stat(pid);
    !stat.is_empty() && !stat.contains(" Z ")
}

/// The line of the kernel about a process, empty where there is none.
fn stat(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default()
}
