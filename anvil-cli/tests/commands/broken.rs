//! A store that can't be reached, and a reader that goes away.

use std::io;
use std::sync::Arc;

use anvil_cli::{Cli, Exit, Terminal, run};
use anvil_queue::{JobId, Store};

use crate::store::Failing;
use crate::{Bench, Shared, anvil_on};

#[tokio::test]
async fn an_unreachable_store_is_named_with_the_cause_in_one_line() {
    let bench = Bench::new();
    let id = JobId::generate();
    for command in [
        "stats".to_owned(),
        "dead list".to_owned(),
        format!("dead show {id}"),
        format!("dead replay {id}"),
        "dead discard --all --yes".to_owned(),
        "peek".to_owned(),
        format!("peek {id}"),
        format!("cancel {id}"),
    ] {
        let ran = anvil_on(Failing::after(0, &bench.backend), &command, |terminal| {
            terminal
        })
        .await;
        assert_eq!(ran.exit, Exit::Store, "{command}");
        let error = "error: 10.0.0.1:6379 can't be reached: connection refused";
        assert_eq!(ran.words.lines().last(), Some(error), "{command}");
    }
}

#[tokio::test(start_paused = true)]
async fn watched_stats_outlive_an_outage() {
    let bench = Bench::new();
    let ran = anvil_on(
        Failing::after(1, &bench.backend),
        "stats --watch --times 3",
        |terminal| terminal,
    )
    .await;
    assert_eq!(ran.exit, Exit::Done);
    assert_eq!((ran.lines().len(), ran.words.lines().count()), (2, 2));
}

#[tokio::test]
async fn a_store_that_fails_half_way_leaves_a_command_that_does_the_rest() {
    let bench = Bench::new();
    bench.kill_many(450).await;
    // Three pages for the plan, then a page and its replay, twice.
    let ran = anvil_on(
        Failing::after(7, &bench.backend),
        "dead replay --all --yes --output json",
        |terminal| terminal,
    )
    .await;
    assert_eq!(ran.exit, Exit::Store);
    assert_eq!(
        ran.data,
        "{\"planned\":450,\"replayed\":400,\"superseded\":0,\"left\":50}\n"
    );
    assert_eq!(bench.ready_and_dead().await, (400, 50));
    bench.kill_many(1).await;
    let rest = rest_of(&ran.words);
    assert_eq!(
        rest,
        "--output=json dead replay --all --after=400 --up-to=450 --yes"
    );
    let ran = bench.anvil(&rest).await;
    assert_eq!(
        (ran.exit, &ran.json()["replayed"]),
        (Exit::Done, &50.into())
    );
}

/// The arguments of the command that goes on, without the queue.
pub(crate) fn rest_of(words: &str) -> String {
    let command = words
        .lines()
        .find_map(|line| line.trim().strip_prefix("anvil "))
        .expect(words);
    command.replacen("--queue=hooks ", "", 1)
}

#[tokio::test]
async fn a_reader_that_goes_away_ends_the_command_silently() {
    let bench = Bench::new();
    bench.kill_many(3).await;
    for command in [
        "stats",
        "dead list",
        "dead list --output jsonl",
        "peek --place leased",
    ] {
        let (exit, words) = into_a_closed_pipe(&bench, command).await;
        assert_eq!((exit, words.as_str()), (Exit::Done, ""), "{command}");
    }
}

#[tokio::test]
async fn a_bulk_run_that_was_agreed_to_goes_on_where_nobody_reads_it() {
    let bench = Bench::new();
    bench.kill_many(500).await;
    let (exit, _) = into_a_closed_pipe(&bench, "dead replay --all --yes --output ids").await;
    assert_eq!(exit, Exit::Done);
    assert_eq!(bench.ready_and_dead().await, (500, 0));
}

#[tokio::test]
async fn output_that_can_not_be_written_is_an_error() {
    let bench = Bench::new();
    let (exit, words) = write_to(&bench, "stats", io::ErrorKind::StorageFull).await;
    assert_eq!(exit, Exit::Output);
    assert!(
        words.starts_with("error: the output was not written"),
        "{words}"
    );
}

async fn into_a_closed_pipe(bench: &Bench, command: &str) -> (Exit, String) {
    write_to(bench, command, io::ErrorKind::BrokenPipe).await
}

async fn write_to(bench: &Bench, command: &str, error: io::ErrorKind) -> (Exit, String) {
    let words = ["anvil", "--queue", "hooks"]
        .into_iter()
        .chain(command.split_whitespace());
    let cli = Cli::try_parse_args(words).unwrap();
    let said = Shared::default();
    let mut terminal = Terminal::piped(Unwritable(error), said.clone());
    let store: Arc<dyn Store> = Arc::clone(&bench.backend) as _;
    (run(&cli, store, &mut terminal).await, said.text())
}

struct Unwritable(io::ErrorKind);

impl io::Write for Unwritable {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(self.0.into())
    }
}
