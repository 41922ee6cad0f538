use anvil_tower::hmac::SecretEncoding;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::Request;

use super::{Cause, Trial};

/// Another way to read the secret under which the signature is right.
pub(super) fn find(trial: &Trial<'_>, request: &Request<Bytes>) -> Option<Cause> {
    let secret = &trial.secret;
    let encodings = ENCODINGS.map(Some).into_iter();
    let fits = |form: &[u8], encoding| trial.with_secret(form, encoding).fits(request);
    if let Some(encoding) = encodings.clone().find(|encoding| fits(secret, *encoding)) {
        return Some(Cause::new("secret_encoding", reading(encoding)));
    }
    for (what, form) in forms(secret) {
        for encoding in [None].into_iter().chain(encodings.clone()) {
            if fits(&form, encoding) {
                let and = match encoding {
                    None => String::new(),
                    encoding => format!("; and {}", reading(encoding)),
                };
                return Some(Cause::new("secret_form", format!("{what}{and}")));
            }
        }
    }
    // Any key can be written in base64, also one that no setting takes.
    for (what, end) in [("LF", &b"\n"[..]), ("CRLF", b"\r\n")] {
        let key = STANDARD.encode([&secret[..], end].concat());
        if fits(key.as_bytes(), Some(SecretEncoding::Base64)) {
            let text = format!(
                "the sender's key has a line end ({what}) after the secret: it was read from a file with it"
            );
            return Some(Cause::new("secret_form", text));
        }
    }
    None
}

/// Ways in which a secret is copied wrongly, and what it then should be.
fn forms(secret: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut forms = Vec::new();
    let mut add = |what: &str, form: &[u8]| {
        if !form.is_empty() && form != secret {
            forms.push((what.to_owned(), form.to_vec()));
        }
    };
    add(
        "the secret file has white space around the secret",
        secret.trim_ascii(),
    );
    let trimmed = secret.trim_ascii();
    let value = match trimmed.iter().position(|byte| *byte == b'=') {
        Some(at) if trimmed[..at].iter().all(|byte| is_of_a_variable(*byte)) => &trimmed[at + 1..],
        _ => trimmed,
    };
    add(
        "the secret file holds NAME=secret; only the secret belongs into it",
        value,
    );
    for quote in [&b"\""[..], b"'"] {
        let inner = value.strip_prefix(quote);
        if let Some(inner) = inner.and_then(|inner| inner.strip_suffix(quote)) {
            add("the secret file has quotes around the secret", inner);
        }
    }
    if let Some(inner) = trimmed.strip_prefix(b"v1,") {
        add("the secret does not begin with `v1,`", inner);
    }
    if let Some(at) = trimmed[..trimmed.len().min(MAX_PREFIX)]
        .iter()
        .rposition(|byte| *byte == b'_')
    {
        let what = format!("the key is what follows the prefix of {} bytes", at + 1);
        add(&what, &trimmed[at + 1..]);
    }
    if !trimmed.starts_with(b"whsec_") {
        let whole = [b"whsec_", trimmed].concat();
        add("the prefix whsec_ is part of the key", &whole);
    }
    add(
        "the secret is in upper case here",
        &trimmed.to_ascii_lowercase(),
    );
    add(
        "the secret is in lower case here",
        &trimmed.to_ascii_uppercase(),
    );
    forms
}

fn is_of_a_variable(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
}

fn reading(encoding: Option<SecretEncoding>) -> String {
    let way = match encoding {
        Some(SecretEncoding::Base64) => "the secret decoded from base64",
        Some(SecretEncoding::Hex) => "the secret decoded from hex",
        Some(SecretEncoding::Nfkd) => "the secret in its NFKD form",
        Some(SecretEncoding::Verbatim) => "the secret byte for byte, not decoded",
        Some(SecretEncoding::Whsec) => "what follows whsec_, decoded from base64",
        _ => "the secret read in another way",
    };
    match encoding {
        Some(encoding) => {
            format!("the sender's key is {way}: secret_encoding(SecretEncoding::{encoding:?})")
        }
        None => way.to_owned(),
    }
}

const ENCODINGS: [SecretEncoding; 5] = [
    SecretEncoding::Verbatim,
    SecretEncoding::Base64,
    SecretEncoding::Hex,
    SecretEncoding::Whsec,
    SecretEncoding::Nfkd,
];
/// How far in a prefix such as `whsec_` or `sk_live_` may end.
const MAX_PREFIX: usize = 12;
