//! The records of the file that the environment names: its names for what the project's own files
//! call something else, and the records that are not run.

use anvil_tower::preset::Facts;
use anvil_vectors::{Record, own};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// A record that is not run: sender, name, and why.
type Exception = (&'static str, &'static str, &'static str);

/// Why this record is not run, where it is not.
pub(crate) fn exception(record: &Record) -> Option<Exception> {
    let is = |exception: &&Exception| exception.0 == record.provider && exception.1 == record.name;
    EXCEPTIONS.iter().find(is).copied()
}

/// The record in the words of the project's own files.
pub(crate) fn translated(record: &Record) -> Record {
    let mut record = record.clone();
    let scheme = record.scheme.as_deref().unwrap_or_default();
    match (record.provider.as_str(), scheme) {
        ("adyen-standard", _) => {
            record.provider = "adyen".into();
            // Some records are one item alone, without the notification around it.
            let body = String::from_utf8_lossy(record.request().body()).into_owned();
            if !body.contains("notificationItems") {
                let items =
                    format!(r#"{{"notificationItems":[{{"NotificationRequestItem":{body}}}]}}"#);
                record.set_body(items);
            }
        }
        ("gitlab", "gitlab-token") => record.provider = "gitlab-token".into(),
        // Made before this sender wrote its secrets as the others do.
        ("polar", _) if record.secret_encoding.as_deref() == Some("utf8") => {
            record.secret_encoding = Some("verbatim".into());
        }
        ("aws-sns", _) => {
            let message: Value = serde_json::from_slice(record.request().body()).unwrap();
            let url = message["SigningCertURL"].as_str().unwrap_or_default();
            let certificate = record.secret.take().unwrap_or_default();
            record.certificates.insert(url.to_owned(), certificate);
            // While Amazon's certificate was valid.
            record.now_unix.get_or_insert(1_659_043_450);
        }
        ("paypal", _) => {
            let request = record.request();
            let url = request.headers()["paypal-cert-url"].to_str().unwrap();
            let key = record.secret.take().unwrap_or_default();
            record
                .certificates
                .insert(url.to_owned(), certificate_of(&key));
        }
        ("plaid", _) => {
            let key = record.secret.take().unwrap_or_default();
            let key = serde_json::from_str(&key).unwrap();
            record.keys.insert("kid-0001".into(), key);
        }
        _ => {}
    }
    // A record without a clock is not about time.
    let facts = record.preset().and_then(Facts::named);
    if record.now_unix.is_none() && facts.is_some_and(|facts| facts.described().tolerance.is_some())
    {
        record.tolerance_secs = Some(u64::MAX);
    }
    // The URL is the one that was signed, its query included.
    if let Some(url) = &record.url
        && let Ok(uri) = url.parse::<http::Uri>()
    {
        record.request_target = uri.path_and_query().map(ToString::to_string);
        record.url = url.split('?').next().map(str::to_owned);
    }
    record
}

/// A certificate with this RSA key, in the place of that of the project's own.
fn certificate_of(key: &str) -> String {
    let own = own().unwrap();
    let paypal = own.iter().find(|file| file.name == "paypal").unwrap();
    let pem = paypal.records[0].certificates.values().next().unwrap();
    let (new, mut certificate) = (der(key), der(pem));
    let mut places = certificate.windows(SAME_HEAD);
    let place = places.position(|part| part == &new[..SAME_HEAD]).unwrap();
    certificate[place..place + new.len()].copy_from_slice(&new);
    let base64 = STANDARD.encode(certificate);
    let lines = base64.as_bytes().chunks(64);
    let lines: Vec<_> = lines.map(String::from_utf8_lossy).collect();
    format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        lines.join("\n")
    )
}

fn der(pem: &str) -> Vec<u8> {
    let lines = pem.lines().filter(|line| !line.starts_with('-'));
    STANDARD.decode(lines.collect::<String>()).unwrap()
}

/// What a public key of 2048 bits begins with: lengths and the name of RSA.
const SAME_HEAD: usize = 32;
pub(crate) const EXCEPTIONS: &[Exception] = &[
    (
        "box",
        "1 s in the future",
        "the record wants no lead at all; a tolerance is two-sided here, for clocks that differ",
    ),
    (
        "box",
        "back-slash (SDK escapes the body to \\uXXXX before signing)",
        "the signature is not over the bytes that were sent, and no other bytes are taken",
    ),
    (
        "hubspot",
        "v2 GET, empty body",
        "version 2 is a bare SHA-256 without a timestamp; the preset takes version 3 alone",
    ),
    (
        "hubspot",
        "v2 POST",
        "version 2 is a bare SHA-256 without a timestamp; the preset takes version 3 alone",
    ),
    (
        "zendesk",
        "GET with an empty body is still signed",
        "a delivery is in the body, so the preset takes POST alone",
    ),
    (
        "zendesk",
        "older documentation example: BODY+TIMESTAMP order",
        "the sender's page was wrong then; it signs the timestamp first",
    ),
];
