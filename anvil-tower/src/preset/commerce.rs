use std::time::Duration;

use http::StatusCode;

use super::facts::{days, hours};
use super::{Facts, Handshake, Preset, Sample, Signing};
use crate::ConfigError;
use crate::hmac::{Algorithm, Encoding, Headers, HmacScheme, TimestampUnit};

pub(super) const LIST: &[&Facts] = &[
    Preset::CALENDLY,
    Preset::DOCUSIGN,
    Preset::HUBSPOT,
    Preset::INTERCOM,
    Preset::SHOPIFY,
    Preset::TYPEFORM,
    Preset::ZENDESK,
];

impl Preset {
    /// What is known of Calendly.
    pub const CALENDLY: &'static Facts = &Facts {
        name: "calendly",
        title: "Calendly",
        sources: &[
            "https://developer.calendly.com/api-docs/overview/webhooks/webhook-signatures",
            "https://developer.calendly.com/api-docs/overview/webhooks/webhook-errors",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("calendly", Headers::new("calendly-webhook-signature"))
                .separator(b',')
                .tag("v1=")
                .timestamp_tag("t=")
                .signed_content("{timestamp}.{body}")
                .tolerate_past(CALENDLY_TOLERANCE)
                .tolerate_future(CALENDLY_TOLERANCE)
                .kind_pointer("/event")
        }),
        retries_for: hours(24),
        sample: Sample {
            event: "invitee.created",
            headers: &[],
            body: r#"{"event":"{event}","payload":{"uri":"https://api.calendly.com/scheduled_events/1/invitees/{id}"}}"#,
        },
        ..Facts::COMMON
    };

    /// Calendly: HMAC-SHA-256 over `<t>.<body>`, in `Calendly-Webhook-Signature`
    /// ([docs](https://developer.calendly.com/api-docs/overview/webhooks/webhook-signatures)).
    ///
    /// The secret is the signing key of the webhook subscription, as it stands. Several `v1` may be
    /// there, and any of them may match. A timestamp may lie 180 s away, either way, as in
    /// Calendly's example. A delivery has no id, so the recommended dedupe key is the digest of
    /// timestamp and body. The kind is `event`. Calendly tries again for 24 hours and then disables
    /// the subscription.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn calendly(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::CALENDLY.builder().secret(secret).build()
    }

    /// What is known of DocuSign Connect.
    pub const DOCUSIGN: &'static Facts = &Facts {
        name: "docusign",
        title: "DocuSign Connect",
        sources: &[
            "https://developers.docusign.com/platform/webhooks/connect/hmac",
            "https://developers.docusign.com/platform/webhooks/connect/validate",
        ],
        unconfirmed: &["a delivery is tried again for 7 days"],
        signing: Signing::Hmac(|| {
            let headers = Headers::new("x-docusign-signature-1");
            let headers = (2..=8).fold(headers, |headers, number| {
                headers.or_signature(format!("x-docusign-signature-{number}"))
            });
            HmacScheme::builder("docusign", headers)
                .encoding(Encoding::Base64)
                .kind_pointer("/event")
        }),
        retries_for: days(7),
        sample: Sample {
            event: "envelope-completed",
            headers: &[],
            body: r#"{"event":"{event}","data":{"envelopeId":"{id}"}}"#,
        },
        ..Facts::COMMON
    };

    /// DocuSign Connect: HMAC-SHA-256 over the body, base64 in `X-DocuSign-Signature-1` and
    /// following
    /// ([docs](https://developers.docusign.com/platform/webhooks/connect/hmac)).
    ///
    /// The secret is a Connect key as shown; it looks like base64 and is not decoded. DocuSign
    /// signs with every key of the account, each in a header of its own, numbered from 1. The
    /// first eight are read, and any of them may match; with more keys in the account, delete old
    /// ones. The signature covers the body alone and no timestamp. A delivery has no id, so the
    /// recommended dedupe key is the digest of the body. The kind is `event`. A body with documents
    /// in it is longer than 1 MiB; set
    /// [`PresetBuilder::body_limit`](super::PresetBuilder::body_limit) for these. Unconfirmed is
    /// how long DocuSign tries again: 7 days.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn docusign(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::DOCUSIGN.builder().secret(secret).build()
    }

    /// What is known of HubSpot.
    pub const HUBSPOT: &'static Facts = &Facts {
        name: "hubspot",
        title: "HubSpot",
        sources: &[
            "https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation",
            "https://developers.hubspot.com/changelog/introducing-version-3-of-webhook-signatures",
        ],
        unconfirmed: &[
            "a delivery is tried again up to ten times within 24 hours",
            "a retry is signed anew, so its timestamp is fresh",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder(
                "hubspot",
                Headers::new("x-hubspot-signature-v3").timestamp("x-hubspot-request-timestamp"),
            )
            .encoding(Encoding::Base64)
            .timestamp_unit(TimestampUnit::Milliseconds)
            .signed_content("{method}{url}{body}{timestamp}")
            .kind_pointer("/0/subscriptionType")
        }),
        retries_for: hours(24),
        refusal: Some(StatusCode::SERVICE_UNAVAILABLE),
        is_batch: true,
        sample: Sample {
            event: "contact.creation",
            headers: &[],
            body: r#"[{"eventId":"{id}","subscriptionType":"{event}","attemptNumber":0}]"#,
        },
        ..Facts::COMMON
    };

    /// HubSpot's webhooks of an app, version 3: HMAC-SHA-256 over
    /// `<method><url><body><timestamp>`, base64 in `X-HubSpot-Signature-v3`
    /// ([docs](https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation)).
    ///
    /// The secret is the client secret of the app, as it stands. `public_url` is the target URL of
    /// the webhook, character for character; where HubSpot shows it with percent signs, write the
    /// characters `:/?@!$'()*,;` that it signs decoded. The timestamp, in milliseconds in
    /// `X-HubSpot-Request-Timestamp`, may lie 300 s away, either way. The signatures of versions 1
    /// and 2, which come along, are not accepted.
    ///
    /// A request holds several events and is one job; the recommended dedupe key is the digest of
    /// what was signed. Tell a repeated event by its `eventId` in the handler. The kind is the
    /// `subscriptionType` of the first event. HubSpot drops the events after a 400, 401, 403, 404
    /// or 405, so a delivery that is not authentic is answered with 503. Unconfirmed is that it
    /// tries again within 24 hours, and signs anew.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it, or
    /// where the URL is none.
    pub fn hubspot(
        secret: impl AsRef<[u8]>,
        public_url: impl Into<String>,
    ) -> Result<Self, ConfigError> {
        Self::HUBSPOT
            .builder()
            .secret(secret)
            .public_url(public_url)
            .build()
    }

    /// What is known of Intercom.
    pub const INTERCOM: &'static Facts = &Facts {
        name: "intercom",
        title: "Intercom",
        sources: &[
            "https://developers.intercom.com/docs/webhooks/webhook-notifications",
            "https://developers.intercom.com/docs/webhooks",
        ],
        unconfirmed: &["a delivery is tried again once, after a minute"],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("intercom", Headers::new("x-hub-signature"))
                .algorithm(Algorithm::Sha1)
                .tag("sha1=")
                .id_pointer("/id")
                .kind_pointer("/topic")
        }),
        retries_for: Duration::from_secs(60),
        handshake: Handshake::HEAD,
        sample: Sample {
            event: "conversation.user.replied",
            headers: &[],
            body: r#"{"type":"notification_event","id":"{id}","topic":"{event}","data":{}}"#,
        },
        ..Facts::COMMON
    };

    /// Intercom: HMAC-SHA-1 over the body, in `X-Hub-Signature`
    /// ([docs](https://developers.intercom.com/docs/webhooks/webhook-notifications)).
    ///
    /// Intercom offers no newer hash. The secret is the client secret of the app, as it stands. The
    /// signature covers the body alone and no timestamp. The recommended dedupe key is the
    /// notification's `id`, read from the signed body; the kind is its `topic`. Intercom asks with
    /// a `HEAD` whether the endpoint is there. Unconfirmed is that it tries again once, after a
    /// minute.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn intercom(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::INTERCOM.builder().secret(secret).build()
    }

    /// What is known of Shopify.
    pub const SHOPIFY: &'static Facts = &Facts {
        name: "shopify",
        title: "Shopify",
        sources: &["https://shopify.dev/docs/apps/build/webhooks/verify-deliveries"],
        signing: Signing::Hmac(|| {
            let headers = |prefix: &str| {
                Headers::new(format!("{prefix}shopify-hmac-sha256"))
                    .id(format!("{prefix}shopify-webhook-id"))
                    .kind(format!("{prefix}shopify-topic"))
            };
            HmacScheme::builder("shopify", headers("x-"))
                .or_headers(headers(""))
                .encoding(Encoding::Base64)
        }),
        retries_for: hours(4),
        sample: Sample {
            event: "orders/create",
            headers: &[("x-shopify-topic", "{event}")],
            body: r#"{"id":"{id}"}"#,
        },
        ..Facts::COMMON
    };

    /// Shopify: HMAC-SHA-256 over the body, base64 in `X-Shopify-Hmac-SHA256`
    /// ([docs](https://shopify.dev/docs/apps/build/webhooks/verify-deliveries)).
    ///
    /// The secret is the app's client secret; for up to an hour after a rotation Shopify still
    /// signs with the old one, so configure both. The signature covers the body alone: neither
    /// `X-Shopify-Webhook-Id` nor `X-Shopify-Topic`. The recommended dedupe key is therefore the
    /// digest of the body. The newer header names without `X-` are read as well.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn shopify(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::SHOPIFY.builder().secret(secret).build()
    }

    /// What is known of Typeform.
    pub const TYPEFORM: &'static Facts = &Facts {
        name: "typeform",
        title: "Typeform",
        sources: &["https://www.typeform.com/developers/webhooks/secure-your-webhooks/"],
        unconfirmed: &[
            "a delivery is tried again for 10 hours, and only after a 408, 423, 429 or 503",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("typeform", Headers::new("typeform-signature"))
                .encoding(Encoding::Base64)
                .tag("sha256=")
                .id_pointer("/event_id")
                .kind_pointer("/event_type")
        }),
        retries_for: hours(10),
        refusal: Some(StatusCode::SERVICE_UNAVAILABLE),
        sample: Sample {
            event: "form_response",
            headers: &[],
            body: r#"{"event_id":"{id}","event_type":"{event}","form_response":{}}"#,
        },
        ..Facts::COMMON
    };

    /// Typeform: HMAC-SHA-256 over the body, base64 in `Typeform-Signature`
    /// ([docs](https://www.typeform.com/developers/webhooks/secure-your-webhooks/)).
    ///
    /// The secret is the one you chose for the webhook, as it stands. The signature is base64
    /// although `sha256=` stands before it, and covers the body alone: no timestamp. The
    /// recommended dedupe key is `event_id`, read from the signed body; the kind is `event_type`.
    /// Unconfirmed is that Typeform tries again for 10 hours, and only after a 408, 423, 429 or
    /// 503. A delivery that is not authentic is therefore answered with 503.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn typeform(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::TYPEFORM.builder().secret(secret).build()
    }

    /// What is known of Zendesk.
    pub const ZENDESK: &'static Facts = &Facts {
        name: "zendesk",
        title: "Zendesk",
        sources: &[
            "https://developer.zendesk.com/documentation/webhooks/verifying/",
            "https://developer.zendesk.com/api-reference/webhooks/introduction",
        ],
        unconfirmed: &[
            "a 401 is not among the statuses after which it tries again",
            "no retry comes later than an hour",
            "x-zendesk-webhook-invocation-id stays the same on a retry",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder(
                "zendesk",
                Headers::new("x-zendesk-webhook-signature")
                    .timestamp("x-zendesk-webhook-signature-timestamp")
                    .id("x-zendesk-webhook-invocation-id"),
            )
            .encoding(Encoding::Base64)
            .timestamp_unit(TimestampUnit::Rfc3339)
            .signed_content("{timestamp}{body}")
            .kind_pointer("/type")
        }),
        retries_for: hours(1),
        refusal: Some(StatusCode::SERVICE_UNAVAILABLE),
        sample: Sample {
            event: "zen:event-type:ticket.created",
            ..Sample::JSON
        },
        ..Facts::COMMON
    };

    /// Zendesk: HMAC-SHA-256 over `<timestamp><body>`, base64 in `X-Zendesk-Webhook-Signature`
    /// ([docs](https://developer.zendesk.com/documentation/webhooks/verifying/)).
    ///
    /// The secret is the signing secret of the webhook as shown; it looks like base64 and is not
    /// decoded. The timestamp, a date in `X-Zendesk-Webhook-Signature-Timestamp`, may lie 300 s
    /// away, either way; Zendesk documents no tolerance. `X-Zendesk-Webhook-Invocation-Id` is not
    /// signed, and an `id` in the body is the event's with some webhooks and the ticket's with
    /// others, so the recommended dedupe key is the digest of timestamp and body. The kind is the
    /// `type` in the body, where there is one. Only `POST` is accepted of the methods that a webhook
    /// can be set to.
    ///
    /// Zendesk tries again after some statuses only. Unconfirmed is that a 401 is none of them, for
    /// which reason a delivery that is not authentic is answered with 503, that no retry comes later
    /// than an hour, and that the invocation id stays the same.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn zendesk(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::ZENDESK.builder().secret(secret).build()
    }
}

/// That of Calendly's example.
const CALENDLY_TOLERANCE: Duration = Duration::from_secs(180);
