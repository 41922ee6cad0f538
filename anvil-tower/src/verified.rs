use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use http::HeaderName;

use crate::scheme::{DeliveryId, Identity, Proof, Scheme};

/// What is known about a delivery that passed verification.
///
/// [`VerifyLayer`](crate::VerifyLayer) puts it into the extensions of the request, and
/// [`VerifiedBody`](crate::VerifiedBody) carries it along. Cheap to clone.
#[derive(Clone)]
pub struct Verified(Arc<Record>);

struct Record {
    source: Arc<str>,
    scheme: &'static str,
    key_id: Arc<str>,
    key_is_named: bool,
    timestamp: Option<SystemTime>,
    identity: Identity,
}

impl Verified {
    pub(crate) fn new(
        source: Arc<str>,
        scheme: &impl Scheme,
        proof: &Proof,
        identity: Identity,
    ) -> Self {
        Self(Arc::new(Record {
            source,
            scheme: scheme.name(),
            key_id: scheme.key_id(proof.key),
            key_is_named: scheme.key_is_named(proof.key),
            timestamp: proof.timestamp,
            identity,
        }))
    }

    /// A record of a delivery that something else has verified, for
    /// [`VerifiedBody::assume_verified`](crate::VerifiedBody::assume_verified). Its scheme and its
    /// key are named `"assumed"`.
    #[must_use]
    pub fn assumed(source: impl Into<Arc<str>>, identity: Identity) -> Self {
        Self(Arc::new(Record {
            source: source.into(),
            scheme: ASSUMED,
            key_id: ASSUMED.into(),
            key_is_named: false,
            timestamp: None,
            identity,
        }))
    }

    /// The configured name of the route the delivery came in by.
    #[must_use]
    pub fn source(&self) -> &Arc<str> {
        &self.0.source
    }

    /// The name of the scheme that verified it.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        self.0.scheme
    }

    /// The id of the key that matched: the name it was given, or else its number.
    #[must_use]
    pub fn key_id(&self) -> &str {
        &self.0.key_id
    }

    /// When the sender signed it, where the scheme has a signed timestamp.
    #[must_use]
    pub fn timestamp(&self) -> Option<SystemTime> {
        self.0.timestamp
    }

    /// The id the sender gave it, where there is one.
    #[must_use]
    pub fn delivery_id(&self) -> Option<&DeliveryId> {
        self.0.identity.id()
    }

    /// The event type, 1 to 200 printable bytes; `"webhook"` where the sender names none.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.0.identity.kind_name()
    }

    /// The id of the key that matched, where the user has named the key.
    pub(crate) fn key_name(&self) -> Option<&str> {
        self.0.key_is_named.then_some(&*self.0.key_id)
    }

    /// Source and kind, for a job; not copied where nobody else has the record any more.
    pub(crate) fn into_names(self) -> (Arc<str>, Cow<'static, str>) {
        match Arc::try_unwrap(self.0) {
            Ok(record) => (record.source, record.identity.into_kind()),
            Err(record) => (
                Arc::clone(&record.source),
                record.identity.clone().into_kind(),
            ),
        }
    }

    /// The header that carried the signature, where there was one.
    #[must_use]
    pub fn signature_header(&self) -> Option<&HeaderName> {
        self.0.identity.signature_header_name()
    }

    /// The part that names the delivery best: the signed id, or else the SHA-256 of what was
    /// signed.
    ///
    /// An id that is not signed never counts here: whoever captured one delivery could send it
    /// again under any id.
    #[must_use]
    pub fn recommended_part(&self, body: &[u8]) -> Vec<u8> {
        self.0.identity.recommended_part(body)
    }
}

impl fmt::Debug for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verified")
            .field("source", self.source())
            .field("scheme", &self.scheme())
            .field("key_id", &self.key_id())
            .field("timestamp", &self.timestamp())
            .field("delivery_id", &self.delivery_id())
            .field("kind", &self.kind())
            .finish_non_exhaustive()
    }
}

const ASSUMED: &str = "assumed";
