//! The program as a user runs it.

use std::io::Read;
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};

fn quickstart(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quickstart"));
    command.args(arguments);
    command
}

fn output(arguments: &[&str]) -> (Output, String, String) {
    let output = quickstart(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    (output, out, err)
}

#[test]
fn once_plays_every_step_and_ends_well_when_the_accounting_is_right() {
    let (output, out, err) = output(&["--once", "--port", "0"]);
    assert!(output.status.success(), "{out}{err}");
    assert_eq!(err, "");
    let answers = |path: &str, answer: &str| {
        out.lines()
            .filter(|line| line.contains(path) && line.contains(answer))
            .count()
    };
    assert_eq!(
        answers("/hooks/github -> 202", "\"replayed\":false"),
        1,
        "{out}"
    );
    assert_eq!(
        answers("/hooks/github -> 202", "\"replayed\":true} (5 answers)"),
        1,
        "{out}"
    );
    assert_eq!(
        answers("/hooks/stripe -> 202", "\"replayed\":false"),
        1,
        "{out}"
    );
    assert_eq!(
        answers("/hooks/stripe -> 202", "\"replayed\":true"),
        1,
        "{out}"
    );
    assert_eq!(answers("/hooks/stripe -> 401", "empty body"), 1, "{out}");
    assert_eq!(answers("/hooks/standard -> 401", "empty body"), 1, "{out}");
    assert_eq!(answers("", "failed: the bank is closed"), 4, "{out}");
    assert_eq!(
        answers("Dead letter", "exhausted after 4 attempts"),
        1,
        "{out}"
    );
    assert_eq!(answers("run 1 of payout.created", "succeeded"), 1, "{out}");
    assert!(out.contains("The accounting is right"), "{out}");
}

#[test]
fn a_taken_port_is_an_error_that_says_so() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (output, out, err) = output(&["--once", "--port", &port]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(out, "");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.contains(&port) && err.contains("taken"), "{err}");
}

#[test]
fn bad_usage_is_told_from_a_bad_outcome() {
    for arguments in [
        &["--twice"][..],
        &["--port"],
        &["--port", "eighty"],
        &["--port=70000"],
        &["--once=yes"],
        &["--redis"],
        &["--redis", "127.0.0.1"],
    ] {
        let (output, out, err) = output(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(out, "", "{arguments:?}");
        assert!(
            err.starts_with("error: ") && err.contains("Usage:"),
            "{err}"
        );
    }
    let (output, out, _) = output(&["--help"]);
    assert!(output.status.success());
    assert!(out.contains("--once"), "{out}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = quickstart(&["--once", "--port=0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut err = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(err, "");
}

#[cfg(unix)]
#[test]
fn without_once_it_serves_until_it_is_interrupted() {
    use std::io::{BufRead, BufReader};

    let mut child = quickstart(&["--port=0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("Ctrl-C ends")));
    let interrupted = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupted.unwrap().success());
    let last = lines.last().unwrap().unwrap();
    assert!(
        last.starts_with("Stopped.") && last.ends_with(" 0 abandoned."),
        "{last}"
    );
    assert!(child.wait().unwrap().success());
}
