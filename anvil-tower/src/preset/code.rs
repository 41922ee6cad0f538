use std::time::Duration;

use http::StatusCode;

use super::facts::hours;
use super::platforms::{standard_headers, standard_webhooks};
use super::{Facts, Preset, Sample, Signing};
use crate::ConfigError;
use crate::hmac::{Algorithm, Headers, HmacBuilder, HmacScheme};
use crate::token::TokenScheme;

pub(super) const LIST: &[&Facts] = &[
    Preset::BITBUCKET_CLOUD,
    Preset::BITBUCKET_SERVER,
    Preset::FORGEJO,
    Preset::GITEA,
    Preset::GITHUB,
    Preset::GITHUB_SHA1,
    Preset::GITLAB,
    Preset::GITLAB_TOKEN,
    Preset::GOGS,
    Preset::PAGERDUTY,
    Preset::SENTRY,
    Preset::VERCEL,
];

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

    /// What is known of GitLab, with a signing token.
    pub const GITLAB: &'static Facts = &Facts {
        name: "gitlab",
        title: "GitLab, with a signing token",
        sources: &[
            "https://docs.gitlab.com/user/project/integrations/webhooks/",
            "https://gitlab.com/gitlab-org/gitlab/-/merge_requests/230944",
        ],
        unconfirmed: &["how long GitLab tries again"],
        signing: Signing::Hmac(|| {
            standard_webhooks("gitlab", standard_headers("webhook").kind("x-gitlab-event"))
        }),
        sample: Sample {
            event: "Push",
            headers: &[
                ("x-gitlab-event", "{event} Hook"),
                ("idempotency-key", "{id}"),
            ],
            body: r#"{"object_kind":"push","ref":"refs/heads/main","checkout_sha":"{id}"}"#,
        },
        ..Facts::COMMON
    };

    /// GitLab with a signing token: HMAC-SHA-256 over `<id>.<timestamp>.<body>`, in
    /// `webhook-signature` as Standard Webhooks has it
    /// ([docs](https://docs.gitlab.com/user/project/integrations/webhooks/)).
    ///
    /// The secret is the signing token, `whsec_` and base64 of the key, and is decoded. It is not
    /// the secret token: an endpoint that has only that gets it in the clear, as `X-Gitlab-Token`,
    /// and nothing is signed. The signed `webhook-id` is the recommended dedupe key; GitLab repeats
    /// it as `Idempotency-Key`, which is not signed, and keeps it when it sends again. The kind is
    /// `X-Gitlab-Event`, such as `Push Hook`, which is not signed either. A timestamp is good for
    /// 300 s either way.
    ///
    /// Any 2xx within 10 s will do. Four failures in a row pause the endpoint, for longer each
    /// time, and forty disable it.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes, can't be decoded or has white
    /// space around it.
    pub fn gitlab(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::GITLAB.builder().secret(secret).build()
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

    /// What is known of Bitbucket Cloud.
    pub const BITBUCKET_CLOUD: &'static Facts = &Facts {
        name: "bitbucket-cloud",
        title: "Bitbucket Cloud",
        sources: &["https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/"],
        unconfirmed: &[
            "a retry keeps X-Request-UUID",
            "how long Bitbucket tries again: twice more, within an hour",
        ],
        signing: Signing::Hmac(|| hub_signature("bitbucket-cloud", "x-request-uuid")),
        retries_for: hours(1),
        sample: BITBUCKET_SAMPLE,
        ..Facts::COMMON
    };

    /// Bitbucket Cloud: HMAC-SHA-256 over the body, in `X-Hub-Signature`
    /// ([docs](https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/)).
    ///
    /// The secret is used as it is. Nothing but the body is signed: no timestamp, and neither
    /// `X-Request-UUID` nor `X-Event-Key`, which is the kind. The recommended dedupe key is
    /// therefore the digest of the body. A webhook without a secret is not signed, and is refused
    /// here. Bitbucket drops payloads over 256 KB without a word; any 2xx will do.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn bitbucket_cloud(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::BITBUCKET_CLOUD.builder().secret(secret).build()
    }

    /// What is known of Bitbucket Data Center and Server.
    pub const BITBUCKET_SERVER: &'static Facts = &Facts {
        name: "bitbucket-server",
        title: "Bitbucket Data Center and Server",
        sources: &[
            "https://confluence.atlassian.com/bitbucketserver/manage-webhooks-938025878.html",
        ],
        unconfirmed: &["whether and how long Bitbucket tries again"],
        signing: Signing::Hmac(|| hub_signature("bitbucket-server", "x-request-id")),
        sample: BITBUCKET_SAMPLE,
        ..Facts::COMMON
    };

    /// Bitbucket Data Center and Server: HMAC-SHA-256 over the body, in `X-Hub-Signature`
    /// ([docs](https://confluence.atlassian.com/bitbucketserver/manage-webhooks-938025878.html)).
    ///
    /// The secret is used as it is. Nothing but the body is signed: no timestamp, and neither
    /// `X-Request-Id` nor `X-Event-Key`, which is the kind. The recommended dedupe key is therefore
    /// the digest of the body. Any 2xx will do.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn bitbucket_server(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::BITBUCKET_SERVER.builder().secret(secret).build()
    }

    /// What is known of Gitea.
    pub const GITEA: &'static Facts = &Facts {
        name: "gitea",
        title: "Gitea",
        sources: &["https://docs.gitea.com/usage/webhooks"],
        signing: Signing::Hmac(|| HmacScheme::builder("gitea", forge("gitea"))),
        sample: Sample {
            headers: &[("x-gitea-event", "{event}")],
            ..GITHUB_SAMPLE
        },
        ..Facts::COMMON
    };

    /// Gitea: HMAC-SHA-256 over the body, in `X-Gitea-Signature`
    /// ([docs](https://docs.gitea.com/usage/webhooks)).
    ///
    /// The secret is used as it is. Nothing but the body is signed: no timestamp, and neither
    /// `X-Gitea-Delivery` nor `X-Gitea-Event`, which is the kind. The recommended dedupe key is
    /// therefore the digest of the body, which a redelivery by hand repeats. Gitea does not send
    /// again by itself; any 2xx will do.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn gitea(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::GITEA.builder().secret(secret).build()
    }

    /// What is known of Gogs.
    pub const GOGS: &'static Facts = &Facts {
        name: "gogs",
        title: "Gogs",
        sources: &["https://github.com/gogs/gogs/blob/main/internal/database/webhook.go"],
        signing: Signing::Hmac(|| HmacScheme::builder("gogs", forge("gogs"))),
        sample: Sample {
            headers: &[("x-gogs-event", "{event}")],
            ..GITHUB_SAMPLE
        },
        ..Facts::COMMON
    };

    /// Gogs: HMAC-SHA-256 over the body, in `X-Gogs-Signature`
    /// ([code](https://github.com/gogs/gogs/blob/main/internal/database/webhook.go)).
    ///
    /// The secret is used as it is. Nothing but the body is signed: no timestamp, and neither
    /// `X-Gogs-Delivery` nor `X-Gogs-Event`, which is the kind. The recommended dedupe key is
    /// therefore the digest of the body. Gogs does not send again by itself; any 2xx will do.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn gogs(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::GOGS.builder().secret(secret).build()
    }

    /// What is known of Forgejo.
    pub const FORGEJO: &'static Facts = &Facts {
        name: "forgejo",
        title: "Forgejo",
        sources: &["https://forgejo.org/docs/latest/user/webhooks/"],
        signing: Signing::Hmac(|| HmacScheme::builder("forgejo", forge("forgejo"))),
        sample: Sample {
            headers: &[("x-forgejo-event", "{event}")],
            ..GITHUB_SAMPLE
        },
        ..Facts::COMMON
    };

    /// Forgejo: HMAC-SHA-256 over the body, in `X-Forgejo-Signature`
    /// ([docs](https://forgejo.org/docs/latest/user/webhooks/)).
    ///
    /// The secret is used as it is. Forgejo signs under the names of Gitea, Gogs and GitHub as
    /// well; those headers are passed over here. Nothing but the body is signed: no timestamp, and
    /// neither `X-Forgejo-Delivery` nor `X-Forgejo-Event`, which is the kind. The recommended
    /// dedupe key is therefore the digest of the body. Any 2xx will do. A webhook that is set to
    /// `GET` has no body and is refused.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn forgejo(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::FORGEJO.builder().secret(secret).build()
    }

    /// What is known of Vercel.
    pub const VERCEL: &'static Facts = &Facts {
        name: "vercel",
        title: "Vercel",
        sources: &["https://vercel.com/docs/webhooks/webhooks-api"],
        unconfirmed: &["how long Vercel tries again: 24 hours"],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("vercel", Headers::new("x-vercel-signature"))
                .algorithm(Algorithm::Sha1)
                .id_pointer("/id")
                .kind_pointer("/type")
        }),
        retries_for: hours(24),
        sample: Sample {
            event: "deployment.created",
            headers: &[],
            body: r#"{"id":"{id}","type":"{event}","createdAt":{millis},"payload":{}}"#,
        },
        ..Facts::COMMON
    };

    /// Vercel: HMAC-SHA-1 over the body, in `x-vercel-signature`
    /// ([docs](https://vercel.com/docs/webhooks/webhooks-api)).
    ///
    /// The secret is used as it is: that of the webhook, or for an integration its client secret.
    /// The recommended dedupe key is the event's `id`, read from the signed body, and the kind its
    /// `type`. There is no timestamp that would be checked, so a captured delivery stays good; the
    /// dedupe window is what stops it. Any 2xx will do.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn vercel(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::VERCEL.builder().secret(secret).build()
    }

    /// What is known of Sentry.
    pub const SENTRY: &'static Facts = &Facts {
        name: "sentry",
        title: "Sentry",
        sources: &["https://docs.sentry.io/integrations/integration-platform/webhooks/"],
        unconfirmed: &["Sentry does not try again"],
        signing: Signing::Hmac(|| {
            HmacScheme::builder(
                "sentry",
                Headers::new("sentry-hook-signature")
                    .id("request-id")
                    .kind("sentry-hook-resource"),
            )
        }),
        retries_for: Duration::ZERO,
        sample: Sample {
            event: "issue",
            headers: &[("sentry-hook-resource", "{event}")],
            body: r#"{"action":"created","data":{"issue":{"id":"{id}"}}}"#,
        },
        ..Facts::COMMON
    };

    /// Sentry's integration platform: HMAC-SHA-256 over the body, in `Sentry-Hook-Signature`
    /// ([docs](https://docs.sentry.io/integrations/integration-platform/webhooks/)).
    ///
    /// The secret is the integration's client secret, as it is. Nothing but the body is signed:
    /// neither `Sentry-Hook-Timestamp` nor `Request-ID` nor `Sentry-Hook-Resource`, which is the
    /// kind; what happened to the resource is the `action` in the body. The recommended dedupe key
    /// is therefore the digest of the body.
    ///
    /// Sentry waits for one second, and unsubscribes an endpoint after 1000 timeouts within 24
    /// hours. Any 2xx will do.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn sentry(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::SENTRY.builder().secret(secret).build()
    }

    /// What is known of PagerDuty.
    pub const PAGERDUTY: &'static Facts = &Facts {
        name: "pagerduty",
        title: "PagerDuty",
        sources: &[
            "https://developer.pagerduty.com/docs/verifying-webhook-signatures",
            "https://developer.pagerduty.com/docs/webhooks-behavior",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("pagerduty", Headers::new("x-pagerduty-signature"))
                .separator(b',')
                .tag("v1=")
                .id_pointer("/event/id")
                .kind_pointer("/event/event_type")
        }),
        retries_for: hours(48),
        refusal: Some(StatusCode::SERVICE_UNAVAILABLE),
        sample: Sample {
            event: "incident.triggered",
            headers: &[],
            body: r#"{"event":{"id":"{id}","event_type":"{event}","resource_type":"incident","data":{}}}"#,
        },
        ..Facts::COMMON
    };

    /// PagerDuty, webhooks of version 3: HMAC-SHA-256 over the body, in `X-PagerDuty-Signature`
    /// ([docs](https://developer.pagerduty.com/docs/verifying-webhook-signatures)).
    ///
    /// The secret is used as it is. Only `v1` signatures count; there are several while a secret is
    /// rotated. The recommended dedupe key is the event's `id`, read from the signed body, and the
    /// kind its `event_type`. There is no timestamp that would be checked.
    ///
    /// A delivery that is not authentic is answered with 503: PagerDuty drops an event after any
    /// 4xx but 429, and disables the endpoint for a day after three in a row, so a wrong secret
    /// would lose what is sent meanwhile. Any 2xx within 5 s will do.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn pagerduty(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::PAGERDUTY.builder().secret(secret).build()
    }
}

/// The signature of WebSub, as Atlassian's products write it.
fn hub_signature(name: &'static str, id: &str) -> HmacBuilder {
    HmacScheme::builder(
        name,
        Headers::new("x-hub-signature").id(id).kind("x-event-key"),
    )
    .tag("sha256=")
}

/// The headers of Gogs and of what came from it.
fn forge(product: &str) -> Headers {
    Headers::new(format!("x-{product}-signature"))
        .id(format!("x-{product}-delivery"))
        .kind(format!("x-{product}-event"))
}

const BITBUCKET_SAMPLE: Sample = Sample {
    event: "repo:push",
    headers: &[("x-event-key", "{event}")],
    body: r#"{"actor":{},"repository":{"uuid":"{id}"},"push":{"changes":[]}}"#,
};
const GITHUB_BODY_LIMIT: usize = 25 * 1024 * 1024;
const GITHUB_SAMPLE: Sample = Sample {
    event: "push",
    headers: &[("x-github-event", "{event}")],
    body: r#"{"ref":"refs/heads/main","after":"{id}"}"#,
};
