use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

use bytes::Bytes;
use http::Request;
use serde::Serialize;

use crate::args::{Format, Verify};
use crate::exit::Failure;
use crate::explain::{Explanation, Trial, Verdict, explain};
use crate::output::{Table, timestamp, to_json};
use crate::request;
use crate::terminal::Terminal;

#[derive(Serialize)]
struct Record {
    preset: &'static str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id_is_signed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    handshake_status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<StepRecord>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    causes: Option<Vec<CauseRecord>>,
}

#[derive(Serialize)]
struct StepRecord {
    step: &'static str,
    outcome: &'static str,
    note: String,
}

#[derive(Serialize)]
struct CauseRecord {
    cause: &'static str,
    text: String,
}

/// Judges a captured request.
pub(super) fn run(
    verify: &Verify,
    format: Format,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    if format == Format::Ids {
        return Err(Failure::Usage("a verdict has no id".to_owned()));
    }
    let secret = read_secret(&verify.secret_file)?;
    let request = read_request(&verify.request, terminal)?;
    let facts = verify.preset;
    let trial = Trial::new(facts, &secret, verify.now.unwrap_or_else(SystemTime::now))
        .url(verify.url.as_deref());
    if verify.url.is_some() && !facts.described().needs_url {
        terminal.say(&format!(
            "{} does not sign the URL; --url changes nothing",
            facts.title()
        ));
    }
    if let Some(error) = trial.too_short() {
        terminal.say(&format!("a receiver refuses the secret: {error}"));
    }
    let verdict = trial.judge(&request);
    let explanation = verify.explain.then(|| explain(&trial, &request));
    if let (Verdict::Unusable(error), None) = (&verdict, &explanation) {
        return Err(Failure::Usage(unusable(&trial, &error.to_string())));
    }
    let record = record(&trial, &verdict, explanation);
    match format {
        Format::Table => show(&record, terminal)?,
        _ => terminal.line(&to_json(&record)?)?,
    }
    match verdict {
        Verdict::Genuine(_) => Ok(()),
        Verdict::Unusable(error) => Err(Failure::Usage(unusable(&trial, &error.to_string()))),
        Verdict::Refused(_) | Verdict::Waits => Err(Failure::NotDone),
    }
}

fn unusable(trial: &Trial<'_>, error: &str) -> String {
    if trial.facts.described().needs_url && trial.url.is_none() {
        return format!(
            "{} signs the URL of the endpoint; give --url URL",
            trial.facts.title()
        );
    }
    error.to_owned()
}

fn record(trial: &Trial<'_>, verdict: &Verdict, explanation: Option<Explanation>) -> Record {
    let mut record = Record {
        preset: trial.facts.name(),
        verdict: "refused",
        cause: None,
        status: None,
        signed_at: None,
        id: None,
        id_is_signed: None,
        kind: None,
        handshake_status: None,
        steps: None,
        causes: None,
    };
    match verdict {
        Verdict::Genuine(genuine) => {
            record.verdict = "genuine";
            record.signed_at = genuine.proof.signed_at().map(timestamp);
            let id = genuine.identity.id();
            record.id = id.map(|id| id.as_str().to_owned());
            record.id_is_signed = id.map(|id| id.is_signed());
            record.kind = Some(genuine.identity.kind_name().to_owned());
            record.handshake_status = genuine.handshake;
        }
        Verdict::Refused(rejection) => {
            record.cause = Some(rejection.cause().to_owned());
            let wanted = trial.facts.refusal().filter(|_| rejection.is_unauthentic());
            record.status = Some(wanted.unwrap_or_else(|| rejection.status()).as_u16());
        }
        Verdict::Unusable(_) => {
            record.verdict = "unusable";
            record.cause = Some("settings".to_owned());
        }
        Verdict::Waits => record.cause = Some("key_fetched".to_owned()),
    }
    if let Some(Explanation { steps, causes }) = explanation {
        let steps = steps.into_iter().map(|step| StepRecord {
            step: step.name,
            outcome: step.outcome.as_str(),
            note: step.note,
        });
        record.steps = Some(steps.collect());
        let causes = causes.into_iter().map(|cause| CauseRecord {
            cause: cause.name,
            text: cause.text,
        });
        record.causes = Some(causes.collect());
    }
    record
}

fn show(record: &Record, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let id = record.id.as_ref().map(|id| match record.id_is_signed {
        Some(true) => format!("{id} (signed)"),
        _ => format!("{id} (not signed)"),
    });
    let lines = [
        ("verdict", Some(record.verdict.to_owned())),
        ("preset", Some(record.preset.to_owned())),
        ("cause", record.cause.clone()),
        ("answer", record.status.map(|status| status.to_string())),
        ("signed at", record.signed_at.clone()),
        ("id", id),
        ("kind", record.kind.clone()),
        (
            "handshake",
            record
                .handshake_status
                .map(|status| format!("answered with {status}")),
        ),
    ];
    for (name, value) in lines {
        if let Some(value) = value {
            terminal.line(&format!("{name:9}  {}", crate::output::escape(&value)))?;
        }
    }
    if let Some(steps) = &record.steps {
        terminal.line("")?;
        let mut table = Table::new(&["STEP", "OUTCOME", "NOTE"]);
        for step in steps {
            table.row([
                step.step.to_owned(),
                step.outcome.to_owned(),
                step.note.clone(),
            ]);
        }
        table.write(terminal)?;
    }
    for cause in record.causes.iter().flatten() {
        terminal.line("")?;
        let text = crate::output::escape(&cause.text);
        terminal.line(&format!("likely: {text} [{}]", cause.cause))?;
    }
    Ok(())
}

/// The secret in a file, without one line end.
pub(super) fn read_secret(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut secret = read_file(path, MAX_SECRET)?;
    if secret.last() == Some(&b'\n') {
        secret.pop();
        if secret.last() == Some(&b'\r') {
            secret.pop();
        }
    }
    Ok(secret)
}

fn read_request(path: &Path, terminal: &mut Terminal<'_>) -> Result<Request<Bytes>, Failure> {
    let text = if path == Path::new("-") {
        let read = terminal.read(MAX_REQUEST + 1);
        whole(read, MAX_REQUEST, "standard input")?
    } else {
        read_file(path, MAX_REQUEST)?
    };
    let wrong = |error| Failure::Usage(format!("{}: {error}", path.display()));
    request::parse(&text.into()).map_err(wrong)
}

fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let read = File::open(path).and_then(|file| {
        let mut read = Vec::new();
        file.take(limit + 1).read_to_end(&mut read)?;
        Ok(read)
    });
    whole(read, limit, &path.display().to_string())
}

fn whole(read: std::io::Result<Vec<u8>>, limit: u64, what: &str) -> Result<Vec<u8>, Failure> {
    let read = read.map_err(|error| Failure::Usage(format!("{what} can't be read: {error}")))?;
    if u64::try_from(read.len()).is_ok_and(|len| len > limit) {
        return Err(Failure::Usage(format!(
            "{what} is longer than {limit} bytes"
        )));
    }
    Ok(read)
}

const MAX_SECRET: u64 = 64 * 1024;
const MAX_REQUEST: u64 = 64 * 1024 * 1024;
