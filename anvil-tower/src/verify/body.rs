use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use crate::Verified;

/// The whole body of a delivery that passed verification, byte for byte as it was signed.
///
/// Only [`VerifyLayer`](crate::VerifyLayer) makes one, so a service that takes a
/// `Request<VerifiedBody>` can't be mounted without it by mistake. It is a body like any other: one
/// data frame, its exact size known, no trailers.
///
/// `Debug` shows the length and the [`Verified`] record, never a byte.
#[derive(Clone)]
pub struct VerifiedBody {
    bytes: Bytes,
    verified: Verified,
}

impl VerifiedBody {
    pub(crate) fn new(bytes: Bytes, verified: Verified) -> Self {
        Self { bytes, verified }
    }

    /// Makes a verified body out of bytes that nothing here has verified: one of the two doors
    /// around verification, for tests of your services and for fronts that have verified by other
    /// means, such as mutual TLS.
    ///
    /// ```
    /// use anvil_tower::{Identity, Verified, VerifiedBody};
    ///
    /// let verified = Verified::assumed("stripe", Identity::new().delivery_id("evt_1", true));
    /// let request = http::Request::new(VerifiedBody::assume_verified("{}", verified));
    /// assert_eq!(request.body().as_bytes(), "{}");
    /// ```
    #[must_use]
    pub fn assume_verified(bytes: impl Into<Bytes>, verified: Verified) -> Self {
        Self::new(bytes.into(), verified)
    }

    /// The payload.
    #[must_use]
    pub fn as_bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Gives the payload out; nothing is copied.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }

    pub(crate) fn into_parts(self) -> (Bytes, Verified) {
        (self.bytes, self.verified)
    }

    /// What is known about the delivery.
    #[must_use]
    pub fn verified(&self) -> &Verified {
        &self.verified
    }
}

impl Body for VerifiedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = std::mem::take(&mut self.bytes);
        Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}

impl fmt::Debug for VerifiedBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, verified } = self;
        f.debug_struct("VerifiedBody")
            .field("len", &bytes.len())
            .field("verified", verified)
            .finish()
    }
}

/// The body of a verified delivery. Sealed: [`VerifiedBody`] is the only one.
///
/// A bound of its own, so that the compiler can say what is missing where a service is mounted
/// without verification.
#[diagnostic::on_unimplemented(
    message = "a webhook body of type `{Self}` has not been verified",
    label = "this service only takes deliveries whose signature was checked",
    note = "put `VerifyLayer` in front: `ServiceBuilder::new().layer(VerifyLayer::new(source, scheme)).service(…)`",
    note = "for a sender that can't sign, use the scheme `Unsigned::accept_unverified(reason)`; in tests, `VerifiedBody::assume_verified`"
)]
pub trait VerifiedRequestBody: sealed::Sealed {
    #[doc(hidden)]
    fn verified_body(&self) -> &VerifiedBody;

    #[doc(hidden)]
    fn into_verified_body(self) -> VerifiedBody;
}

impl VerifiedRequestBody for VerifiedBody {
    fn verified_body(&self) -> &VerifiedBody {
        self
    }

    fn into_verified_body(self) -> VerifiedBody {
        self
    }
}

mod sealed {
    #[expect(
        unnameable_types,
        reason = "a trait that nobody can name is what seals the other"
    )]
    pub trait Sealed {}

    impl Sealed for super::VerifiedBody {}
}
