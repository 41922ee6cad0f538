use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::Request;
use http::header::CONTENT_LENGTH;

use super::json_text::{Escapes, Spacing, is_json, reescape, respace};
use super::{Cause, Trial};

/// Another form of the body for which the signature is right.
pub(super) fn find(trial: &Trial<'_>, request: &Request<Bytes>) -> Option<Cause> {
    let body = &request.body()[..];
    let fits = |form: &[u8]| {
        form != body && trial.fits(&request.clone().map(|_| Bytes::copy_from_slice(form)))
    };
    for (what, form) in plain_forms(request) {
        if fits(&form) {
            let text = format!("{what}; {KEEP}");
            return Some(Cause::new("body_changed", text));
        }
    }
    if body.len() > MAX_REWRITTEN || !is_json(body) {
        return None;
    }
    let text = str::from_utf8(body).ok()?.trim();
    for (spaces, spacing) in SPACINGS {
        for (marks, escapes) in ESCAPES {
            let form = escapes.map_or_else(|| text.to_owned(), |way| reescape(text, way));
            let form = match spacing {
                Some(spacing) => respace(form.as_bytes(), spacing),
                None => form.into_bytes(),
            };
            for (end, line_end) in ENDS {
                if fits(&[&form[..], line_end].concat()) {
                    let ways: Vec<_> = [spaces, marks, end]
                        .into_iter()
                        .filter(|way| !way.is_empty())
                        .collect();
                    let text = format!(
                        "the body was parsed and written again on its way: signed was JSON {}; {KEEP}",
                        ways.join(", ")
                    );
                    return Some(Cause::new("body_rewritten", text));
                }
            }
        }
    }
    None
}

/// What the head says of the length, where that is not the length.
pub(super) fn length(request: &Request<Bytes>) -> Option<Cause> {
    let said: usize = request
        .headers()
        .get(CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()?;
    let is = request.body().len();
    (said != is).then(|| {
        let text = format!(
            "the head says that the body has {said} bytes, and here it has {is}: it was changed or cut since"
        );
        Cause::new("body_length", text)
    })
}

/// Forms of any body, with what happened to it.
fn plain_forms(request: &Request<Bytes>) -> Vec<(&'static str, Vec<u8>)> {
    let body = &request.body()[..];
    let mut forms = Vec::new();
    let cut = body.strip_suffix(b"\n").unwrap_or(body);
    let cut = cut.strip_suffix(b"\r").unwrap_or(cut);
    forms.push(("a line end was added after the body", cut.to_vec()));
    for end in [&b"\n"[..], b"\r\n"] {
        let whole = [body, end].concat();
        forms.push(("the line end after the body was cut off", whole));
    }
    forms.push((
        "white space around the body was added",
        body.trim_ascii().to_vec(),
    ));
    let with_lf = replace_line_ends(body, b"\n");
    forms.push(("line ends in the body were LF and are CRLF now", with_lf));
    let with_crlf = replace_line_ends(body, b"\r\n");
    forms.push(("line ends in the body were CRLF and are LF now", with_crlf));
    if let Ok(decoded) = STANDARD.decode(body.trim_ascii()) {
        let what = "the body is in base64 here, as some gateways pass it on, and was signed before";
        forms.push((what, decoded));
    }
    if let Some(whole) = without_chunks(body) {
        forms.push(("the body still has the marks of its chunks", whole));
    }
    let latin: Option<Vec<u8>> = str::from_utf8(body)
        .ok()
        .and_then(|text| text.chars().map(|c| u8::try_from(c).ok()).collect());
    if let Some(latin) = latin {
        let what = "the body was read as Latin-1 and written as UTF-8";
        forms.push((what, latin));
    }
    if let Some(bare) = body.strip_prefix(b"\xef\xbb\xbf") {
        let what = "a byte order mark was put in front of the body";
        forms.push((what, bare.to_vec()));
    }
    forms
}

fn replace_line_ends(body: &[u8], end: &[u8]) -> Vec<u8> {
    let mut lines = body.split(|byte| *byte == b'\n');
    let mut written = lines.next().unwrap_or_default().to_vec();
    for line in lines {
        if written.last() == Some(&b'\r') {
            written.pop();
        }
        written.extend_from_slice(end);
        written.extend_from_slice(line);
    }
    written
}

/// The body in chunks (RFC 9112, section 7.1), put together.
fn without_chunks(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let end = rest.windows(2).position(|pair| pair == b"\r\n")?;
        let size = str::from_utf8(&rest[..end]).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        rest = &rest[end + 2..];
        if size == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(rest.get(..size)?);
        rest = rest.get(size..)?.strip_prefix(b"\r\n")?;
    }
}

const KEEP: &str = "verify the bytes as they came, before anything reads them";
/// Rewriting is tried in some hundred ways.
const MAX_REWRITTEN: usize = 256 * 1024;
const SPACINGS: [(&str, Option<Spacing>); 6] = [
    ("", None),
    ("without white space", Some(Spacing::Compact)),
    ("with a space after each mark", Some(Spacing::Spaced)),
    ("in lines indented by 2", Some(Spacing::Lines("  "))),
    ("in lines indented by 4", Some(Spacing::Lines("    "))),
    ("in lines indented by tabs", Some(Spacing::Lines("\t"))),
];
const ESCAPES: [(&str, Option<Escapes>); 7] = [
    ("", None),
    ("with escaped slashes", Some(Escapes::EscapedSlashes)),
    ("with escaped letters", Some(Escapes::EscapedUnicode)),
    (
        "with escaped slashes and letters",
        Some(Escapes::EscapedSlashesAndUnicode),
    ),
    ("with plain slashes", Some(Escapes::PlainSlashes)),
    ("with plain letters", Some(Escapes::PlainUnicode)),
    (
        "with plain slashes and letters",
        Some(Escapes::PlainSlashesAndUnicode),
    ),
];
const ENDS: [(&str, &[u8]); 3] = [
    ("", b""),
    ("with a line end after it", b"\n"),
    ("with CRLF after it", b"\r\n"),
];
