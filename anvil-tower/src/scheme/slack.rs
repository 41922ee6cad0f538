use std::time::SystemTime;

use http::request::Parts;

use super::hmac::{Headers, HmacBuilder, HmacScheme};
use super::{Check, Identity, Scheme};
use crate::{ConfigError, Rejection};

/// Slack: HMAC-SHA-256 over `v0:<timestamp>:<body>`, in `X-Slack-Signature`
/// ([docs](https://docs.slack.dev/authentication/verifying-requests-from-slack)).
///
/// For events the recommended dedupe key is the `event_id` of the signed body and the kind is the
/// type of the inner event. Slash commands and interactions are form-encoded and have neither;
/// they are named by the digest of what was signed.
///
/// ```
/// use anvil_tower::{Slack, VerifyLayer};
///
/// let layer = VerifyLayer::new("slack", Slack::new("the signing secret of the app")?);
/// # let _ = layer;
/// # Ok::<(), anvil_tower::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct Slack(HmacScheme);

impl Slack {
    /// Slack with one secret.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or can't be decoded.
    pub fn new(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::builder().secret(secret).build()
    }

    /// The settings of Slack, without a secret.
    pub fn builder() -> HmacBuilder<Self> {
        HmacBuilder::new(
            "slack",
            Headers::new("x-slack-signature").timestamp("x-slack-request-timestamp"),
            Self,
        )
        .tag("v0=")
        .signed_content("v0:{timestamp}:{body}")
        .id_pointer("/event_id")
        .kind_pointer("/event/type")
    }
}

impl Scheme for Slack {
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
