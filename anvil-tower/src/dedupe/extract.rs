use std::sync::Arc;

use http::HeaderName;
use http::request::Parts;
use sha2::{Digest, Sha256};

use crate::json::JsonPointer;
use crate::{ConfigError, Verified};

/// Finds the part of a delivery that names it.
///
/// Runs after verification, on a whole body. Implemented for closures:
///
/// ```
/// use anvil_tower::{DedupeLayer, Verified};
/// use http::request::Parts;
///
/// let layer = DedupeLayer::new(|verified: &Verified, _head: &Parts, _body: &[u8]| {
///     let id = verified.delivery_id()?;
///     Some([verified.kind(), "/", id.as_str()].concat().into_bytes())
/// });
/// # let _ = layer;
/// ```
pub trait KeyExtractor: Send + Sync {
    /// The part, or nothing where the delivery has none. An empty part counts as nothing, so that
    /// deliveries with an empty field are never taken for one another.
    fn part(&self, verified: &Verified, head: &Parts, body: &[u8]) -> Option<Vec<u8>>;

    /// Whether deliveries with equal parts have equal content, unless a signed id names them. Two
    /// of them under different ids are then worth a count, see
    /// [`DedupeLayer::came_under_other_ids`](super::DedupeLayer::came_under_other_ids). Default: no.
    fn is_by_content(&self) -> bool {
        false
    }
}

impl<F> KeyExtractor for F
where
    F: Fn(&Verified, &Parts, &[u8]) -> Option<Vec<u8>> + Send + Sync,
{
    fn part(&self, verified: &Verified, head: &Parts, body: &[u8]) -> Option<Vec<u8>> {
        self(verified, head, body)
    }
}

impl KeyExtractor for Arc<dyn KeyExtractor + '_> {
    fn part(&self, verified: &Verified, head: &Parts, body: &[u8]) -> Option<Vec<u8>> {
        (**self).part(verified, head, body)
    }

    fn is_by_content(&self) -> bool {
        (**self).is_by_content()
    }
}

/// The signed id, or else the SHA-256 of what was signed.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Recommended;

impl KeyExtractor for Recommended {
    fn part(&self, verified: &Verified, _head: &Parts, body: &[u8]) -> Option<Vec<u8>> {
        Some(verified.recommended_part(body))
    }

    fn is_by_content(&self) -> bool {
        true
    }
}

/// The part is [`signature_and_payload`] of the header that carried the signature. Nothing where
/// the scheme has no such header.
///
/// A sender that signs its retries anew, as Stripe and Standard Webhooks do, gets a new key for
/// each, which is why this is not the default.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SignatureAndPayload;

impl KeyExtractor for SignatureAndPayload {
    fn part(&self, verified: &Verified, head: &Parts, body: &[u8]) -> Option<Vec<u8>> {
        let signature = head.headers.get(verified.signature_header()?)?;
        Some(signature_and_payload(signature.as_bytes(), body).to_vec())
    }

    fn is_by_content(&self) -> bool {
        true
    }
}

/// `SHA-256(signature header value ‖ raw payload)`.
///
/// ```
/// use anvil_tower::signature_and_payload;
///
/// let part = signature_and_payload(b"sha256=00", b"{}");
/// assert_eq!(part[..4], [0x15, 0xe7, 0x4f, 0x92]);
/// ```
#[must_use]
pub fn signature_and_payload(signature: &[u8], payload: &[u8]) -> [u8; 32] {
    Sha256::new()
        .chain_update(signature)
        .chain_update(payload)
        .finalize()
        .into()
}

/// The value of a header. Nothing where the header is not there or is empty.
///
/// Most senders sign no header, so whoever captured one delivery can send it again under another
/// value.
#[derive(Clone, Debug)]
pub struct Header(HeaderName);

impl Header {
    pub(super) fn new(name: &str) -> Result<Self, ConfigError> {
        HeaderName::try_from(name)
            .map(Self)
            .map_err(|_| ConfigError::new(format!("{name:?} can't be the name of a header")))
    }
}

impl KeyExtractor for Header {
    fn part(&self, _verified: &Verified, head: &Parts, _body: &[u8]) -> Option<Vec<u8>> {
        head.headers
            .get(&self.0)
            .map(|value| value.as_bytes().to_vec())
    }
}

/// The text or whole number at a JSON pointer into the body. Nothing where the body is not JSON,
/// or has no such value there or two of them.
#[derive(Clone, Debug)]
pub struct Pointer(JsonPointer);

impl Pointer {
    pub(super) fn new(pointer: &str) -> Result<Self, ConfigError> {
        JsonPointer::parse(pointer).map(Self)
    }
}

impl KeyExtractor for Pointer {
    fn part(&self, _verified: &Verified, _head: &Parts, body: &[u8]) -> Option<Vec<u8>> {
        self.0.find(body).map(String::into_bytes)
    }
}

/// The SHA-256 of the body. Two events with equal bodies are one.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct PayloadDigest;

impl KeyExtractor for PayloadDigest {
    fn part(&self, _verified: &Verified, _head: &Parts, body: &[u8]) -> Option<Vec<u8>> {
        Some(Sha256::digest(body).to_vec())
    }

    fn is_by_content(&self) -> bool {
        true
    }
}

const _: Option<Arc<dyn KeyExtractor>> = None;
