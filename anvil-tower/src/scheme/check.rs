use std::fmt;
use std::time::SystemTime;

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
    Custom(Box<dyn BodyCheck>),
    Hmac(HmacCheck),
}

impl Check {
    /// A check of your own.
    pub fn custom(check: Box<dyn BodyCheck>) -> Self {
        Self(Inner::Custom(check))
    }

    pub(super) fn hmac(check: HmacCheck) -> Self {
        Self(Inner::Hmac(check))
    }

    /// Takes the next bytes of the body, exactly as they came over the wire.
    #[inline]
    pub fn update(&mut self, chunk: &[u8]) {
        match &mut self.0 {
            Inner::Custom(check) => check.update(chunk),
            Inner::Hmac(check) => check.update(chunk),
        }
    }

    /// Decides, after the last byte.
    ///
    /// # Errors
    ///
    /// [`Rejection`] where no signature is right, or where the right one is not fresh.
    #[inline]
    pub fn finish(self) -> Result<Proof, Rejection> {
        match self.0 {
            Inner::Custom(check) => check.finish(),
            Inner::Hmac(check) => check.finish(),
        }
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").finish_non_exhaustive()
    }
}

/// What a [`Check::custom`] does with the body.
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
}
