use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request};

use super::{Cause, Trial, Verdict};

/// Other names of the headers under which the request has what the sender sends.
pub(super) fn renamed(
    trial: &Trial<'_>,
    request: &Request<Bytes>,
    verdict: &Verdict,
) -> Option<Cause> {
    let mut names = Vec::new();
    let mut headers = HeaderMap::new();
    for (name, value) in request.headers() {
        let name = match original(name) {
            Some(original) if !request.headers().contains_key(&original) => {
                names.push(format!("{name} for {original}"));
                original
            }
            _ => name.clone(),
        };
        headers.append(name, value.clone());
    }
    if names.is_empty() {
        return None;
    }
    let mut again = request.clone();
    *again.headers_mut() = headers;
    let went_on = match (trial.judge(&again), verdict) {
        (Verdict::Genuine(_), _) => true,
        (Verdict::Refused(now), Verdict::Refused(before)) => now.cause() != before.cause(),
        _ => false,
    };
    went_on.then(|| {
        let text = format!(
            "something in front renamed headers ({}): let it pass the names of the sender on",
            names.join(", ")
        );
        Cause::new("header_renamed", text)
    })
}

/// The name a header had before a gateway gave it this one.
fn original(name: &HeaderName) -> Option<HeaderName> {
    let mut bare = name.as_str();
    for prefix in [
        "http_",
        "x-amzn-remapped-",
        "x-original-",
        "x-forwarded-header-",
    ] {
        bare = bare.strip_prefix(prefix).unwrap_or(bare);
    }
    let original = HeaderName::try_from(bare.replace('_', "-")).ok()?;
    (original != *name).then_some(original)
}

/// That something is not there, and what is there instead.
pub(super) fn missing(trial: &Trial<'_>, request: &Request<Bytes>, cause: &str) -> Cause {
    let names = request.headers().keys().map(HeaderName::as_str);
    let alike: Vec<_> = names
        .filter(|name| LIKE_A_SIGNATURE.iter().any(|part| name.contains(part)))
        .collect();
    let there = if alike.is_empty() {
        "no header of the request looks like a signature: the request is not the sender's, no secret is set with it, or a proxy drops the header".to_owned()
    } else {
        format!("headers that look alike: {}", alike.join(", "))
    };
    let title = trial.facts.title();
    let signature = trial.facts.described().signature;
    let text = format!("{cause}: {title} puts its signature into {signature}; {there}");
    Cause::new("header_missing", text)
}

/// Another spelling of the signature under which it is right.
pub(super) fn respelled(trial: &Trial<'_>, request: &Request<Bytes>) -> Option<Cause> {
    let signature = trial.facts.described().signature.to_ascii_lowercase();
    let names: Vec<_> = request
        .headers()
        .keys()
        .filter(|name| signature.contains(name.as_str()))
        .cloned()
        .collect();
    for name in names {
        let value = request.headers().get(&name)?.to_str().ok()?.to_owned();
        for (what, spelling) in spellings(&value) {
            let mut again = request.clone();
            again
                .headers_mut()
                .insert(&name, HeaderValue::try_from(spelling).ok()?);
            if trial.fits(&again) {
                let text = format!("the value of {name} {what}");
                return Some(Cause::new("signature_spelling", text));
            }
        }
    }
    None
}

fn spellings(value: &str) -> Vec<(String, String)> {
    let mut spellings = Vec::new();
    let bare = value.trim_matches(['"', '\'']);
    if bare != value {
        spellings.push(("has quotes around it".to_owned(), bare.to_owned()));
    }
    for tag in TAGS {
        let what = format!("lacks the `{tag}` in front");
        spellings.push((what, format!("{tag}{bare}")));
        if let Some(rest) = bare.strip_prefix(tag) {
            let what = format!("has `{tag}` in front, which is not the sender's way");
            spellings.push((what, rest.to_owned()));
        }
    }
    let tag_len = TAGS.iter().find(|tag| bare.starts_with(**tag));
    let (tag, digits) = bare.split_at(tag_len.map_or(0, |tag| tag.len()));
    if let Some(bytes) = from_hex(digits) {
        let what = "is hex, where the sender writes base64".to_owned();
        spellings.push((what, format!("{tag}{}", STANDARD.encode(bytes))));
    } else if let Ok(bytes) = STANDARD.decode(digits) {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let what = "is base64, where the sender writes hex".to_owned();
        spellings.push((what, format!("{tag}{hex}")));
    }
    spellings
}

fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    let is_hex = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hex || !digits.len().is_multiple_of(2) {
        return None;
    }
    pairs
        .map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

const LIKE_A_SIGNATURE: [&str; 7] = [
    "signature",
    "hmac",
    "sign",
    "hash",
    "digest",
    "token",
    "authorization",
];
const TAGS: [&str; 6] = ["sha256=", "sha1=", "sha512=", "v0=", "v1=", "v1,"];
