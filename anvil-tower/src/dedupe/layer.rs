use std::fmt;
use std::sync::Arc;

use tower_layer::Layer;

use super::other_ids::OtherIds;
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
    naming: Arc<Naming<E>>,
}

/// What the layer shares with every service it makes.
pub(super) struct Naming<E> {
    pub(super) extractor: E,
    pub(super) other_ids: OtherIds,
}

impl<E> DedupeLayer<E> {
    /// Names deliveries by an extractor of your own.
    pub fn new(extractor: E) -> Self {
        Self {
            naming: Arc::new(Naming {
                extractor,
                other_ids: OtherIds::default(),
            }),
        }
    }

    /// How many deliveries repeated the content of an earlier one under another id, where the id is
    /// not signed; see the [module docs](super). A retry under the same id does not count.
    ///
    /// Counted in this process since it started, by this layer, its clones and their services. Of
    /// the deliveries before, the last few thousand are remembered, so this is a lower bound.
    #[must_use]
    pub fn came_under_other_ids(&self) -> u64 {
        self.naming.other_ids.count()
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
        Dedupe::new(inner, Arc::clone(&self.naming))
    }
}

impl<E> Clone for DedupeLayer<E> {
    fn clone(&self) -> Self {
        Self {
            naming: Arc::clone(&self.naming),
        }
    }
}

impl<E> fmt::Debug for DedupeLayer<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DedupeLayer").finish_non_exhaustive()
    }
}
