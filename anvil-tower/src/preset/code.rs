use super::facts::hours;
use super::{Facts, Preset, Sample, Signing};
use crate::ConfigError;
use crate::hmac::{Algorithm, Headers, HmacScheme};
use crate::token::TokenScheme;

pub(super) const LIST: &[&Facts] = &[Preset::GITHUB, Preset::GITHUB_SHA1, Preset::GITLAB_TOKEN];

impl Preset {
    /// What is known of GitHub.
    pub const GITHUB: &'static Facts = &Facts {
        name: "github",
        title: "GitHub",
        sources: &[
            "https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder(
                "github",
                Headers::new("x-hub-signature-256")
                    .id("x-github-delivery")
                    .kind("x-github-event"),
            )
            .tag("sha256=")
        }),
        retries_for: hours(72),
        body_limit: GITHUB_BODY_LIMIT,
        sample: GITHUB_SAMPLE,
        ..Facts::COMMON
    };

    /// GitHub and GitHub Enterprise: HMAC-SHA-256 over the body, in `X-Hub-Signature-256`
    /// ([docs](https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries)).
    ///
    /// The signature covers the body alone: no timestamp, and neither `X-GitHub-Delivery` nor
    /// `X-GitHub-Event`. The recommended dedupe key is therefore the digest of the body, which a
    /// redelivery repeats byte for byte. Form-encoded deliveries are signed, and kept, in their
    /// encoded form. Bodies up to 25 MiB.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn github(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::GITHUB.builder().secret(secret).build()
    }

    /// What is known of old GitHub Enterprise servers.
    pub const GITHUB_SHA1: &'static Facts = &Facts {
        name: "github-sha1",
        title: "GitHub, with SHA-1",
        signing: Signing::Hmac(|| {
            HmacScheme::builder(
                "github-sha1",
                Headers::new("x-hub-signature")
                    .id("x-github-delivery")
                    .kind("x-github-event"),
            )
            .algorithm(Algorithm::Sha1)
            .tag("sha1=")
        }),
        sources: Self::GITHUB.sources,
        retries_for: Self::GITHUB.retries_for,
        body_limit: GITHUB_BODY_LIMIT,
        sample: GITHUB_SAMPLE,
        ..Facts::COMMON
    };

    /// GitHub's old `X-Hub-Signature` with HMAC-SHA-1
    /// ([docs](https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries)).
    ///
    /// For old GitHub Enterprise servers only. A receiver that takes both headers is as strong as
    /// the weaker one, so this is a preset of its own and never a fallback.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn github_sha1(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::GITHUB_SHA1.builder().secret(secret).build()
    }

    /// What is known of GitLab with its older secret token.
    pub const GITLAB_TOKEN: &'static Facts = &Facts {
        name: "gitlab-token",
        title: "GitLab, with a secret token",
        sources: &["https://docs.gitlab.com/user/project/integrations/webhooks/"],
        unconfirmed: &["how long a delivery is tried again"],
        signing: Signing::Token(|| {
            TokenScheme::header("gitlab-token", "x-gitlab-token")
                .id_header("idempotency-key")
                .kind_header("x-gitlab-event")
        }),
        ..Facts::COMMON
    };

    /// GitLab with its older secret token, in `X-Gitlab-Token`
    /// ([docs](https://docs.gitlab.com/user/project/integrations/webhooks/)).
    ///
    /// The secret is the secret token of the webhook, as it stands. **Nothing is signed**: whoever
    /// sees one request can make up others, so use HTTPS, or better a signing token, where your
    /// GitLab has them; see [`token`](crate::token).
    ///
    /// `Idempotency-Key` is the id. Since nothing protects it, the recommended dedupe key is the
    /// digest of the body. The kind is `X-Gitlab-Event`. GitLab disables a webhook that fails again
    /// and again. Unconfirmed is how long it tries again.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn gitlab_token(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::GITLAB_TOKEN.builder().secret(secret).build()
    }
}

const GITHUB_BODY_LIMIT: usize = 25 * 1024 * 1024;
const GITHUB_SAMPLE: Sample = Sample {
    event: "push",
    headers: &[("x-github-event", "{event}")],
    body: r#"{"ref":"refs/heads/main","after":"{id}"}"#,
};
