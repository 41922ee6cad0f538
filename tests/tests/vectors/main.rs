//! Signed requests, good and bad, that other implementations made, through the whole verification.
//!
//! The project's own files are always read, and the file that `ANVIL_VECTORS` names where it is set.

mod shared;
mod verdict;

use std::collections::BTreeSet;
use std::env;
use std::path::Path;

use anvil_tower::preset::Facts;
use anvil_vectors::{Record, load, own};
use verdict::{Verdict, names, verdict};

#[tokio::test]
async fn the_vectors_of_the_project_get_their_verdicts_and_names() {
    let mut wrong = Vec::new();
    for file in own().unwrap() {
        let mut run = 0;
        for record in &file.records {
            match outcome(record).await {
                Outcome::Right => run += 1,
                Outcome::Wrong(how) => wrong.push(how),
            }
        }
        println!("{}: {run} of {} run", file.name, file.records.len());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_preset_has_vectors_good_and_bad_and_every_file_a_preset() {
    let files = own().unwrap();
    let presets: BTreeSet<_> = Facts::all().map(Facts::name).collect();
    let records = files.iter().flat_map(|file| &file.records);
    let records: Vec<_> = records
        .filter_map(|record| Some((record.preset()?, record)))
        .collect();
    let named: BTreeSet<_> = records.iter().map(|(name, _)| *name).collect();
    for name in &presets {
        let own = records.iter().filter(|(preset, _)| preset == name);
        let valid = own.clone().filter(|(_, record)| record.is_valid()).count();
        let invalid = own.count() - valid;
        assert!(
            valid >= 1 && invalid >= 3,
            "{name}: {valid} good vectors, {invalid} bad ones"
        );
    }
    let without: Vec<_> = named.difference(&presets).collect();
    assert!(without.is_empty(), "there are no presets {without:?}");
}

#[tokio::test]
async fn the_vectors_that_the_environment_names_get_their_verdicts() {
    let Some(path) = env::var_os(VARIABLE) else {
        println!("{VARIABLE} is not set: only the project's own vectors are checked");
        return;
    };
    let records = load(Path::new(&path)).unwrap();
    let mut wrong = Vec::new();
    let (mut run, mut excepted) = (0, BTreeSet::new());
    for record in &records {
        if let Some(exception) = shared::exception(record) {
            excepted.insert(exception);
            continue;
        }
        match outcome(&shared::translated(record)).await {
            Outcome::Right => run += 1,
            Outcome::Wrong(how) => wrong.push(how),
        }
    }
    println!("{run} of {} run", records.len());
    for (provider, name, reason) in &excepted {
        println!("not run: {provider}: {name}: {reason}");
    }
    assert_eq!(excepted.len(), shared::EXCEPTIONS.len(), "{excepted:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_file_that_is_missing_empty_or_something_else_is_a_failure() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    assert!(load(&folder.join("no such file")).is_err());
    for (name, text) in [
        ("empty.json", ""),
        ("none.json", "[]"),
        ("other.json", r#"[{"provider":"github"}]"#),
        ("no-body.json", NO_BODY),
        ("no-verdict.json", NO_VERDICT),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        assert!(load(&path).is_err(), "{name}");
    }
}

/// What came of a record.
enum Outcome {
    Right,
    Wrong(String),
}

async fn outcome(record: &Record) -> Outcome {
    let wrong =
        |how: String| Outcome::Wrong(format!("{}: {}: {how}", record.provider, record.name));
    match verdict(record).await {
        Verdict::Valid(verified) if record.is_valid() => {
            let found = names(&verified);
            match record.names() {
                Some(expected) if expected != found => {
                    wrong(format!("named {found:?}, expected {expected:?}"))
                }
                _ => Outcome::Right,
            }
        }
        Verdict::Invalid(_) if !record.is_valid() => Outcome::Right,
        // A secret that can't be one is refused before there is a request.
        Verdict::Refused(_) if record.name.contains("secret with a line end") => Outcome::Right,
        other => wrong(format!(
            "{other:?}, expected {:?} ({})",
            record.expect, record.reason
        )),
    }
}

const VARIABLE: &str = "ANVIL_VECTORS";
const NO_BODY: &str = r#"[{"provider":"github","name":"n","secret":"s","secret_encoding":"utf8",
"headers":{},"now_unix":null,"tolerance_secs":null,"expect":"valid"}]"#;
const NO_VERDICT: &str = r#"[{"provider":"github","name":"n","secret":"s","secret_encoding":"utf8",
"headers":{},"body_utf8":"","now_unix":null,"tolerance_secs":null,"expect":"perhaps"}]"#;
