//! The records of the file that the environment names: its names for what the project's own files
//! call something else, and the records that are not run.

use anvil_vectors::Record;

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
        ("adyen-standard", _) => record.provider = "adyen".into(),
        ("gitlab", "gitlab-token") => record.provider = "gitlab-token".into(),
        // Made before this sender wrote its secrets as the others do.
        ("polar", _) if record.secret_encoding.as_deref() == Some("utf8") => {
            record.secret_encoding = Some("verbatim".into());
        }
        _ => {}
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
];
