use std::time::Duration;

use anvil_tower::preset::Facts;
use serde::Serialize;

use crate::args::{Format, Presets};
use crate::exit::Failure;
use crate::explain::brief;
use crate::output::{Table, escape, to_json};
use crate::terminal::Terminal;

mod markdown;

/// What is known of a sender, in JSON.
#[derive(Serialize)]
struct Record {
    name: &'static str,
    title: &'static str,
    algorithm: String,
    signature: String,
    signed_content: String,
    tolerance: Option<Tolerance>,
    id: String,
    id_is_signed: bool,
    kind: String,
    needs_url: bool,
    retries_for_seconds: u64,
    dedupe_window_seconds: u64,
    success: Success,
    refusal_status: Option<u16>,
    body_limit_bytes: usize,
    handshake: Option<&'static str>,
    is_batch: bool,
    has_sample: bool,
    sample_event: &'static str,
    unconfirmed: &'static [&'static str],
    sources: &'static [&'static str],
}

/// How old and how far ahead; none is any.
#[derive(Serialize)]
struct Tolerance {
    past_seconds: Option<u64>,
    future_seconds: Option<u64>,
}

#[derive(Serialize)]
struct Success {
    status: u16,
    body: &'static str,
}

/// Shows what is known of the senders.
pub(super) fn run(
    presets: &Presets,
    format: Format,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    if presets.markdown {
        return Ok(terminal.bytes(markdown::page().as_bytes())?);
    }
    match (presets.sender, format) {
        (Some(facts), Format::Table) => {
            for (name, value) in lines(facts) {
                terminal.line(format!("{name:NAME_WIDTH$}  {}", escape(&value)).trim_end())?;
            }
        }
        (None, Format::Table) => table().write(terminal)?,
        (Some(facts), Format::Ids) => terminal.line(facts.name())?,
        (Some(facts), _) => terminal.line(&to_json(&record(facts))?)?,
        (None, Format::Json) => {
            let records: Vec<_> = Facts::all().map(record).collect();
            terminal.line(&to_json(&records)?)?;
        }
        (None, Format::Jsonl) => {
            for facts in Facts::all() {
                terminal.line(&to_json(&record(facts))?)?;
            }
        }
        (None, Format::Ids) => {
            for facts in Facts::all() {
                terminal.line(facts.name())?;
            }
        }
    }
    Ok(())
}

/// The senders in columns that fit into 80 characters.
fn table() -> Table {
    let mut table = Table::new(&["NAME", "ID", "TIME", "WINDOW", "ANSWER", "ALGORITHM"]);
    for facts in Facts::all() {
        let described = facts.described();
        let id = match (described.id.is_empty(), described.id_is_signed) {
            (true, _) => "",
            (false, true) => "signed",
            (false, false) => "unsigned",
        };
        table.row([
            facts.name().to_owned(),
            id.to_owned(),
            described
                .tolerance
                .map_or_else(String::new, |(past, _)| brief(past)),
            brief(facts.dedupe_window()),
            facts.success().status().as_u16().to_string(),
            cut(&described.algorithm),
        ]);
    }
    table
}

fn cut(text: &str) -> String {
    if text.chars().count() <= ALGORITHM_WIDTH {
        return text.to_owned();
    }
    let kept: String = text.chars().take(ALGORITHM_WIDTH - 1).collect();
    format!("{}…", kept.trim_end())
}

/// All facts as names and values, for a person.
fn lines(facts: &'static Facts) -> Vec<(&'static str, String)> {
    let described = facts.described();
    let mut lines = vec![
        ("name", facts.name().to_owned()),
        ("title", facts.title().to_owned()),
        ("algorithm", described.algorithm.to_string()),
        ("signature", described.signature.to_string()),
        ("signed content", described.signed_content.to_string()),
        (
            "tolerance",
            described.tolerance.map_or_else(no_timestamp, tolerance),
        ),
        ("id", id(facts)),
        ("kind", or_none(&described.kind)),
        (
            "public URL",
            yes_or_no(described.needs_url, "signed, to be configured"),
        ),
        ("retries", retries(facts)),
        ("dedupe window", brief(facts.dedupe_window())),
        ("success", success(facts)),
        ("refusal", refusal(facts)),
        ("body limit", format!("{} bytes", facts.body_limit())),
        ("handshake", or_none(facts.handshake().unwrap_or_default())),
        (
            "batch",
            yes_or_no(facts.is_batch(), "a request holds several events"),
        ),
        (
            "sample",
            yes_or_no(facts.has_sample(), facts.sample_event()),
        ),
    ];
    let some = |name, texts: &'static [&'static str]| {
        let names = [name].into_iter().chain(std::iter::repeat(""));
        names.zip(texts.iter().map(|text| (*text).to_owned()))
    };
    lines.extend(some("unconfirmed", facts.unconfirmed()));
    lines.extend(some("sources", facts.sources()));
    lines
}

/// What names a delivery, in words.
fn id(facts: &Facts) -> String {
    let described = facts.described();
    match (described.id.is_empty(), described.id_is_signed) {
        (true, _) => "none; the digest of what is signed names the delivery".to_owned(),
        (false, true) => format!("{}, signed", described.id),
        (false, false) => format!(
            "{}, not signed; the digest of what is signed names the delivery",
            described.id
        ),
    }
}

fn tolerance((past, future): (Duration, Duration)) -> String {
    format!("{} old, {} ahead", any(past), any(future))
}

fn any(time: Duration) -> String {
    match time {
        Duration::MAX => "however".to_owned(),
        time => format!("at most {}", brief(time)),
    }
}

fn no_timestamp() -> String {
    "no timestamp is signed".to_owned()
}

fn retries(facts: &Facts) -> String {
    match facts.retries_for() {
        Duration::ZERO => "none".to_owned(),
        time => format!("for {}", brief(time)),
    }
}

fn success(facts: &Facts) -> String {
    let success = facts.success();
    let status = success.status().as_u16();
    match success.body() {
        "" => format!("{status}, empty"),
        body => format!("{status}, {body}"),
    }
}

fn refusal(facts: &Facts) -> String {
    facts.refusal().map_or_else(
        || "401, or 400 where it is malformed".to_owned(),
        |status| status.as_u16().to_string(),
    )
}

fn or_none(text: &str) -> String {
    if text.is_empty() { "none" } else { text }.to_owned()
}

fn yes_or_no(yes: bool, what: &str) -> String {
    if yes { what } else { "no" }.to_owned()
}

fn record(facts: &'static Facts) -> Record {
    let described = facts.described();
    let seconds = |time: Duration| (time != Duration::MAX).then_some(time.as_secs());
    Record {
        name: facts.name(),
        title: facts.title(),
        algorithm: described.algorithm.into_owned(),
        signature: described.signature.into_owned(),
        signed_content: described.signed_content.into_owned(),
        tolerance: described.tolerance.map(|(past, future)| Tolerance {
            past_seconds: seconds(past),
            future_seconds: seconds(future),
        }),
        id: described.id.into_owned(),
        id_is_signed: described.id_is_signed,
        kind: described.kind.into_owned(),
        needs_url: described.needs_url,
        retries_for_seconds: facts.retries_for().as_secs(),
        dedupe_window_seconds: facts.dedupe_window().as_secs(),
        success: Success {
            status: facts.success().status().as_u16(),
            body: facts.success().body(),
        },
        refusal_status: facts.refusal().map(|status| status.as_u16()),
        body_limit_bytes: facts.body_limit(),
        handshake: facts.handshake(),
        is_batch: facts.is_batch(),
        has_sample: facts.has_sample(),
        sample_event: facts.sample_event(),
        unconfirmed: facts.unconfirmed(),
        sources: facts.sources(),
    }
}

const NAME_WIDTH: usize = 14;
/// What the other columns leave of 80 characters.
const ALGORITHM_WIDTH: usize = 26;
