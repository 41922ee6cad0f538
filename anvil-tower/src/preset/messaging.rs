use super::facts::hours;
use super::{Facts, Handshake, Preset, Sample, Signing};
use crate::ConfigError;
use crate::hmac::{Headers, HmacScheme};

pub(super) const LIST: &[&Facts] = &[Preset::SLACK];

impl Preset {
    /// What is known of Slack.
    pub const SLACK: &'static Facts = &Facts {
        name: "slack",
        title: "Slack",
        sources: &["https://docs.slack.dev/authentication/verifying-requests-from-slack"],
        signing: Signing::Hmac(|| {
            HmacScheme::builder(
                "slack",
                Headers::new("x-slack-signature").timestamp("x-slack-request-timestamp"),
            )
            .tag("v0=")
            .signed_content("v0:{timestamp}:{body}")
            .id_pointer("/event_id")
            .kind_pointer("/event/type")
        }),
        retries_for: hours(1),
        handshake: Handshake::SLACK,
        sample: Sample {
            event: "message",
            headers: &[],
            body: r#"{"type":"event_callback","event_id":"{id}","event":{"type":"{event}"}}"#,
        },
        ..Facts::COMMON
    };

    /// Slack: HMAC-SHA-256 over `v0:<timestamp>:<body>`, in `X-Slack-Signature`
    /// ([docs](https://docs.slack.dev/authentication/verifying-requests-from-slack)).
    ///
    /// For events the recommended dedupe key is the `event_id` of the signed body and the kind is
    /// the type of the inner event. Slash commands and interactions are form-encoded and have
    /// neither; they are named by the digest of what was signed.
    ///
    /// The `url_verification` by which Slack asks for the endpoint is answered with its challenge.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn slack(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::SLACK.builder().secret(secret).build()
    }
}
