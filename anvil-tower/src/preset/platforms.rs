use std::time::Duration;

use http::StatusCode;

use super::facts::{days, hours};
use super::{Facts, Handshake, Preset, Sample, Signing};
use crate::ConfigError;
use crate::enqueue::Success;
use crate::hmac::{Encoding, Headers, HmacBuilder, HmacScheme, SecretEncoding, TimestampUnit};
use crate::token::TokenScheme;

pub(super) const LIST: &[&Facts] = &[
    Preset::CLERK,
    Preset::MICROSOFT_GRAPH,
    Preset::OKTA,
    Preset::OPENAI,
    Preset::POLAR,
    Preset::RESEND,
    Preset::STANDARD_WEBHOOKS,
    Preset::SVIX,
    Preset::WORKOS,
];

impl Preset {
    /// What is known of Microsoft Graph.
    pub const MICROSOFT_GRAPH: &'static Facts = &Facts {
        name: "microsoft-graph",
        title: "Microsoft Graph",
        sources: &[
            "https://learn.microsoft.com/en-us/graph/change-notifications-delivery-webhooks",
        ],
        signing: Signing::Token(|| {
            TokenScheme::in_every_item("microsoft-graph", "/value", "/clientState")
                .kind_pointer("/value/0/changeType")
        }),
        retries_for: hours(4),
        is_batch: true,
        handshake: Handshake::MICROSOFT_GRAPH,
        ..Facts::COMMON
    };

    /// Microsoft Graph: the `clientState` of the subscription, in every notification of the body
    /// ([docs](https://learn.microsoft.com/en-us/graph/change-notifications-delivery-webhooks)).
    ///
    /// The secret is the `clientState` that was given with the subscription.
    /// **Nothing is signed**: whoever sees one request can make up others; see
    /// [`token`](crate::token). A notification without the right `clientState` refuses the whole
    /// request, and so does a request without notifications. The tokens that rich notifications
    /// bring as `validationTokens` are not checked, and nothing is decrypted.
    ///
    /// A request may hold several notifications and is one job. It has no id, so the recommended
    /// dedupe key is the digest of the body; tell a repeated notification by its `id` in the
    /// handler. The kind is the `changeType` of the first one. Graph wants a 2xx within 3 s and gets
    /// 202, as it advises; it tries again for 4 hours.
    ///
    /// The `validationToken` by which Graph asks for the endpoint is answered with it, whoever asks, as
    /// plain text. One with angle brackets or beyond ASCII, which Graph is not known to send, is not.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn microsoft_graph(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::MICROSOFT_GRAPH.builder().secret(secret).build()
    }

    /// What is known of Okta's event hooks.
    pub const OKTA: &'static Facts = &Facts {
        name: "okta",
        title: "Okta event hooks",
        sources: &[
            "https://developer.okta.com/docs/concepts/event-hooks/",
            "https://developer.okta.com/docs/reference/hooks-best-practices/",
        ],
        signing: Signing::Token(|| {
            TokenScheme::header("okta", "authorization")
                .id_pointer("/eventId")
                .kind_pointer("/data/events/0/eventType")
        }),
        retries_for: hours(1),
        success: Success::empty(StatusCode::OK),
        refusal: Some(StatusCode::SERVICE_UNAVAILABLE),
        is_batch: true,
        handshake: Handshake::OKTA,
        ..Facts::COMMON
    };

    /// Okta's event hooks: a secret of one's own, in `Authorization`
    /// ([docs](https://developer.okta.com/docs/concepts/event-hooks/)).
    ///
    /// The authentication field of the hook is `Authorization`, and the secret here is all of its
    /// authentication secret: with `Basic ` or `Bearer ` in front, if that was put there. **Nothing
    /// is signed**: whoever sees one request can make up others; see [`token`](crate::token).
    ///
    /// A request may hold several events and is one job. The id is its `eventId`, which is not
    /// signed, so the recommended dedupe key is the digest of the body; tell a repeated event by its
    /// `uuid` in the handler. The kind is the `eventType` of the first event. Okta wants a 2xx
    /// within 3 s. It tries again once, after a 5xx or a timeout only, and drops an event after a
    /// 4xx; so a delivery that is not authentic is answered with 503, and one with a secret that was
    /// mixed up is not lost at once.
    ///
    /// Okta's verification of the endpoint is answered with its challenge, whoever asks.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn okta(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::OKTA.builder().secret(secret).build()
    }

    /// What is known of senders that follow Standard Webhooks.
    pub const STANDARD_WEBHOOKS: &'static Facts = &Facts {
        name: "standard-webhooks",
        title: "Standard Webhooks",
        sources: &[
            "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md",
        ],
        signing: Signing::Hmac(|| {
            standard_webhooks("standard-webhooks", standard_headers("webhook"))
                .or_headers(standard_headers("svix"))
                .kind_pointer("/type")
        }),
        retries_for: hours(76),
        ..Facts::COMMON
    };

    /// Standard Webhooks and Svix: HMAC-SHA-256 over `<id>.<timestamp>.<body>`, in
    /// `webhook-signature` or `svix-signature`
    /// ([specification](https://www.standardwebhooks.com)).
    ///
    /// The secret is `whsec_` and base64 of the key, and is decoded; the prefix may be missing.
    /// Only `v1` signatures count; there are several while a secret is rotated. Asymmetric `v1a`
    /// signatures are passed over, unless the secret is a public key, `whpk_` and base64: with the
    /// feature `ed25519` they are then the ones that count, and no `v1`. The id is signed and the same on every retry, so it is the
    /// recommended dedupe key. The kind is the `type` in the body.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes, can't be decoded or has white
    /// space around it.
    pub fn standard_webhooks(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::STANDARD_WEBHOOKS.builder().secret(secret).build()
    }

    /// What is known of Svix.
    pub const SVIX: &'static Facts = &Facts {
        name: "svix",
        title: "Svix",
        sources: &[
            "https://docs.svix.com/receiving/verifying-payloads/how-manual",
            "https://docs.svix.com/retries",
        ],
        signing: Signing::Hmac(|| svix("svix")),
        retries_for: hours(28),
        ..Facts::COMMON
    };

    /// Svix, and senders that use it: HMAC-SHA-256 over `<id>.<timestamp>.<body>`, in
    /// `svix-signature` or `webhook-signature`
    /// ([docs](https://docs.svix.com/receiving/verifying-payloads/how-manual)).
    ///
    /// The secret is `whsec_` and base64 of the key, and is decoded; the prefix may be missing.
    /// Only `v1` signatures count; there are several while a secret is rotated. The signed
    /// `svix-id` is the same on every retry, so it is the recommended dedupe key. The kind is the
    /// `type` in the body, which is a convention of senders and not of Svix. A timestamp is good for
    /// 300 s either way; it is renewed with each retry. Any 2xx within 15 s will do.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes, can't be decoded or has white
    /// space around it.
    pub fn svix(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::SVIX.builder().secret(secret).build()
    }

    /// What is known of Clerk.
    pub const CLERK: &'static Facts = &Facts {
        name: "clerk",
        title: "Clerk",
        sources: &["https://clerk.com/docs/webhooks/overview"],
        signing: Signing::Hmac(|| svix("clerk")),
        retries_for: Self::SVIX.retries_for,
        sample: Sample {
            event: "user.created",
            headers: &[],
            body: r#"{"object":"event","type":"{event}","timestamp":{millis},"data":{"id":"{id}"}}"#,
        },
        ..Facts::COMMON
    };

    /// Clerk, which sends by way of Svix: HMAC-SHA-256 over `<id>.<timestamp>.<body>`, in
    /// `svix-signature` ([docs](https://clerk.com/docs/webhooks/overview)).
    ///
    /// As with [Svix](Self::svix): the secret is the endpoint's signing secret, `whsec_` and base64,
    /// and is decoded; the signed `svix-id` is the recommended dedupe key; a timestamp is good for
    /// 300 s either way; any 2xx will do. The kind is the `type` in the body.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes, can't be decoded or has white
    /// space around it.
    pub fn clerk(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::CLERK.builder().secret(secret).build()
    }

    /// What is known of Resend.
    pub const RESEND: &'static Facts = &Facts {
        name: "resend",
        title: "Resend",
        sources: &[
            "https://resend.com/docs/webhooks/verify-webhooks-requests",
            "https://resend.com/docs/webhooks/retries-and-replays",
        ],
        signing: Signing::Hmac(|| svix("resend")),
        retries_for: Self::SVIX.retries_for,
        sample: Sample {
            event: "email.delivered",
            headers: &[],
            body: r#"{"type":"{event}","data":{"email_id":"{id}"}}"#,
        },
        ..Facts::COMMON
    };

    /// Resend, which sends by way of Svix: HMAC-SHA-256 over `<id>.<timestamp>.<body>`, in
    /// `svix-signature` ([docs](https://resend.com/docs/webhooks/verify-webhooks-requests)).
    ///
    /// As with [Svix](Self::svix): the secret is `whsec_` and base64, and is decoded; the signed
    /// `svix-id` is the recommended dedupe key; a timestamp is good for 300 s either way; any 2xx
    /// will do. The kind is the `type` in the body.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes, can't be decoded or has white
    /// space around it.
    pub fn resend(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::RESEND.builder().secret(secret).build()
    }

    /// What is known of OpenAI.
    pub const OPENAI: &'static Facts = &Facts {
        name: "openai",
        title: "OpenAI",
        sources: &["https://developers.openai.com/api/docs/guides/webhooks"],
        unconfirmed: &["how long OpenAI tries again: 72 hours"],
        signing: Signing::Hmac(|| {
            standard_webhooks("openai", standard_headers("webhook")).kind_pointer("/type")
        }),
        retries_for: days(3),
        sample: Sample {
            event: "response.completed",
            headers: &[],
            body: r#"{"id":"{id}","object":"event","created_at":{seconds},"type":"{event}","data":{}}"#,
        },
        ..Facts::COMMON
    };

    /// OpenAI: HMAC-SHA-256 over `<id>.<timestamp>.<body>`, in `webhook-signature` as Standard
    /// Webhooks has it ([docs](https://developers.openai.com/api/docs/guides/webhooks)).
    ///
    /// The secret is `whsec_` and base64 of the key, and is decoded. OpenAI's own library takes one
    /// without the prefix as it is; for such a secret set
    /// [`SecretEncoding::Verbatim`]. The signed `webhook-id`
    /// is the same on every retry, so it is the recommended dedupe key; it is not the `id` of the
    /// event. The kind is the `type` in the body. A timestamp is good for 300 s either way. Any 2xx
    /// will do.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes, can't be decoded or has white
    /// space around it.
    pub fn openai(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::OPENAI.builder().secret(secret).build()
    }

    /// What is known of Polar.
    pub const POLAR: &'static Facts = &Facts {
        name: "polar",
        title: "Polar",
        sources: &[
            "https://polar.sh/docs/integrate/webhooks/delivery",
            "https://github.com/polarsource/polar/pull/14117",
        ],
        unconfirmed: &["how long Polar tries again"],
        signing: Signing::Hmac(|| {
            standard_webhooks("polar", standard_headers("webhook")).kind_pointer("/type")
        }),
        sample: Sample {
            event: "order.paid",
            headers: &[],
            body: r#"{"type":"{event}","data":{"id":"{id}"}}"#,
        },
        ..Facts::COMMON
    };

    /// Polar: HMAC-SHA-256 over `<id>.<timestamp>.<body>`, in `webhook-signature` as Standard
    /// Webhooks has it ([docs](https://polar.sh/docs/integrate/webhooks/delivery)).
    ///
    /// A secret that was made on 2026-09-08 or later is `whsec_` and base64 of the key, and is
    /// decoded. An older one is used as it is, whatever it starts with:
    ///
    /// ```
    /// use anvil_tower::Preset;
    /// use anvil_tower::hmac::SecretEncoding;
    ///
    /// let old = Preset::POLAR
    ///     .builder()
    ///     .secret("polar_whs_a_secret_of_2025")
    ///     .secret_encoding(SecretEncoding::Verbatim)
    ///     .build()?;
    /// # let _ = old;
    /// # Ok::<(), anvil_tower::ConfigError>(())
    /// ```
    ///
    /// The signed `webhook-id` is the same on every retry, so it is the recommended dedupe key. The
    /// kind is the `type` in the body. A timestamp is good for 300 s either way. Any 2xx within 10 s
    /// will do.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes, can't be decoded or has white
    /// space around it.
    pub fn polar(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::POLAR.builder().secret(secret).build()
    }

    /// What is known of WorkOS.
    pub const WORKOS: &'static Facts = &Facts {
        name: "workos",
        title: "WorkOS",
        sources: &[
            "https://workos.com/docs/events/data-syncing/webhooks",
            "https://github.com/workos/workos-node",
        ],
        unconfirmed: &["how long WorkOS tries again: up to six times in three days"],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("workos", Headers::new("workos-signature"))
                .separator(b',')
                .tag("v1=")
                .timestamp_tag("t=")
                .timestamp_unit(TimestampUnit::Milliseconds)
                .tolerate_past(WORKOS_TOLERANCE)
                .tolerate_future(WORKOS_TOLERANCE)
                .signed_content("{timestamp}.{body}")
                .id_pointer("/id")
                .kind_pointer("/event")
        }),
        retries_for: days(3),
        sample: Sample {
            event: "dsync.user.created",
            headers: &[],
            body: r#"{"id":"{id}","event":"{event}","data":{}}"#,
        },
        ..Facts::COMMON
    };

    /// WorkOS: HMAC-SHA-256 over `<t>.<body>`, in `WorkOS-Signature`
    /// ([docs](https://workos.com/docs/events/data-syncing/webhooks)).
    ///
    /// The secret is used as it is. The timestamp counts milliseconds and is good for 180 s either
    /// way. The recommended dedupe key is the event's `id`, read from the signed body, and the kind
    /// its `event`. Any 2xx will do.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn workos(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::WORKOS.builder().secret(secret).build()
    }
}

/// The settings that senders by Standard Webhooks share.
pub(super) fn standard_webhooks(name: &'static str, headers: Headers) -> HmacBuilder {
    HmacScheme::builder(name, headers)
        .secret_encoding(SecretEncoding::Whsec)
        .encoding(Encoding::Base64)
        .separator(b' ')
        .tag("v1,")
        .signed_content("{id}.{timestamp}.{body}")
}

/// A sender by way of Svix, which knows both families of names.
fn svix(name: &'static str) -> HmacBuilder {
    standard_webhooks(name, standard_headers("svix"))
        .or_headers(standard_headers("webhook"))
        .kind_pointer("/type")
}

pub(super) fn standard_headers(family: &str) -> Headers {
    Headers::new(format!("{family}-signature"))
        .timestamp(format!("{family}-timestamp"))
        .id(format!("{family}-id"))
}

const WORKOS_TOLERANCE: Duration = Duration::from_secs(180);
