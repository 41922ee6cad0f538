use http::StatusCode;

use super::facts::hours;
use super::{Facts, Handshake, Preset, Signing};
use crate::ConfigError;
use crate::enqueue::Success;
use crate::hmac::{Encoding, Headers, HmacBuilder, HmacScheme, SecretEncoding};
use crate::token::TokenScheme;

pub(super) const LIST: &[&Facts] = &[
    Preset::MICROSOFT_GRAPH,
    Preset::OKTA,
    Preset::STANDARD_WEBHOOKS,
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
            standard_webhooks("standard-webhooks").or_headers(standard_headers("svix"))
        }),
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
}

/// The settings that senders by this standard share, under the standard's own header names.
fn standard_webhooks(name: &'static str) -> HmacBuilder {
    HmacScheme::builder(name, standard_headers("webhook"))
        .secret_encoding(SecretEncoding::Whsec)
        .encoding(Encoding::Base64)
        .separator(b' ')
        .tag("v1,")
        .signed_content("{id}.{timestamp}.{body}")
        .kind_pointer("/type")
}

fn standard_headers(family: &str) -> Headers {
    Headers::new(format!("{family}-signature"))
        .timestamp(format!("{family}-timestamp"))
        .id(format!("{family}-id"))
}
