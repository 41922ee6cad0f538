use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::SystemTime;

use bytes::Bytes;

use super::hmac::HmacCheck;
use crate::Rejection;

/// A check that has seen the head and waits for the body.
///
/// The HMAC schemes keep everything inline, so that a delivery is checked without an allocation.
#[must_use = "a delivery is not verified until `finish` says so"]
pub struct Check(Inner);

#[expect(
    clippy::large_enum_variant,
    reason = "boxing the HMAC would put an allocation into the path of every delivery"
)]
enum Inner {
    Hmac(HmacCheck),
    Later(Box<dyn FnOnce(Bytes) -> PendingDecision + Send>),
    Streaming(Box<dyn BodyCheck>),
    Whole(Box<WholeBodyCheck>),
}

type WholeBodyCheck = dyn FnOnce(&[u8]) -> Result<Proof, Rejection> + Send;

impl Check {
    /// A check of your own that takes the body as it arrives.
    pub fn streaming(check: Box<dyn BodyCheck>) -> Self {
        Self(Inner::Streaming(check))
    }

    /// A check of your own that needs the body as a whole: because the signature is in it, or
    /// because its algorithm can't start before the end.
    pub fn whole_body(
        decide: impl FnOnce(&[u8]) -> Result<Proof, Rejection> + Send + 'static,
    ) -> Self {
        Self(Inner::Whole(Box::new(decide)))
    }

    /// A check of your own that has to wait after the body, for a key that is fetched.
    ///
    /// [`VerifyLayer::read_timeout`](crate::VerifyLayer::read_timeout) bounds the wait.
    pub fn later(decide: impl FnOnce(Bytes) -> PendingDecision + Send + 'static) -> Self {
        Self(Inner::Later(Box::new(decide)))
    }

    pub(crate) fn hmac(check: HmacCheck) -> Self {
        Self(Inner::Hmac(check))
    }

    /// The HMAC where it is one. It is filled in where it stays, since each move of it shows.
    #[inline]
    pub(crate) fn as_hmac(&mut self) -> Option<&mut HmacCheck> {
        match &mut self.0 {
            Inner::Hmac(check) => Some(check),
            Inner::Later(_) | Inner::Streaming(_) | Inner::Whole(_) => None,
        }
    }

    /// Takes the next bytes of the body, exactly as they came over the wire.
    #[inline]
    pub fn update(&mut self, chunk: &[u8]) {
        match &mut self.0 {
            Inner::Hmac(check) => check.update(chunk),
            Inner::Streaming(check) => check.update(chunk),
            Inner::Later(_) | Inner::Whole(_) => {}
        }
    }

    /// Decides, after the last byte. `body` is the whole of what [`update`](Self::update) was given.
    #[inline]
    pub fn finish(mut self, body: &Bytes) -> Decision {
        match self.0 {
            // Not moved out: it is as large as the rest of a check is small.
            Inner::Hmac(ref mut check) => Decision::Made(check.finish(body)),
            Inner::Later(decide) => Decision::Pending(decide(body.clone())),
            Inner::Streaming(check) => Decision::Made(check.finish()),
            Inner::Whole(decide) => Decision::Made(decide(body)),
        }
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").finish_non_exhaustive()
    }
}

/// What a [`Check`] says at its end.
#[must_use]
#[non_exhaustive]
pub enum Decision {
    /// The delivery is genuine, or refused: no signature is right, or the right one is not fresh.
    Made(Result<Proof, Rejection>),
    /// It can't be said yet.
    Pending(PendingDecision),
}

impl fmt::Debug for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Made(decision) => f.debug_tuple("Made").field(decision).finish(),
            Self::Pending(_) => f.debug_tuple("Pending").finish_non_exhaustive(),
        }
    }
}

/// A decision that waits for something. Dropping it gives the delivery up.
pub type PendingDecision = Pin<Box<dyn Future<Output = Result<Proof, Rejection>> + Send>>;

/// What a [`Check::streaming`] does with the body.
pub trait BodyCheck: Send {
    /// Takes the next bytes of the body.
    fn update(&mut self, chunk: &[u8]);

    /// Decides, after the last byte.
    ///
    /// # Errors
    ///
    /// [`Rejection`] where the delivery is not what it claims to be.
    fn finish(self: Box<Self>) -> Result<Proof, Rejection>;
}

/// What a check that passed has found out.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
pub struct Proof {
    pub(crate) key: u32,
    pub(crate) timestamp: Option<SystemTime>,
}

impl Proof {
    /// The key with this number matched, the first being 0; [`Scheme::key_id`](super::Scheme::key_id)
    /// names it.
    pub fn new(key: u32) -> Self {
        Self {
            key,
            timestamp: None,
        }
    }

    /// Sets when the sender says it signed. Default: unknown.
    pub fn timestamp(mut self, at: impl Into<Option<SystemTime>>) -> Self {
        self.timestamp = at.into();
        self
    }

    /// The number of the key that matched; [`Scheme::key_id`](super::Scheme::key_id) names it.
    #[must_use]
    pub fn key_number(&self) -> u32 {
        self.key
    }

    /// When the sender says it signed, where it says so.
    #[must_use]
    pub fn signed_at(&self) -> Option<SystemTime> {
        self.timestamp
    }
}
