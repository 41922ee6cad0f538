//! A job as a record for programs, and as lines for people.

use std::sync::Arc;

use anvil_queue::{DeadLetter, JobPlace, JobView, RecordedFailure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::time::{ago, span, timestamp};

/// What a dead letter is as a view of a job.
pub(crate) fn of_letter(letter: &DeadLetter) -> JobView {
    let place = JobPlace::Dead {
        reason: letter.reason,
        died_at: letter.died_at,
        position: letter.position,
    };
    JobView::new(
        Arc::clone(&letter.data),
        letter.counters,
        place,
        letter.failures.clone(),
        letter.accepted_at,
    )
}

/// One job in JSON. Fields that don't apply are left out.
#[derive(Serialize)]
pub(crate) struct Record<'a> {
    id: String,
    kind: &'a str,
    source: &'a str,
    place: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    died_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    due_in_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_in_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cancel_requested: Option<bool>,
    accepted_at: String,
    attempts: u32,
    reclaims: u32,
    snoozes: u32,
    replays: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_failure: Option<Failed<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_failure: Option<Failed<'a>>,
    payload_bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Vec<Entry<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<Bytes<'a>>,
}

#[derive(Serialize)]
struct Failed<'a> {
    kind: &'static str,
    error: &'a str,
    worker: &'a str,
    at: String,
}

#[derive(Serialize)]
struct Entry<'a> {
    name: &'a str,
    #[serde(flatten)]
    value: Bytes<'a>,
}

/// Bytes as they are, and as text where they are some.
#[derive(Serialize)]
struct Bytes<'a> {
    base64: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

impl<'a> Bytes<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            base64: STANDARD.encode(bytes),
            text: std::str::from_utf8(bytes).ok(),
        }
    }
}

/// The job in JSON; `whole` adds metadata and payload.
pub(crate) fn record(view: &JobView, whole: bool) -> Record<'_> {
    let JobView {
        data,
        counters,
        place,
        failures,
        accepted_at,
        ..
    } = view;
    let milliseconds = |time: std::time::Duration| u64::try_from(time.as_millis()).ok();
    let mut record = Record {
        id: data.id().to_string(),
        kind: data.kind(),
        source: data.source(),
        place: place.as_str(),
        position: None,
        reason: None,
        died_at: None,
        due_in_ms: None,
        expires_in_ms: None,
        cancel_requested: None,
        accepted_at: timestamp(*accepted_at),
        attempts: counters.attempts,
        reclaims: counters.reclaims,
        snoozes: counters.snoozes,
        replays: counters.replays,
        first_failure: failures.first.as_ref().map(failed),
        last_failure: failures.last.as_ref().map(failed),
        payload_bytes: data.payload().len(),
        metadata: None,
        payload: None,
    };
    match *place {
        JobPlace::Dead {
            reason,
            died_at,
            position,
        } => {
            record.position = Some(position.get());
            record.reason = Some(reason.as_str());
            record.died_at = Some(timestamp(died_at));
        }
        JobPlace::Leased {
            expires_in,
            cancel_requested,
        } => {
            record.expires_in_ms = milliseconds(expires_in);
            record.cancel_requested = Some(cancel_requested);
        }
        JobPlace::Scheduled { due_in } => record.due_in_ms = milliseconds(due_in),
        _ => {}
    }
    if whole {
        let entries = data.metadata().iter().map(|(name, value)| Entry {
            name,
            value: Bytes::new(value),
        });
        record.metadata = Some(entries.collect());
        record.payload = Some(Bytes::new(data.payload()));
    }
    record
}

fn failed(failure: &RecordedFailure) -> Failed<'_> {
    Failed {
        kind: failure.report.kind.as_str(),
        error: failure.report.error.as_str(),
        worker: &failure.report.worker,
        at: timestamp(failure.at),
    }
}

/// The job as names and values, for a person.
pub(crate) fn describe(view: &JobView) -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, value: String| lines.push((name.to_owned(), value));
    let (data, counters) = (&view.data, &view.counters);
    add("id", data.id().to_string());
    add("kind", data.kind().to_owned());
    add("source", data.source().to_owned());
    add("place", view.place.to_string());
    match view.place {
        JobPlace::Dead {
            reason,
            died_at,
            position,
        } => {
            add("reason", reason.to_string());
            add("died", ago(died_at));
            add("position", position.to_string());
        }
        JobPlace::Leased {
            expires_in,
            cancel_requested,
        } => {
            add("lease ends in", span(expires_in));
            add("cancel requested", yes_or_no(cancel_requested).to_owned());
        }
        JobPlace::Scheduled { due_in } => add("due in", span(due_in)),
        _ => {}
    }
    add("accepted", ago(view.accepted_at));
    add("failed attempts", counters.attempts.to_string());
    add("reclaims", counters.reclaims.to_string());
    add("snoozes", counters.snoozes.to_string());
    add("replays", counters.replays.to_string());
    // The newest first: it is what has to be mended.
    let last = view.failures.last.as_ref();
    let first = view
        .failures
        .first
        .as_ref()
        .filter(|first| Some(*first) != last);
    for (name, failure) in [("last failure", last), ("first failure", first)] {
        if let Some(RecordedFailure { report, at, .. }) = failure {
            let worker = if report.worker.is_empty() {
                String::new()
            } else {
                format!(" by {}", report.worker)
            };
            add(name, format!("{}: {}", report.kind, report.error));
            add("", format!("at {}{worker}", timestamp(*at)));
        }
    }
    for (name, value) in data.metadata().iter() {
        add(&format!("metadata {name}"), printable(value));
    }
    add("payload", format!("{} bytes", data.payload().len()));
    lines
}

/// Bytes as text where they are some, as base64 otherwise.
pub(crate) fn printable(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => format!("{} (base64)", STANDARD.encode(bytes)),
    }
}

fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}
