use std::time::SystemTime;

use anvil_queue::JobId;
use anvil_tower::Preset;
use anvil_tower::preset::Facts;
use bytes::Bytes;
use http::header::{
    ALLOW, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, LOCATION, RETRY_AFTER, USER_AGENT,
};
use http::{HeaderValue, Request, Response, Uri};
use serde::Serialize;

use super::verify::read_secret;
use crate::args::{Format, Send};
use crate::client;
use crate::exit::Failure;
use crate::output::{escape, printable, to_json};
use crate::request;
use crate::terminal::Terminal;

#[derive(Serialize)]
struct Record<'a> {
    id: &'a str,
    status: u16,
    headers: Vec<(&'a str, String)>,
    body: String,
}

/// Makes a signed delivery, and sends or prints it.
pub(super) async fn run(
    send: &Send,
    format: Format,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    let id = send
        .id
        .clone()
        .unwrap_or_else(|| JobId::generate().to_string());
    let request = signed(send, &id)?;
    if send.print {
        return Ok(terminal.bytes(&request::write(&request))?);
    }
    if send.secret_file.is_none() {
        terminal.say("signed with the secret that everybody knows; --secret-file names yours");
    }
    let response = match client::send(&send.to, request).await {
        Ok(response) => response,
        Err(error) => {
            terminal.say(&format!("error: {error}"));
            return Err(Failure::NotDone);
        }
    };
    match format {
        Format::Ids => terminal.line(&escape(&id))?,
        Format::Json | Format::Jsonl => terminal.line(&to_json(&record(&id, &response))?)?,
        Format::Table => show(&id, &response, terminal)?,
    }
    if response.status().is_success() {
        Ok(())
    } else {
        Err(Failure::NotDone)
    }
}

fn signed(send: &Send, id: &str) -> Result<Request<Bytes>, Failure> {
    let facts = send.preset;
    if !facts.has_sample() {
        return Err(Failure::Usage(not_imitated(facts)));
    }
    let wrong = |error: anvil_tower::ConfigError| Failure::Usage(error.to_string());
    let preset = preset(send).map_err(wrong)?;
    let event = send
        .event
        .as_deref()
        .unwrap_or_else(|| facts.sample_event());
    let target = send
        .to
        .path_and_query()
        .cloned()
        .map_or_else(|| Uri::from_static("/"), Uri::from);
    let mut request = preset
        .sample_to(&target, event, id, SystemTime::now())
        .map_err(wrong)?;
    let length = request.body().len();
    let headers = request.headers_mut();
    let host = send
        .to
        .authority()
        .map_or("", |authority| authority.as_str());
    // What stands before the host is a login, which is no part of it.
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = HeaderValue::try_from(host)
        .map_err(|_| Failure::Usage("--to has no host that can be named".to_owned()))?;
    headers.entry(HOST).or_insert(host);
    headers.entry(USER_AGENT).or_insert(AGENT);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    Ok(request)
}

fn preset(send: &Send) -> Result<Preset, anvil_tower::ConfigError> {
    let mut builder = send.preset.builder();
    builder = match &send.secret_file {
        None => builder.secret(KNOWN_SECRET),
        Some(path) => {
            let secret = read_secret(path).map_err(|failure| {
                anvil_tower::ConfigError::new(failure.message().unwrap_or_default())
            })?;
            // Whether that is wise the receiver decides.
            builder.secret(secret).allow_short_secret()
        }
    };
    if send.preset.described().needs_url {
        let url = send.url.clone().unwrap_or_else(|| send.to.to_string());
        builder = builder.public_url(url);
    }
    builder.build()
}

fn not_imitated(facts: &Facts) -> String {
    let described = facts.described();
    format!(
        "no delivery can be made in the name of {}: it signs with {} in {}, and only signatures with a shared secret in a header are imitated here",
        facts.title(),
        described.algorithm,
        described.signature
    )
}

fn record<'a>(id: &'a str, response: &Response<Bytes>) -> Record<'a> {
    Record {
        id,
        status: response.status().as_u16(),
        headers: headers(response),
        body: printable(response.body()),
    }
}

fn headers(response: &Response<Bytes>) -> Vec<(&'static str, String)> {
    let shown = SHOWN.iter().filter_map(|name| {
        let value = response.headers().get(name)?;
        Some((name_of(name), printable(value.as_bytes())))
    });
    shown.collect()
}

fn name_of(name: &'static HeaderName) -> &'static str {
    name.as_str()
}

fn show(id: &str, response: &Response<Bytes>, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let lines = [
        ("id", id.to_owned()),
        ("status", response.status().to_string()),
    ];
    for (name, value) in lines.into_iter().chain(headers(response)) {
        terminal.line(&format!("{name:12}  {}", escape(&value)))?;
    }
    if !response.body().is_empty() {
        terminal.line("")?;
        for line in printable(response.body()).lines() {
            terminal.line(&escape(line))?;
        }
    }
    Ok(())
}

/// Valid however a sender writes its keys: as text, in hex and in base64.
const KNOWN_SECRET: &str = "5555555555555555555555555555555555555555555555555555555555555555";
const AGENT: HeaderValue = HeaderValue::from_static(concat!("anvil/", env!("CARGO_PKG_VERSION")));
static SHOWN: [HeaderName; 4] = [CONTENT_TYPE, RETRY_AFTER, ALLOW, LOCATION];
