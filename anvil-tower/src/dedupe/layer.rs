use std::fmt;
use std::sync::Arc;

use tower_layer::Layer;

use super::{
    Dedupe, Header, PayloadDigest, Pointer, Recommended, RequireKeyLayer, SignatureAndPayload,
};
use crate::ConfigError;

/// Names each delivery; see the [module docs](super) for an example.
///
/// A delivery without the field that would name it gets no key and is enqueued all the same, with
/// an event in the log; [`require_key`](Self::require_key) refuses it instead.
#[must_use = "a layer does nothing until it wraps a service"]
pub struct DedupeLayer<E> {
    extractor: Arc<E>,
}

impl<E> DedupeLayer<E> {
    /// Names deliveries by an extractor of your own.
    pub fn new(extractor: E) -> Self {
        Self {
            extractor: Arc::new(extractor),
        }
    }

    /// Refuses a delivery without a key with 400, cause `missing_key`.
    pub fn require_key(self) -> RequireKeyLayer<E> {
        RequireKeyLayer::new(self)
    }
}

impl DedupeLayer<Recommended> {
    /// Names deliveries by what [`Verified`](crate::Verified) recommends: the signed id, or else
    /// the SHA-256 of what was signed. Every delivery has one.
    pub fn recommended() -> Self {
        Self::new(Recommended)
    }
}

impl DedupeLayer<SignatureAndPayload> {
    /// Names deliveries by signature and payload together.
    pub fn signature_and_payload() -> Self {
        Self::new(SignatureAndPayload)
    }
}

impl DedupeLayer<PayloadDigest> {
    /// Names deliveries by the SHA-256 of the body.
    pub fn payload_digest() -> Self {
        Self::new(PayloadDigest)
    }
}

impl DedupeLayer<Header> {
    /// Names deliveries by the value of a header.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where `name` can't be the name of a header.
    pub fn header(name: impl AsRef<str>) -> Result<Self, ConfigError> {
        Header::new(name.as_ref()).map(Self::new)
    }
}

impl DedupeLayer<Pointer> {
    /// Names deliveries by the text or whole number at a JSON pointer
    /// ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)) into the body, such as `"/id"`.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where `pointer` is not a JSON pointer.
    pub fn json_pointer(pointer: impl AsRef<str>) -> Result<Self, ConfigError> {
        Pointer::new(pointer.as_ref()).map(Self::new)
    }
}

impl<I, E> Layer<I> for DedupeLayer<E> {
    type Service = Dedupe<I, E>;

    fn layer(&self, inner: I) -> Self::Service {
        Dedupe::new(inner, Arc::clone(&self.extractor))
    }
}

impl<E> Clone for DedupeLayer<E> {
    fn clone(&self) -> Self {
        Self {
            extractor: Arc::clone(&self.extractor),
        }
    }
}

impl<E> fmt::Debug for DedupeLayer<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DedupeLayer").finish_non_exhaustive()
    }
}
