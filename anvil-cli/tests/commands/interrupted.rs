//! Ctrl-C in the middle, and what goes on from there.

use std::sync::Arc;
use std::time::Duration;

use anvil_cli::Exit;
use anvil_queue::{DeadReason, NewJob};

use crate::broken::rest_of;
use crate::{Bench, Ran, anvil_on};

/// Runs a command that is interrupted after this long.
async fn interrupted(bench: &Bench, arguments: &str, after: Duration) -> Ran {
    let store = Arc::clone(&bench.backend) as _;
    anvil_on(store, arguments, |terminal| {
        terminal.interrupted_by(move || Box::pin(tokio::time::sleep(after)))
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_run_stops_between_two_calls_and_says_how_to_go_on() {
    let bench = Bench::new();
    for n in 0..40 {
        let kind = if n % 2 == 0 { "paid" } else { "it's" };
        bench
            .kill(NewJob::new("x").kind(kind), DeadReason::Exhausted, "no")
            .await;
    }
    let command = "dead replay --kind paid --rate 10/s --limit 15 --yes --output ids --force";
    let first = interrupted(&bench, command, Duration::from_millis(450)).await;
    assert_eq!(first.exit, Exit::Interrupted);
    assert_eq!(first.lines().len(), 5);
    assert!(
        first
            .words
            .contains("interrupted after 5 of 15: 5 replayed; to go on:"),
        "{}",
        first.words
    );
    let rest = rest_of(&first.words);
    assert_eq!(
        rest,
        "--output=ids dead replay --force --rate=10/s --kind=paid --after=9 --up-to=29 --yes"
    );
    // What dies meanwhile is no part of the run, nor of its rest.
    bench
        .kill(NewJob::new("x").kind("paid"), DeadReason::Exhausted, "no")
        .await;
    let second = bench.anvil(&rest).await;
    assert_eq!((second.exit, second.lines().len()), (Exit::Done, 10));
}

#[tokio::test(start_paused = true)]
async fn the_rest_of_a_run_by_age_has_positions_in_its_place() {
    let bench = Bench::new();
    bench.kill_many(2).await;
    tokio::time::advance(Duration::from_secs(60)).await;
    bench.kill_many(5).await;
    let first = interrupted(
        &bench,
        "dead discard --since 30s --rate 1/s --yes",
        Duration::from_millis(1_500),
    )
    .await;
    assert_eq!(first.exit, Exit::Interrupted);
    assert_eq!(
        rest_of(&first.words),
        "dead discard --rate=1/s --all --after=4 --up-to=7 --yes"
    );
    assert_eq!(
        first.data,
        "PLANNED  DISCARDED  LEFT\n5        2          3\n"
    );
}

#[tokio::test(start_paused = true)]
async fn a_value_is_quoted_for_the_shell() {
    let bench = Bench::new();
    bench
        .kill(NewJob::new("x").kind("it's"), DeadReason::Exhausted, "no")
        .await;
    let first = interrupted(&bench, "dead replay --kind it's --yes", Duration::ZERO).await;
    assert!(
        first
            .words
            .contains(r"--kind='it'\''s' --after=0 --up-to=1"),
        "{}",
        first.words
    );
    assert_eq!(bench.ready_and_dead().await, (0, 1));
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_run_over_single_jobs_names_those_that_are_left() {
    let bench = Bench::new();
    let ids = bench.kill_many(3).await;
    let command = format!("dead replay {} {} {} --rate 1/s", ids[0], ids[1], ids[2]);
    let ran = interrupted(&bench, &command, Duration::from_millis(500)).await;
    assert_eq!(ran.exit, Exit::Interrupted);
    assert_eq!(ran.lines().len(), 2, "a heading and one job: {}", ran.data);
    let rest = format!("dead replay --rate=1/s {} {}", ids[1], ids[2]);
    assert_eq!(rest_of(&ran.words), rest);
}

#[tokio::test]
async fn a_password_is_in_no_command_that_is_shown() {
    let bench = Bench::new();
    bench.kill_many(1).await;
    let command = "--redis redis://me:hidden@10.0.0.1 dead replay --all --yes";
    let ran = interrupted(&bench, command, Duration::ZERO).await;
    assert!(
        ran.words.contains("--redis='redis://me:***@10.0.0.1'"),
        "{}",
        ran.words
    );
    assert!(!ran.words.contains("hidden"), "{}", ran.words);
}
