//! The program as a user runs it, with its queue in Redis.

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use anvil_cli::{Cli, Exit, Terminal};
use anvil_redis::RedisBackend;
use anvil_redis_fixture::Server;

fn quickstart(redis: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quickstart"));
    command.args(["--port=0", "--redis", redis]);
    command
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

/// What follows a word at the beginning of a line of output.
fn after<'o>(out: &'o str, word: &str) -> &'o str {
    let found = out.lines().find_map(|line| line.trim().strip_prefix(word));
    found.unwrap_or_else(|| panic!("no {word} in {out}"))
}

/// Runs each command that the program shows; what they write.
async fn run_what_is_shown(out: &str) -> String {
    let url = after(out, "export ANVIL_REDIS=");
    let queue = after(out, "export ANVIL_QUEUE=");
    let backend = RedisBackend::connect(url).await.unwrap();
    let mut written = Vec::new();
    let shown: Vec<_> = out
        .lines()
        .filter_map(|line| line.strip_prefix("   anvil "))
        .collect();
    assert_eq!(shown.len(), 3, "{out}");
    for command in shown {
        let words = ["anvil", "--queue", queue].into_iter();
        let cli = Cli::try_parse_args(words.chain(command.split(' '))).unwrap();
        let mut terminal = Terminal::piped(&mut written, std::io::sink());
        let exit = anvil_cli::run(&cli, Arc::new(backend.clone()), &mut terminal).await;
        assert_eq!(exit, Exit::Done, "anvil {command}");
    }
    String::from_utf8(written).unwrap()
}

#[tokio::test]
async fn the_play_is_right_as_often_as_it_runs_and_what_it_leaves_can_be_looked_at() {
    let server = Server::start();
    for _ in 0..2 {
        let output = quickstart(&server.url()).arg("--once").output().unwrap();
        let (out, err) = texts(&output);
        assert!(output.status.success(), "{out}{err}");
        assert!(out.contains("The accounting is right"), "{out}");
        assert!(out.contains("No worker is left"), "{out}");

        let written = run_what_is_shown(&out).await;
        let dead = after(&out, "anvil dead replay ");
        assert!(written.contains(dead), "{written}");
        assert!(written.contains("bank is closed"), "{written}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_replay_by_command_line_runs_in_the_program_that_serves() {
    let server = Server::start();
    let mut child = quickstart(&server.url())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut out = String::new();
    while !out.ends_with("Ctrl-C ends.\n") {
        out.push_str(&lines.next().unwrap().unwrap());
        out.push('\n');
    }
    run_what_is_shown(&out).await;
    let run = "   worker: run 1 of payout.created succeeded";
    assert!(lines.any(|line| line.unwrap() == run));
    let interrupted = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupted.unwrap().success());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_redis_that_is_not_there_is_an_error_that_names_it() {
    let server = Server::start();
    server.kill();
    let output = quickstart(&server.url()).arg("--once").output().unwrap();
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert_eq!(out, "");
    assert_eq!(err.lines().count(), 1, "{err}");
    let address = format!("127.0.0.1:{}", server.port());
    assert!(
        err.contains(&address) && err.contains("can't be reached"),
        "{err}"
    );
}

#[test]
fn a_redis_that_may_lose_jobs_is_used_with_a_warning() {
    let policy = ("maxmemory-policy", "allkeys-lru");
    let server = Server::builder().config(policy.0, policy.1).start();
    let output = quickstart(&server.url()).arg("--once").output().unwrap();
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{out}{err}");
    for finding in ["allkeys-lru", "appendonly is off"] {
        let warned = |line: &str| line.starts_with("warning: ") && line.contains(finding);
        assert!(err.lines().any(warned), "{err}");
    }
}

#[test]
fn a_password_is_shown_nowhere() {
    let server = Server::builder().password("hidden").start();
    let output = quickstart(&server.url()).arg("--once").output().unwrap();
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{out}{err}");
    assert!(!out.contains("hidden") && !err.contains("hidden"), "{out}");
    assert!(out.contains("the URL you gave"), "{out}");

    let output = quickstart("http://me:hidden@127.0.0.1").output().unwrap();
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert_eq!(out, "");
    assert!(err.contains("redis://") && !err.contains("hidden"), "{err}");
}
