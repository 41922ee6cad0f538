//! Commands that change nothing, and the cancelling of single jobs.

use std::time::Duration;

use anvil_cli::Exit;
use anvil_queue::{JobId, NewJob, QueueBackendExt};

use crate::{Bench, refused};

#[tokio::test]
async fn stats_show_places_and_totals() {
    let bench = Bench::new();
    bench.kill_many(2).await;
    bench.enqueue(NewJob::new("x")).await;
    let ran = bench.anvil("stats").await;
    assert_eq!(ran.exit, Exit::Done);
    let lines = ran.lines();
    assert_eq!(lines[0], "QUEUE        hooks");
    assert_eq!(lines[1], "ready        1");
    assert!(lines.contains(&"dead         2"), "{lines:?}");
    assert!(lines.contains(&"buried       2"), "{lines:?}");

    let json = bench.anvil("stats --output json").await.json();
    assert_eq!((&json["ready"], &json["dead"]), (&1.into(), &2.into()));
    assert_eq!(json["totals"]["buried"], 2);
    assert_eq!(bench.anvil("stats --output ids").await.exit, Exit::Usage);
}

#[tokio::test(start_paused = true)]
async fn watched_stats_are_a_line_each_time_with_what_happened_since() {
    let bench = Bench::new();
    let later = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        bench.kill_many(3).await;
    };
    let (ran, ()) = tokio::join!(bench.anvil("stats --watch --times 3"), later);
    let lines = ran.lines();
    assert_eq!(lines.len(), 4, "{}", ran.data);
    let columns: Vec<Vec<_>> = lines
        .iter()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert!(columns.iter().all(|line| line.len() == 10), "{}", ran.data);
    assert_eq!((columns[0][4], columns[0][9]), ("DEAD", "+DEAD"));
    assert_eq!((columns[2][4], columns[2][9]), ("0", "0"));
    assert_eq!((columns[3][4], columns[3][9]), ("3", "3"));
    let ends: Vec<_> = lines.iter().map(|line| line.chars().count()).collect();
    assert_eq!(ends, [ends[0]; 4], "the columns are not aligned");

    let ran = bench.anvil("stats --watch --times 2 --output jsonl").await;
    assert_eq!(ran.lines().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn peek_shows_the_next_jobs_of_each_place_and_moves_none() {
    let bench = Bench::new();
    let leased = bench.enqueue(NewJob::new("x")).await;
    let minute = Duration::from_secs(60);
    bench
        .backend
        .reserve_one(&bench.queue, minute)
        .await
        .unwrap();
    let late = bench.enqueue(NewJob::new("x").delay(2 * minute)).await;
    let soon = bench.enqueue(NewJob::new("x").delay(minute)).await;
    let ready = bench.enqueue(NewJob::new("body").kind("paid")).await;
    for (place, expected) in [
        ("", vec![ready]),
        ("--place ready", vec![ready]),
        ("--place scheduled", vec![soon, late]),
        ("--place leased", vec![leased]),
        ("--place scheduled --limit 1", vec![soon]),
    ] {
        let ran = bench.anvil(&format!("peek --output ids {place}")).await;
        let expected: Vec<_> = expected.iter().map(JobId::to_string).collect();
        assert_eq!(ran.lines(), expected, "{place}");
    }
    let ran = bench.anvil("peek --place scheduled").await;
    assert!(ran.lines()[1].ends_with("due in 1m 0s"), "{}", ran.data);
    let ran = bench.anvil("peek --place leased").await;
    assert!(
        ran.lines()[1].ends_with("lease ends in 1m 0s"),
        "{}",
        ran.data
    );
    let json = bench.anvil("peek --output json").await.json();
    assert_eq!(
        (&json[0]["kind"], &json[0]["payload_bytes"]),
        (&"paid".into(), &4.into())
    );
    assert_eq!(refused("peek --limit 201").0, 2);
    assert_eq!(refused(&format!("peek {ready} --place leased")).0, 2);
}

#[tokio::test]
async fn peek_shows_single_jobs_wherever_they_are() {
    let bench = Bench::new();
    let dead = bench.kill_many(1).await[0];
    let ready = bench.enqueue(NewJob::new("x")).await;
    let unknown = JobId::generate();
    let ran = bench
        .anvil(&format!("peek {ready} {dead} {unknown} --output json"))
        .await;
    assert_eq!(ran.exit, Exit::NotDone);
    assert!(ran.words.starts_with(&unknown.to_string()), "{}", ran.words);
    let json = ran.json();
    assert_eq!(
        (&json[0]["place"], &json[1]["place"]),
        (&"ready".into(), &"dead".into())
    );
    assert_eq!(json[0]["payload"]["text"], "x");
}

#[tokio::test]
async fn cancel_says_of_each_job_what_became_of_it() {
    let bench = Bench::new();
    let dead = bench.kill_many(1).await[0];
    let leased = bench.enqueue(NewJob::new("x")).await;
    let minute = Duration::from_secs(60);
    bench
        .backend
        .reserve_one(&bench.queue, minute)
        .await
        .unwrap();
    let ready = bench.enqueue(NewJob::new("x")).await;
    let ran = bench.anvil(&format!("cancel {ready} {leased}")).await;
    assert_eq!(ran.exit, Exit::Done);
    assert!(ran.lines()[1].ends_with("removed"), "{}", ran.data);
    assert!(ran.lines()[2].ends_with("requested"), "{}", ran.data);
    assert!(ran.words.contains("asked to stop"), "{}", ran.words);

    let ran = bench
        .anvil(&format!("cancel {dead} {ready} {ready} --output json"))
        .await;
    assert_eq!(ran.exit, Exit::NotDone);
    let json = ran.json();
    assert_eq!(
        json.as_array().unwrap().len(),
        2,
        "an id given twice counts once"
    );
    assert_eq!(
        (&json[0]["result"], &json[1]["result"]),
        (&"dead".into(), &"not_found".into())
    );
    assert_eq!(refused("cancel").0, 2);
}

#[tokio::test]
async fn a_command_without_a_queue_is_refused() {
    let cli = anvil_cli::Cli::try_parse_args(["anvil", "stats"]).unwrap();
    if std::env::var_os("ANVIL_QUEUE").is_some() {
        return;
    }
    let words = crate::Shared::default();
    let mut terminal = anvil_cli::Terminal::piped(std::io::sink(), words.clone());
    let exit = anvil_cli::run(&cli, Bench::new().backend, &mut terminal).await;
    assert_eq!(exit, Exit::Usage);
    assert!(words.text().contains("--queue"), "{}", words.text());
}
