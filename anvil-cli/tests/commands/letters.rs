//! Listing and showing dead letters.

use std::time::Duration;

use anvil_cli::Exit;
use anvil_queue::{DeadReason, JobId, Metadata, NewJob};

use crate::{Bench, refused};

#[tokio::test]
async fn dead_letters_are_listed_oldest_first_in_every_format() {
    let bench = Bench::new();
    let job = |kind| NewJob::new("x").kind(kind).source("stripe");
    let a = bench
        .kill(job("paid"), DeadReason::Exhausted, "card declined")
        .await;
    let b = bench.kill(job("sent"), DeadReason::Poison, "").await;
    let ran = bench.anvil("dead list").await;
    assert_eq!((ran.exit, ran.words.as_str()), (Exit::Done, ""));
    let heading = "POSITION  DIED                  ID                                    KIND  SOURCE  REASON     ATTEMPTS  ERROR";
    assert_eq!(ran.lines()[0], heading);
    let cells: Vec<_> = ran.lines()[1].split_whitespace().collect();
    assert_eq!(
        cells[2..],
        [
            &a.to_string(),
            "paid",
            "stripe",
            "exhausted",
            "1",
            "card",
            "declined"
        ]
    );
    assert!(ran.lines()[2].ends_with(" -"), "{}", ran.data);

    let ids = format!("{a}\n{b}\n");
    assert_eq!(bench.anvil("dead list --output ids").await.data, ids);
    let json = bench.anvil("dead list --output json").await.json();
    assert_eq!(json.as_array().unwrap().len(), 2);
    assert_eq!(json[0]["last_failure"]["error"], "card declined");
    assert_eq!(json[1]["reason"], "poison");
    let lines = bench.anvil("dead list --output jsonl").await;
    let second: serde_json::Value = serde_json::from_str(lines.lines()[1]).unwrap();
    assert_eq!(second["id"], b.to_string());
    assert!(second.get("payload").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_list_keeps_to_its_filter() {
    let bench = Bench::new();
    let a = bench
        .kill(
            NewJob::new("x").kind("a"),
            DeadReason::Exhausted,
            "card declined",
        )
        .await;
    tokio::time::advance(Duration::from_secs(3_600)).await;
    let b = bench
        .kill(
            NewJob::new("x").source("s"),
            DeadReason::Permanent,
            "no card",
        )
        .await;
    for (filter, expected) in [
        ("", vec![a, b]),
        ("--kind a", vec![a]),
        ("--source s", vec![b]),
        ("--reason permanent", vec![b]),
        ("--error card", vec![a, b]),
        ("--error declined", vec![a]),
        ("--since 10m", vec![b]),
        ("--since 2h", vec![a, b]),
        ("--older-than 10m", vec![a]),
        ("--older-than 2h", vec![]),
        ("--kind a --source s", vec![]),
        ("--after 1", vec![b]),
        ("--up-to 1", vec![a]),
    ] {
        let ran = bench
            .anvil(&format!("dead list --output ids {filter}"))
            .await;
        let expected: Vec<_> = expected.iter().map(JobId::to_string).collect();
        assert_eq!(ran.lines(), expected, "{filter}");
    }
    assert_eq!(refused("dead list --since soon").0, 2);
    assert_eq!(refused("dead list --reason bad").0, 2);
}

#[tokio::test]
async fn a_list_that_was_cut_says_how_to_go_on() {
    let bench = Bench::new();
    let ids = bench.kill_many(450).await;
    let ran = bench.anvil("dead list --output ids --limit 250").await;
    assert_eq!(ran.lines().len(), 250);
    assert_eq!(ran.words, "there may be more: add --after 250\n");
    let rest = bench
        .anvil("dead list --output ids --limit 250 --after 250")
        .await;
    assert_eq!(rest.words, "");
    let both = [ran.lines(), rest.lines()].concat();
    assert_eq!(both, ids.iter().map(JobId::to_string).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_letter_is_shown_with_all_that_is_known_of_it() {
    let bench = Bench::new();
    let mut metadata = Metadata::default();
    metadata.push("content-type", &b"application/json"[..]);
    metadata.push("odd", &b"\xff\x00"[..]);
    let job = NewJob::new("{\"a\":\n1}").kind("paid").metadata(metadata);
    let id = bench
        .kill(job, DeadReason::Exhausted, "card declined")
        .await;
    let ran = bench.anvil(&format!("dead show {id}")).await;
    for line in [
        &format!("id                {id}"),
        "kind              paid",
        "last failure      transient: card declined",
        "metadata content-type application/json",
        "payload           8 bytes",
    ] {
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = ran
            .lines()
            .iter()
            .any(|shown| squeezed(shown) == squeezed(line));
        assert!(found, "no line `{line}` in {}", ran.data);
    }
    assert!(ran.data.ends_with("\n{\"a\":\n1}\n"), "{}", ran.data);

    let json = bench
        .anvil(&format!("dead show {id} --output json"))
        .await
        .json();
    assert_eq!(json["payload"]["text"], "{\"a\":\n1}");
    assert_eq!(json["metadata"][0]["text"], "application/json");
    assert_eq!(json["metadata"][1]["base64"], "/wA=");
    assert!(json["metadata"][1].get("text").is_none());
}

#[tokio::test]
async fn what_is_not_dead_is_not_shown() {
    let bench = Bench::new();
    let ready = bench.enqueue(NewJob::new("x")).await;
    let ran = bench.anvil(&format!("dead show {ready}")).await;
    assert_eq!((ran.exit, ran.data.as_str()), (Exit::NotDone, ""));
    assert!(
        ran.words.contains("not among the dead letters"),
        "{}",
        ran.words
    );
    assert_eq!(refused("dead show nonsense").0, 2);
}

#[tokio::test]
async fn control_bytes_reach_no_terminal_whatever_the_format() {
    let bench = Bench::new();
    let harm = "\x1b[2J\u{9b}31m\r\u{202e}\x07";
    let mut metadata = Metadata::default();
    metadata.push(harm, harm);
    let job = NewJob::new(harm).kind(harm).source(harm).metadata(metadata);
    let id = bench.kill(job, DeadReason::Exhausted, harm).await;
    for command in [
        "dead list",
        &format!("dead show {id}"),
        &format!("peek {id}"),
    ] {
        for format in ["table", "json", "jsonl", "ids"] {
            let ran = bench.anvil(&format!("{command} --output {format}")).await;
            assert_eq!(ran.exit, Exit::Done);
            let harmless = |c: char| c == '\n' || (!c.is_control() && c != '\u{202e}');
            assert!(
                ran.data.chars().all(harmless),
                "{command} {format}: {:?}",
                ran.data
            );
        }
    }
    let json = bench
        .anvil(&format!("dead show {id} --output json"))
        .await
        .json();
    assert_eq!(
        (&json["kind"], &json["payload"]["text"]),
        (&harm.into(), &harm.into())
    );
}

#[tokio::test]
async fn raw_bytes_are_exact_and_go_to_no_terminal_unasked() {
    let bench = Bench::new();
    let payload = "\x1b[2J\r\n no line end";
    let id = bench
        .kill(NewJob::new(payload), DeadReason::Exhausted, "no")
        .await;
    let ran = bench.anvil(&format!("dead show {id} --raw")).await;
    assert_eq!((ran.exit, ran.data.as_str()), (Exit::Done, payload));
    let ran = bench.attended(&format!("dead show {id} --raw"), "").await;
    assert_eq!((ran.exit, ran.data.as_str()), (Exit::Usage, ""));
    assert!(ran.words.contains("--force-raw"), "{}", ran.words);
    let ran = bench
        .attended(&format!("dead show {id} --raw --force-raw"), "")
        .await;
    assert_eq!((ran.exit, ran.data.as_str()), (Exit::Done, payload));
}
