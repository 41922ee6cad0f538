use std::borrow::Cow;
use std::sync::Arc;

use anvil_queue::Metadata;
use bytes::Bytes;
use http::{HeaderMap, HeaderName};

use super::KEY_ID_METADATA;
use crate::ConfigError;

/// The headers that go into a job's metadata: an allow-list, because whatever is stored is read by
/// every worker and kept with every dead letter.
#[derive(Clone, Debug)]
pub(super) struct StoredHeaders(Arc<[(HeaderName, Cow<'static, str>)]>);

impl StoredHeaders {
    pub(super) fn new<N>(names: impl IntoIterator<Item = N>) -> Result<Self, ConfigError>
    where
        N: Into<Cow<'static, str>>,
    {
        names
            .into_iter()
            .map(|name| allowed(name.into()))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Copies the values. A slice would keep the connection's whole buffer for as long as the job
    /// waits.
    pub(super) fn copy(&self, headers: &HeaderMap) -> Metadata {
        let mut metadata = Metadata::default();
        let mut bytes = 0;
        let all = self.0.iter().flat_map(|(name, label)| {
            headers
                .get_all(name)
                .into_iter()
                .map(move |value| (label, value))
        });
        for (label, value) in all {
            bytes += label.len() + value.len();
            if metadata.len() == MAX_ENTRIES || bytes > MAX_BYTES {
                tracing::warn!(
                    header = &**label,
                    "headers are too many or too long to store"
                );
                break;
            }
            metadata.push(label.clone(), Bytes::copy_from_slice(value.as_bytes()));
        }
        metadata
    }
}

impl Default for StoredHeaders {
    fn default() -> Self {
        let names = ["content-type", "traceparent", "tracestate"];
        Self(
            names
                .map(|name| (HeaderName::from_static(name), Cow::Borrowed(name)))
                .into(),
        )
    }
}

fn allowed(name: Cow<'static, str>) -> Result<(HeaderName, Cow<'static, str>), ConfigError> {
    let header = HeaderName::try_from(&*name)
        .map_err(|_| ConfigError::new(format!("{name:?} can't be the name of a header")))?;
    if header == KEY_ID_METADATA {
        return Err(ConfigError::new(format!(
            "{header} is the id of the key that verified a delivery, and not for the sender to say; leave it out of store_headers"
        )));
    }
    if CARRY_SECRETS
        .iter()
        .any(|part| header.as_str().contains(part))
    {
        return Err(ConfigError::new(format!(
            "the header {header} carries a secret or a signature, which would be readable in every job; leave it out of store_headers"
        )));
    }
    Ok((header, name))
}

const CARRY_SECRETS: [&str; 8] = [
    "api-key",
    "authorization",
    "cookie",
    "gitlab-token",
    "hmac",
    "password",
    "secret",
    "signature",
];
const MAX_BYTES: usize = 8 * 1024;
const MAX_ENTRIES: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_carries_secrets_or_is_ours_is_refused() {
        for name in [
            "Authorization",
            "proxy-authorization",
            "Cookie",
            "x-api-key",
            "x-hub-signature-256",
            "x-shopify-hmac-sha256",
            "x-telegram-bot-api-secret-token",
            "x-gitlab-token",
            "Anvil-Key-Id",
            "bad name",
        ] {
            assert!(StoredHeaders::new([name]).is_err(), "{name}");
        }
        assert!(StoredHeaders::new(["X-GitHub-Event", "retry-token"]).is_ok());
    }

    #[test]
    fn only_listed_headers_are_copied_byte_for_byte() {
        let stored = StoredHeaders::new(["X-Event"]).unwrap();
        let mut headers = HeaderMap::new();
        headers.append("x-event", http::HeaderValue::from_bytes(b"a\xff").unwrap());
        headers.append("x-event", "b".parse().unwrap());
        headers.append("x-other", "c".parse().unwrap());
        let metadata = stored.copy(&headers);
        let entries: Vec<_> = metadata
            .iter()
            .map(|(name, value)| (name, &value[..]))
            .collect();
        assert_eq!(
            entries,
            [("X-Event", &b"a\xff"[..]), ("X-Event", &b"b"[..])]
        );
    }

    #[test]
    fn a_flood_of_headers_is_cut() {
        let stored = StoredHeaders::new(["x-event"]).unwrap();
        let mut many = HeaderMap::new();
        for _ in 0..100 {
            many.append("x-event", "v".parse().unwrap());
        }
        assert_eq!(stored.copy(&many).len(), MAX_ENTRIES);
        let mut long = HeaderMap::new();
        long.append("x-event", "v".repeat(MAX_BYTES).parse().unwrap());
        assert!(stored.copy(&long).is_empty());
    }
}
