use std::time::SystemTime;

use http::request::Parts;

use super::hmac::{Encoding, Headers, HmacBuilder, HmacScheme, SecretEncoding};
use super::{Check, Identity, Scheme};
use crate::{ConfigError, Rejection};

/// Standard Webhooks and Svix: HMAC-SHA-256 over `<id>.<timestamp>.<body>`, in `webhook-signature`
/// or `svix-signature` ([specification](https://www.standardwebhooks.com)).
///
/// The secret is `whsec_` and base64 of the key, and is decoded; the prefix may be missing. Only
/// `v1` signatures count; there are several while a secret is rotated. Asymmetric `v1a` signatures
/// are passed over. The id is signed and the same on every retry, so it is the recommended dedupe
/// key. The kind is the `type` in the body.
///
/// ```
/// use anvil_tower::{StandardWebhooks, VerifyLayer};
///
/// let scheme = StandardWebhooks::new("whsec_hom5kJCoGh0KqOrkOoFGtymBmIsU0KZ+MpAjRsnqMmA=")?;
/// let layer = VerifyLayer::new("payments", scheme);
/// # let _ = layer;
/// # Ok::<(), anvil_tower::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct StandardWebhooks(HmacScheme);

impl StandardWebhooks {
    /// Standard Webhooks with one secret.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or can't be decoded.
    pub fn new(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::builder().secret(secret).build()
    }

    /// The settings of Standard Webhooks, without a secret.
    pub fn builder() -> HmacBuilder<Self> {
        let headers = |family: &str| {
            Headers::new(format!("{family}-signature"))
                .timestamp(format!("{family}-timestamp"))
                .id(format!("{family}-id"))
        };
        HmacBuilder::new("standard-webhooks", headers("webhook"), Self)
            .or_headers(headers("svix"))
            .secret_encoding(SecretEncoding::Whsec)
            .encoding(Encoding::Base64)
            .separator(b' ')
            .tag("v1,")
            .signed_content("{id}.{timestamp}.{body}")
            .kind_pointer("/type")
    }
}

impl Scheme for StandardWebhooks {
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
