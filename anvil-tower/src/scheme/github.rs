use std::time::SystemTime;

use http::request::Parts;

use super::hmac::{Algorithm, Headers, HmacBuilder, HmacScheme};
use super::{Check, Identity, Scheme};
use crate::{ConfigError, Rejection};

/// GitHub and GitHub Enterprise: HMAC-SHA-256 over the body, in `X-Hub-Signature-256`
/// ([docs](https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries)).
///
/// The signature covers the body alone: no timestamp, and neither `X-GitHub-Delivery` nor
/// `X-GitHub-Event`. The recommended dedupe key is therefore the digest of the body, which a
/// redelivery repeats byte for byte. Form-encoded deliveries are signed, and kept, in their encoded
/// form. Bodies up to 25 MiB.
///
/// ```
/// use anvil_tower::{GitHub, VerifyLayer};
///
/// let layer = VerifyLayer::new("github", GitHub::new("It's a Secret to Everybody")?);
/// # let _ = layer;
/// # Ok::<(), anvil_tower::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct GitHub(HmacScheme);

impl GitHub {
    /// GitHub with one secret.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or can't be decoded.
    pub fn new(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::builder().secret(secret).build()
    }

    /// The settings of GitHub, without a secret.
    pub fn builder() -> HmacBuilder<Self> {
        HmacBuilder::new(
            "github",
            Headers::new("x-hub-signature-256")
                .id("x-github-delivery")
                .kind("x-github-event"),
            Self,
        )
        .tag("sha256=")
        .body_limit(BODY_LIMIT)
    }

    /// The settings of GitHub's old `X-Hub-Signature` with HMAC-SHA-1, without a secret.
    ///
    /// For old GitHub Enterprise servers only. A receiver that takes both headers is as strong as
    /// the weaker one, so this replaces the SHA-256 check and is never a fallback.
    pub fn legacy_sha1() -> HmacBuilder<Self> {
        HmacBuilder::new(
            "github-sha1",
            Headers::new("x-hub-signature")
                .id("x-github-delivery")
                .kind("x-github-event"),
            Self,
        )
        .algorithm(Algorithm::Sha1)
        .tag("sha1=")
        .body_limit(BODY_LIMIT)
    }
}

impl Scheme for GitHub {
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

const BODY_LIMIT: usize = 25 * 1024 * 1024;
