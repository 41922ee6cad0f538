//! Bulk runs that take their time.

use std::time::Duration;

use anvil_cli::Exit;
use anvil_queue::{DeadReason, DedupeKey, NewJob, QueueBackend};
use tokio::time::Instant;

use crate::Bench;

#[tokio::test(start_paused = true)]
async fn a_rate_is_kept() {
    let bench = Bench::new();
    bench.kill_many(105).await;
    let begun = Instant::now();
    let ran = bench.anvil("dead replay --all --rate 20/s --yes").await;
    assert_eq!(ran.exit, Exit::Done);
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(5), "{took:?}");
    assert!(took < Duration::from_secs(6), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn what_dies_while_a_bulk_run_goes_on_is_no_part_of_it() {
    let bench = Bench::new();
    bench.kill_many(10).await;
    let dying = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        // Two that were replayed die again; two new ones come to their place.
        bench
            .kill(NewJob::new("x"), DeadReason::Exhausted, "no")
            .await;
        bench
            .kill(NewJob::new("x"), DeadReason::Exhausted, "no")
            .await;
    };
    let (ran, ()) = tokio::join!(
        bench.anvil("dead replay --all --rate 10/s --yes --output json"),
        dying
    );
    assert_eq!(
        ran.data,
        "{\"planned\":10,\"replayed\":10,\"superseded\":0,\"left\":0}\n"
    );
    assert_eq!(bench.ready_and_dead().await, (10, 2));
}

#[tokio::test(start_paused = true)]
async fn ages_are_those_of_the_plan_however_long_the_run_takes() {
    let bench = Bench::new();
    bench.kill_many(2).await;
    tokio::time::advance(Duration::from_secs(60)).await;
    bench.kill_many(5).await;
    tokio::time::advance(Duration::from_secs(59)).await;
    let ran = bench
        .anvil("dead replay --since 1m --rate 1/s --yes --output json")
        .await;
    assert_eq!(ran.json()["replayed"], 5);
    assert_eq!(bench.ready_and_dead().await, (5, 2));
}

#[tokio::test(start_paused = true)]
async fn a_superseded_job_is_named_and_stays_unless_forced() {
    let bench = Bench::new();
    let key = DedupeKey::derive("test", b"1");
    let job = || NewJob::new("x").dedupe_key(key);
    let old = bench.kill(job(), DeadReason::Exhausted, "no").await;
    let other = bench.kill_many(1).await[0];
    tokio::time::advance(Duration::from_secs(4 * 24 * 60 * 60)).await;
    let newer = bench.enqueue(job()).await;
    let ran = bench.anvil("dead replay --all --yes --output jsonl").await;
    assert_eq!(ran.exit, Exit::NotDone);
    let lines: Vec<serde_json::Value> = ran
        .lines()
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (&lines[0]["result"], &lines[0]["newer"]),
        (&"superseded".into(), &newer.to_string().into())
    );
    assert_eq!(lines[1]["id"], other.to_string());
    assert!(
        ran.words.contains(&format!(
            "{old} was not replayed: its key belongs to {newer}"
        )),
        "{}",
        ran.words
    );
    let ran = bench.anvil(&format!("dead replay {old} --force")).await;
    assert_eq!(ran.exit, Exit::Done);
    assert_eq!(bench.ready_and_dead().await, (3, 0));
}

#[tokio::test(start_paused = true)]
async fn a_long_run_says_now_and_then_how_far_it_is() {
    let bench = Bench::new();
    bench.kill_many(50).await;
    let ran = bench.anvil("dead replay --all --rate 2/s --yes").await;
    let progress: Vec<_> = ran
        .words
        .lines()
        .filter(|line| line.contains(" of 50: "))
        .collect();
    assert_eq!(progress, ["21 of 50: 21 replayed", "41 of 50: 41 replayed"]);
    assert!(!ran.words.contains('\x1b'), "{:?}", ran.words);

    bench
        .backend
        .reserve(
            &bench.queue,
            anvil_queue::Reserve::new(50, Duration::from_secs(9)),
        )
        .await
        .unwrap();
    bench.kill_many(5).await;
    let ran = bench
        .attended("dead replay --all --rate 2/s --yes", "")
        .await;
    assert!(
        ran.words.contains("\r\x1b[K2 of 5: 2 replayed\r\x1b[K"),
        "{:?}",
        ran.words
    );
    assert!(
        ran.words.ends_with("\r\x1b[K"),
        "the line is not taken away: {:?}",
        ran.words
    );
}
