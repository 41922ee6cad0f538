//! Signed requests, good and bad, that other implementations made, through the whole verification.
//!
//! The project's own file is always read, and the file that `ANVIL_VECTORS` names where it is set.

mod record;
mod verdict;

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use record::{Record, load};
use verdict::{Verdict, verdict};

#[tokio::test]
async fn the_vectors_of_the_project_get_their_verdicts() {
    let tally = check(&own_file()).await;
    for provider in PROVIDERS {
        let run = tally.run.get(provider).copied().unwrap_or_default();
        assert!(run.valid >= 5 && run.invalid >= 5, "{provider}: {run:?}");
    }
    assert!(tally.waiting.is_empty(), "{:?}", tally.waiting);
}

#[tokio::test]
async fn the_vectors_that_the_environment_names_get_their_verdicts() {
    let Some(path) = env::var_os(VARIABLE) else {
        println!("{VARIABLE} is not set: only the project's own vectors are checked");
        return;
    };
    let tally = check(Path::new(&path)).await;
    let valid: usize = tally.run.values().map(|run| run.valid).sum();
    let invalid: usize = tally.run.values().map(|run| run.invalid).sum();
    assert!(valid > 0 && invalid > 0, "{:?}", tally.run);
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
    ] {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        assert!(load(&path).is_err(), "{name}");
    }
}

/// What was run, by provider, and what waits for a scheme that is not there yet.
#[derive(Default)]
struct Tally {
    run: BTreeMap<String, Run>,
    waiting: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Run {
    valid: usize,
    invalid: usize,
}

/// Runs every record of the file that is for one of our schemes; all wrong verdicts are named.
async fn check(path: &Path) -> Tally {
    let records = load(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    let ours = |record: &&Record| PROVIDERS.contains(&record.provider.as_str());
    for record in records.iter().filter(ours) {
        let name = format!("{}: {}", record.provider, record.name);
        let run = tally.run.entry(record.provider.clone()).or_default();
        match verdict(record).await {
            Verdict::Valid if record.is_valid() => run.valid += 1,
            Verdict::Invalid(_) if !record.is_valid() => run.invalid += 1,
            Verdict::Waiting => tally.waiting.push(name),
            other => wrong.push(format!("{name}: {other:?}, expected {}", record.expect)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{}: {:?}", path.display(), tally.run);
    for name in &tally.waiting {
        println!("waiting for Ed25519: {name}");
    }
    let counted: usize = tally.run.values().map(|run| run.valid + run.invalid).sum();
    let others = records.len() - counted - tally.waiting.len();
    println!(
        "{counted} run, {} waiting, {others} of other providers",
        tally.waiting.len()
    );
    tally
}

fn own_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/signatures.json")
}

const VARIABLE: &str = "ANVIL_VECTORS";
const PROVIDERS: [&str; 7] = [
    "generic-hmac-hex",
    "github",
    "shopify",
    "slack",
    "standard-webhooks",
    "stripe",
    "svix",
];
const NO_BODY: &str = r#"[{"provider":"github","name":"n","scheme":"github","secret":"s",
"secret_encoding":"utf8","headers":{},"now_unix":null,"tolerance_secs":null,"expect":"valid"}]"#;
