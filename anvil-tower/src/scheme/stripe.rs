use std::time::SystemTime;

use http::request::Parts;

use super::hmac::{Headers, HmacBuilder, HmacScheme};
use super::{Check, Identity, Scheme};
use crate::{ConfigError, Rejection};

/// Stripe: HMAC-SHA-256 over `<t>.<body>`, in `Stripe-Signature`
/// ([docs](https://docs.stripe.com/webhooks/signature)).
///
/// The secret is the whole string, `whsec_` included, as shown; it is not decoded. Only `v1`
/// signatures count, so the test-mode `v0` can't be used to get around them; there are several
/// `v1` while a secret is rolled. Stripe renews timestamp and signature with each retry, so the
/// recommended dedupe key is the event's `id`, read from the signed body. The kind is its `type`.
///
/// ```
/// use anvil_tower::{Stripe, VerifyLayer};
///
/// let scheme = Stripe::builder()
///     .named_secret("2026-03", "whsec_the_new_endpoint_secret")
///     .named_secret("2025-11", "whsec_the_old_endpoint_secret")
///     .build()?;
/// let layer = VerifyLayer::new("stripe", scheme);
/// # let _ = layer;
/// # Ok::<(), anvil_tower::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct Stripe(HmacScheme);

impl Stripe {
    /// Stripe with one secret.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or can't be decoded.
    pub fn new(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::builder().secret(secret).build()
    }

    /// The settings of Stripe, without a secret.
    pub fn builder() -> HmacBuilder<Self> {
        HmacBuilder::new("stripe", Headers::new("stripe-signature"), Self)
            .separator(b',')
            .tag("v1=")
            .timestamp_tag("t=")
            .signed_content("{timestamp}.{body}")
            .id_pointer("/id")
            .kind_pointer("/type")
    }
}

impl Scheme for Stripe {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    #[inline]
    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        self.0.begin(head, now)
    }

    fn identify(&self, head: &Parts, body: &[u8]) -> Identity {
        self.0.identify(head, body)
    }

    fn body_limit(&self) -> usize {
        self.0.body_limit()
    }
}
