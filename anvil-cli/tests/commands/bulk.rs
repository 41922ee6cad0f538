//! What replaying and discarding act on, and whether they ask.

use anvil_cli::Exit;
use anvil_queue::{DeadReason, JobId, NewJob};

use crate::{Bench, refused};

#[test]
fn a_bulk_verb_without_a_selection_is_a_usage_error() {
    for verb in ["replay", "discard"] {
        for arguments in [
            "",
            "--yes",
            "--limit 5 --yes",
            "--after 1 --up-to 9 --yes",
            "--rate 5/s",
        ] {
            let (code, said) = refused(&format!("dead {verb} {arguments}"));
            assert_eq!(code, 2, "{arguments}");
            assert!(said.contains("--all"), "{said}");
        }
    }
}

#[test]
fn a_selection_is_ids_or_a_filter_or_all() {
    let id = JobId::generate();
    for arguments in [
        format!("{id} --all"),
        format!("{id} --kind a"),
        format!("{id} --limit 1"),
        format!("{id} --up-to 1"),
        "--all --kind a".to_owned(),
        "--all --since 1h".to_owned(),
        "--all --rate 0/s".to_owned(),
        "--all --limit 0".to_owned(),
        "no-id".to_owned(),
    ] {
        assert_eq!(
            refused(&format!("dead replay {arguments}")).0,
            2,
            "{arguments}"
        );
    }
}

#[tokio::test]
async fn single_jobs_are_replayed_unasked_and_each_is_answered_for() {
    let bench = Bench::new();
    let ids = bench.kill_many(3).await;
    let unknown = JobId::generate();
    let ran = bench
        .anvil(&format!("dead replay {} {unknown} {}", ids[2], ids[0]))
        .await;
    assert_eq!(ran.exit, Exit::NotDone);
    let results: Vec<_> = ran.lines()[1..]
        .iter()
        .map(|line| line.split_whitespace().nth(1))
        .collect();
    assert_eq!(
        results,
        [Some("replayed"), Some("not_dead"), Some("replayed")]
    );
    assert!(
        ran.words.contains(&format!("{unknown} was not dead")),
        "{}",
        ran.words
    );
    assert_eq!(bench.ready_and_dead().await, (2, 1));

    let ran = bench
        .anvil(&format!("dead discard {} --output ids", ids[1]))
        .await;
    assert_eq!((ran.exit, ran.data), (Exit::Done, format!("{}\n", ids[1])));
    assert_eq!(bench.ready_and_dead().await, (2, 0));
}

#[tokio::test]
async fn a_bulk_run_acts_on_what_matches_and_reports_it() {
    let bench = Bench::new();
    for n in 0..250 {
        let kind = if n % 5 == 0 { "paid" } else { "sent" };
        bench
            .kill(NewJob::new("x").kind(kind), DeadReason::Exhausted, "no")
            .await;
    }
    let ran = bench.anvil("dead replay --kind paid --yes").await;
    assert_eq!(ran.exit, Exit::Done);
    assert_eq!(
        ran.data,
        "PLANNED  REPLAYED  SUPERSEDED  LEFT\n50       50        0           0\n"
    );
    assert!(
        ran.words
            .starts_with("replay: 50 dead letters of `hooks`, of kind `paid`\noldest: died "),
        "{}",
        ran.words
    );
    assert!(ran.words.contains("position 246"), "{}", ran.words);
    assert_eq!(bench.ready_and_dead().await, (50, 200));

    let ran = bench.anvil("dead discard --all --yes --output json").await;
    assert_eq!(ran.data, "{\"planned\":200,\"discarded\":200,\"left\":0}\n");
    assert_eq!(bench.ready_and_dead().await, (50, 0));
    let ran = bench.anvil("dead discard --all --yes --output json").await;
    assert_eq!((ran.exit, &ran.json()["planned"]), (Exit::Done, &0.into()));
}

#[tokio::test]
async fn where_nobody_can_be_asked_a_bulk_run_needs_a_yes() {
    let bench = Bench::new();
    bench.kill_many(3).await;
    let ran = bench.anvil("dead replay --all").await;
    assert_eq!((ran.exit, ran.data.as_str()), (Exit::Usage, ""));
    assert!(ran.words.contains("--yes"), "{}", ran.words);
    assert_eq!(bench.ready_and_dead().await, (0, 3));
}

#[tokio::test]
async fn a_person_sees_the_plan_and_is_asked() {
    let bench = Bench::new();
    bench.kill_many(3).await;
    for answer in ["\n", "n\n", "", "maybe\n"] {
        let ran = bench.attended("dead discard --all", answer).await;
        assert_eq!(ran.exit, Exit::NotDone, "{answer}");
        assert!(
            ran.words.contains("discard: 3 dead letters"),
            "{}",
            ran.words
        );
        assert!(ran.words.contains("Discard them? [y/N] "), "{}", ran.words);
        assert!(ran.words.ends_with("nothing was done\n"), "{}", ran.words);
    }
    assert_eq!(bench.ready_and_dead().await, (0, 3));
    let ran = bench.attended("dead discard --all", "y\n").await;
    assert_eq!(ran.exit, Exit::Done);
    assert_eq!(bench.ready_and_dead().await, (0, 0));
}

#[tokio::test]
async fn a_dry_run_shows_what_would_be_done_and_does_nothing() {
    let bench = Bench::new();
    let ids = bench.kill_many(3).await;
    let ran = bench
        .anvil("dead replay --all --limit 2 --dry-run --output ids")
        .await;
    assert_eq!(
        (ran.exit, ran.data),
        (Exit::Done, format!("{}\n{}\n", ids[0], ids[1]))
    );
    assert!(
        ran.words.ends_with("a dry run: nothing was done\n"),
        "{}",
        ran.words
    );
    let ran = bench
        .anvil("dead discard --all --dry-run --output json")
        .await;
    assert_eq!(ran.data, "{\"planned\":3,\"discarded\":0,\"left\":3}\n");
    let ran = bench
        .anvil(&format!("dead discard {} --dry-run", ids[0]))
        .await;
    assert!(ran.data.contains("planned"), "{}", ran.data);
    assert_eq!(bench.ready_and_dead().await, (0, 3));
}

#[tokio::test]
async fn a_limit_takes_the_oldest_deaths() {
    let bench = Bench::new();
    let ids = bench.kill_many(300).await;
    let ran = bench
        .anvil("dead replay --all --limit 210 --yes --output ids")
        .await;
    let expected: Vec<_> = ids[..210].iter().map(JobId::to_string).collect();
    assert_eq!(ran.lines(), expected);
    assert_eq!(bench.ready_and_dead().await, (210, 90));
}
