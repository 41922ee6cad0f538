//! Handshakes that nobody has signed. Whatever they hold, a stranger may have written.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, Method, Response};
use serde::Serialize;
use serde::de::IgnoredAny;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::answer::{json, text};
use super::query::parameter;
use crate::preset::Preset;

/// <https://developers.asana.com/docs/webhooks-guide>
pub(super) fn asana(preset: &Preset, head: &Parts) -> Option<Response<Bytes>> {
    if head.method != Method::POST || head.headers.contains_key("x-hook-signature") {
        return None;
    }
    let secret = only_header(head, &HOOK_SECRET)?;
    if !preset.adopts(secret) {
        return None;
    }
    let mut response = Response::new(Bytes::new());
    let mut secret = head.headers.get(&HOOK_SECRET)?.clone();
    secret.set_sensitive(true);
    response.headers_mut().insert(HOOK_SECRET, secret);
    Some(response)
}

/// <https://www.dropbox.com/developers/reference/webhooks>
pub(super) fn dropbox(_: &Preset, head: &Parts) -> Option<Response<Bytes>> {
    echo(&Method::GET, head, "challenge")
}

/// <https://developers.facebook.com/docs/graph-api/webhooks/getting-started>
pub(super) fn meta(preset: &Preset, head: &Parts) -> Option<Response<Bytes>> {
    if head.method != Method::GET || parameter(head, "hub.mode")? != "subscribe" {
        return None;
    }
    let shown = parameter(head, "hub.verify_token")?;
    if !is_same(&shown, preset.handshake_token()?) {
        return None;
    }
    echo(&Method::GET, head, "hub.challenge")
}

/// <https://learn.microsoft.com/en-us/graph/change-notifications-delivery-webhooks>
pub(super) fn microsoft_graph(_: &Preset, head: &Parts) -> Option<Response<Bytes>> {
    echo(&Method::POST, head, "validationToken")
}

/// <https://developer.okta.com/docs/concepts/event-hooks>
pub(super) fn okta(_: &Preset, head: &Parts) -> Option<Response<Bytes>> {
    #[derive(Serialize)]
    struct Answer<'c> {
        verification: &'c str,
    }

    if head.method != Method::GET {
        return None;
    }
    let challenge = HeaderName::from_static("x-okta-verification-challenge");
    let verification = only_header(head, &challenge)?;
    json(&Answer { verification })
}

/// <https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks>
pub(super) fn head(_: &Preset, head: &Parts) -> Option<Response<Bytes>> {
    (head.method == Method::HEAD).then(Response::default)
}

/// <https://docs.x.com/x-api/webhooks/quickstart>
///
/// X signs its deliveries with the same key in the same way, so whoever asks for the HMAC of a text
/// gets the signature of a delivery whose body is that text. Only what can't be JSON is signed: X
/// delivers JSON, and no handler takes anything else for an event.
pub(super) fn x(preset: &Preset, head: &Parts) -> Option<Response<Bytes>> {
    #[derive(Serialize)]
    struct Answer {
        response_token: String,
    }

    if head.method != Method::GET {
        return None;
    }
    let token = parameter(head, "crc_token")?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.=+/".contains(&byte);
    let is_harmless = (1..=MAX_TOKEN_LEN).contains(&token.len())
        && token.bytes().all(is_token)
        && serde_json::from_str::<IgnoredAny>(&token).is_err();
    if !is_harmless {
        return None;
    }
    let mac = preset.hmac()?.mac(0, token.as_bytes());
    json(&Answer {
        response_token: format!("sha256={}", STANDARD.encode(mac)),
    })
}

fn echo(method: &Method, head: &Parts, name: &str) -> Option<Response<Bytes>> {
    if head.method != *method {
        return None;
    }
    let challenge = parameter(head, name)?;
    is_plain(&challenge).then(|| text(challenge))
}

fn only_header<'h>(head: &'h Parts, name: &HeaderName) -> Option<&'h str> {
    let mut values = head.headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    (values.next().is_none() && is_plain(value)).then_some(value)
}

/// Whether a text is what a sender would ask with: short and printable, and no part of a page.
fn is_plain(text: &str) -> bool {
    let is_plain = |byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'<' | b'>');
    (1..=MAX_TOKEN_LEN).contains(&text.len()) && text.bytes().all(is_plain)
}

/// In constant time, but for the length of what the stranger sent.
fn is_same(shown: &str, token: &str) -> bool {
    let (shown, token) = (Sha256::digest(shown), Sha256::digest(token));
    shown.as_slice().ct_eq(token.as_slice()).into()
}

const HOOK_SECRET: HeaderName = HeaderName::from_static("x-hook-secret");
const MAX_TOKEN_LEN: usize = 1024;
