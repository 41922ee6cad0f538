use std::error::Error;
use std::fmt;

use http::{HeaderValue, Method, StatusCode};

/// Why a delivery was refused before it reached the inner service.
///
/// The sender learns nothing but the status. The record itself is put into the extensions of the
/// response, so that a tracing or metrics layer outside [`VerifyLayer`](crate::VerifyLayer) can
/// count by [`cause`](Self::cause). It never holds a signature, a secret or a byte of the payload.
///
/// An opaque struct beside an enum, so that a rejection can carry more one day without breaking
/// anybody's match.
///
/// ```
/// use anvil_tower::{Rejection, RejectionKind};
/// use http::StatusCode;
///
/// let rejection = Rejection::new(RejectionKind::Mismatch, "mismatch");
/// assert_eq!(rejection.status(), StatusCode::UNAUTHORIZED);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rejection {
    kind: RejectionKind,
    cause: &'static str,
    methods: &'static [Method],
    status: Option<StatusCode>,
}

impl Rejection {
    /// A refusal of this kind; for schemes of your own.
    ///
    /// `cause` is a short, stable name for metrics, such as `"missing_signature"`.
    #[must_use]
    pub const fn new(kind: RejectionKind, cause: &'static str) -> Self {
        Self {
            kind,
            cause,
            methods: &[],
            status: None,
        }
    }

    /// What is wrong, for code.
    #[must_use]
    pub fn kind(&self) -> RejectionKind {
        self.kind
    }

    /// A short, stable name of what is wrong, for metrics and logs.
    #[must_use]
    pub fn cause(&self) -> &'static str {
        self.cause
    }

    /// The status the sender gets unless
    /// [`on_rejection`](crate::VerifyLayer::on_rejection) says otherwise.
    ///
    /// What the scheme wants ([`Scheme::refusal`](crate::Scheme::refusal)), or else 401 where the delivery can't be told from a forged or replayed one, 400 where it breaks its
    /// own format, 405, 408 and 413 where HTTP has a status of its own.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        if let Some(status) = self.status {
            return status;
        }
        match self.kind {
            RejectionKind::BodyFailed | RejectionKind::Malformed => StatusCode::BAD_REQUEST,
            RejectionKind::BodyTimeout => StatusCode::REQUEST_TIMEOUT,
            RejectionKind::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            RejectionKind::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            RejectionKind::Expired
            | RejectionKind::Future
            | RejectionKind::Mismatch
            | RejectionKind::Missing
            | RejectionKind::Stale => StatusCode::UNAUTHORIZED,
            RejectionKind::KeyUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// Whether the delivery did not prove where it comes from.
    #[must_use]
    pub fn is_unauthentic(&self) -> bool {
        match self.kind {
            RejectionKind::Expired
            | RejectionKind::Future
            | RejectionKind::Malformed
            | RejectionKind::Mismatch
            | RejectionKind::Missing
            | RejectionKind::Stale => true,
            RejectionKind::BodyFailed
            | RejectionKind::BodyTimeout
            | RejectionKind::BodyTooLarge
            | RejectionKind::KeyUnavailable
            | RejectionKind::MethodNotAllowed => false,
        }
    }

    /// The same, answered with this status where the delivery [is not
    /// authentic](Self::is_unauthentic) and the scheme wants one.
    pub(crate) fn answered(mut self, status: Option<StatusCode>) -> Self {
        if self.is_unauthentic() {
            self.status = status;
        }
        self
    }

    pub(crate) const fn method_not_allowed(methods: &'static [Method]) -> Self {
        Self {
            kind: RejectionKind::MethodNotAllowed,
            cause: "method_not_allowed",
            methods,
            status: None,
        }
    }

    /// The `Allow` header that a 405 must carry.
    pub(crate) fn allow(&self) -> Option<HeaderValue> {
        if self.methods.is_empty() {
            return None;
        }
        let names: Vec<_> = self.methods.iter().map(Method::as_str).collect();
        HeaderValue::try_from(names.join(", ")).ok()
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "delivery refused: {}", self.cause)
    }
}

impl Error for Rejection {}

/// What is wrong with a refused delivery.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum RejectionKind {
    /// The connection or the framing failed while the body was read.
    BodyFailed,
    /// The body did not arrive in time.
    BodyTimeout,
    /// The body is, or says it is, longer than allowed.
    BodyTooLarge,
    /// The signature is right, and its key was to be used no longer.
    Expired,
    /// The signature is right, and its timestamp lies too far ahead.
    Future,
    /// The key that is to prove the signature can't be had at the moment.
    KeyUnavailable,
    /// A part of the head can't be read as what it should be, or is there twice with two values.
    Malformed,
    /// The sender never uses this method.
    MethodNotAllowed,
    /// No presented signature is right.
    Mismatch,
    /// A part of the head that the scheme needs is not there.
    Missing,
    /// The signature is right, and its timestamp is too old: a late delivery or a replay.
    Stale,
}

pub(crate) const BODY_FAILED: Rejection = Rejection::new(RejectionKind::BodyFailed, "body_failed");
pub(crate) const BODY_TIMEOUT: Rejection =
    Rejection::new(RejectionKind::BodyTimeout, "body_timeout");
pub(crate) const BODY_TOO_LARGE: Rejection =
    Rejection::new(RejectionKind::BodyTooLarge, "body_too_large");
pub(crate) const CONFLICTING_HEADERS: Rejection =
    Rejection::new(RejectionKind::Malformed, "conflicting_headers");
#[cfg(feature = "rsa")]
pub(crate) const EARLY_CERTIFICATE: Rejection =
    Rejection::new(RejectionKind::Expired, "early_certificate");
pub(crate) const EXPIRED: Rejection = Rejection::new(RejectionKind::Expired, "expired");
#[cfg(feature = "rsa")]
pub(crate) const EXPIRED_CERTIFICATE: Rejection =
    Rejection::new(RejectionKind::Expired, "expired_certificate");
#[cfg(feature = "rsa")]
pub(crate) const FOREIGN_KEY: Rejection = Rejection::new(RejectionKind::Mismatch, "foreign_key");
#[cfg(feature = "rsa")]
pub(crate) const FOREIGN_TOPIC: Rejection =
    Rejection::new(RejectionKind::Mismatch, "foreign_topic");
pub(crate) const FUTURE: Rejection = Rejection::new(RejectionKind::Future, "future");
pub(crate) const KEY_UNAVAILABLE: Rejection =
    Rejection::new(RejectionKind::KeyUnavailable, "key_unavailable");
pub(crate) const MALFORMED_BODY: Rejection =
    Rejection::new(RejectionKind::Malformed, "malformed_body");
pub(crate) const MALFORMED_SIGNATURE: Rejection =
    Rejection::new(RejectionKind::Malformed, "malformed_signature");
pub(crate) const MALFORMED_TIMESTAMP: Rejection =
    Rejection::new(RejectionKind::Malformed, "malformed_timestamp");
pub(crate) const MALFORMED_TOKEN: Rejection =
    Rejection::new(RejectionKind::Malformed, "malformed_token");
pub(crate) const MISMATCH: Rejection = Rejection::new(RejectionKind::Mismatch, "mismatch");
pub(crate) const MISSING_HEADER: Rejection =
    Rejection::new(RejectionKind::Missing, "missing_header");
pub(crate) const MISSING_ID: Rejection = Rejection::new(RejectionKind::Missing, "missing_id");
pub(crate) const MISSING_KEY: Rejection = Rejection::new(RejectionKind::Malformed, "missing_key");
pub(crate) const MISSING_SIGNATURE: Rejection =
    Rejection::new(RejectionKind::Missing, "missing_signature");
pub(crate) const MISSING_TIMESTAMP: Rejection =
    Rejection::new(RejectionKind::Missing, "missing_timestamp");
pub(crate) const MISSING_TOKEN: Rejection = Rejection::new(RejectionKind::Missing, "missing_token");
pub(crate) const STALE: Rejection = Rejection::new(RejectionKind::Stale, "stale");
pub(crate) const TOO_MANY_SIGNATURES: Rejection =
    Rejection::new(RejectionKind::Malformed, "too_many_signatures");
#[cfg(any(feature = "jwt", feature = "rsa"))]
pub(crate) const UNKNOWN_ALGORITHM: Rejection =
    Rejection::new(RejectionKind::Malformed, "unknown_algorithm");
#[cfg(any(feature = "jwt", feature = "rsa"))]
pub(crate) const UNKNOWN_KEY: Rejection = Rejection::new(RejectionKind::Mismatch, "unknown_key");
