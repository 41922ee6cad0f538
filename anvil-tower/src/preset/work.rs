use std::time::Duration;

use http::StatusCode;

use super::facts::hours;
use super::{Facts, Handshake, Preset, Sample, Signing};
use crate::ConfigError;
use crate::enqueue::Success;
use crate::hmac::{Algorithm, Encoding, Headers, HmacScheme, TimestampUnit};

pub(super) const LIST: &[&Facts] = &[
    Preset::ASANA,
    Preset::BOX,
    Preset::CONTENTFUL,
    Preset::DROPBOX,
    Preset::JIRA,
    Preset::LINEAR,
    Preset::TRELLO,
];

impl Preset {
    /// What is known of Linear.
    pub const LINEAR: &'static Facts = &Facts {
        name: "linear",
        title: "Linear",
        sources: &[
            "https://linear.app/developers/webhooks",
            "https://github.com/linear/linear/tree/master/packages/sdk/src/webhooks",
        ],
        unconfirmed: &["a retry is signed with a new webhookTimestamp"],
        signing: Signing::Hmac(|| {
            HmacScheme::builder(
                "linear",
                Headers::new("linear-signature")
                    .id("linear-delivery")
                    .kind("linear-event"),
            )
            .timestamp_pointer("/webhookTimestamp")
            .timestamp_unit(TimestampUnit::Milliseconds)
            .tolerate_past(LINEAR_TOLERANCE)
            .tolerate_future(LINEAR_TOLERANCE)
        }),
        retries_for: hours(8),
        success: Success::empty(StatusCode::OK),
        sample: Sample {
            event: "Issue",
            headers: &[("linear-event", "{event}")],
            body: r#"{"action":"create","type":"{event}","data":{"id":"{id}"},"webhookTimestamp":{millis}}"#,
        },
        ..Facts::COMMON
    };

    /// Linear: HMAC-SHA-256 over the body, in `Linear-Signature`
    /// ([docs](https://linear.app/developers/webhooks)).
    ///
    /// The secret is used as it is. The time of sending is `webhookTimestamp` in the signed body,
    /// counts milliseconds and is good for 60 s either way; the header `Linear-Timestamp` is not
    /// signed and not looked at. Neither `Linear-Delivery` nor `Linear-Event`, which is the kind, is
    /// signed, so the recommended dedupe key is the digest of the body.
    ///
    /// Linear wants 200 within 5 s and tries again after 1 min, 1 h and 6 h. Whether a retry is
    /// signed with a new timestamp is not confirmed: if retries are refused as stale, set
    /// [`tolerate_past`](super::PresetBuilder::tolerate_past) to eight hours.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn linear(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::LINEAR.builder().secret(secret).build()
    }

    /// What is known of Jira.
    pub const JIRA: &'static Facts = &Facts {
        name: "jira",
        title: "Jira",
        sources: &["https://developer.atlassian.com/cloud/jira/platform/webhooks/"],
        unconfirmed: &[
            "Jira tries again after 408, 409, 425, 429, 5xx and time-outs only: up to five times, 5 to 15 min apart",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder(
                "jira",
                Headers::new("x-hub-signature").id("x-atlassian-webhook-identifier"),
            )
            .tag("sha256=")
            .kind_pointer("/webhookEvent")
        }),
        retries_for: hours(2),
        refusal: Some(StatusCode::SERVICE_UNAVAILABLE),
        sample: Sample {
            event: "jira:issue_updated",
            headers: &[],
            body: r#"{"timestamp":{millis},"webhookEvent":"{event}","issue":{"id":"{id}"}}"#,
        },
        ..Facts::COMMON
    };

    /// Jira: HMAC-SHA-256 over the body, in `X-Hub-Signature`
    /// ([docs](https://developer.atlassian.com/cloud/jira/platform/webhooks/)).
    ///
    /// The secret is used as it is. Only webhooks with a secret are signed; one without is refused
    /// here, and so are those that an app registers. `X-Atlassian-Webhook-Identifier` is the same on
    /// every retry, but not signed, so the recommended dedupe key is the digest of the body. The
    /// kind is the `webhookEvent` in the body. There is no timestamp that would be checked.
    ///
    /// A delivery that is not authentic is answered with 503: Jira does not try again after another
    /// 4xx than 408, 409, 425 and 429, so a wrong secret would lose what is sent meanwhile. Any 2xx
    /// will do.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn jira(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::JIRA.builder().secret(secret).build()
    }

    /// What is known of Trello.
    pub const TRELLO: &'static Facts = &Facts {
        name: "trello",
        title: "Trello",
        sources: &["https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/"],
        unconfirmed: &["how long Trello tries again: three times within four minutes"],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("trello", Headers::new("x-trello-webhook"))
                .algorithm(Algorithm::Sha1)
                .encoding(Encoding::Base64)
                .signed_content("{body}{url}")
                .id_pointer("/action/id")
                .kind_pointer("/action/type")
        }),
        retries_for: hours(1),
        success: Success::empty(StatusCode::OK),
        sample: Sample {
            event: "updateCard",
            headers: &[],
            body: r#"{"action":{"id":"{id}","type":"{event}","data":{}},"model":{}}"#,
        },
        handshake: Handshake::HEAD,
        ..Facts::COMMON
    };

    /// Trello: HMAC-SHA-1 over `<body><callback URL>`, in `X-Trello-Webhook`
    /// ([docs](https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/)).
    ///
    /// The secret is the application's OAuth secret, as it is. The URL is the `callbackURL` of the
    /// webhook, letter by letter: a slash at its end counts, and so does a query. The recommended
    /// dedupe key is the `id` of the action, read from the signed body, and the kind its `type`.
    /// There is no timestamp that would be checked. Trello wants 200.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it, or
    /// where `public_url` is no URL.
    pub fn trello(
        secret: impl AsRef<[u8]>,
        public_url: impl Into<String>,
    ) -> Result<Self, ConfigError> {
        Self::TRELLO
            .builder()
            .secret(secret)
            .public_url(public_url)
            .build()
    }

    /// What is known of Box.
    pub const BOX: &'static Facts = &Facts {
        name: "box",
        title: "Box",
        sources: &[
            "https://developer.box.com/guides/webhooks/v2/signatures-v2",
            "https://github.com/box/box-node-sdk/blob/main/src/internal/utils.ts",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder(
                "box",
                Headers::new("box-signature-primary")
                    .or_signature("box-signature-secondary")
                    .timestamp("box-delivery-timestamp"),
            )
            .encoding(Encoding::Base64)
            .expect_header("box-signature-version", "1")
            .expect_header("box-signature-algorithm", "HmacSHA256")
            .timestamp_unit(TimestampUnit::Rfc3339)
            .tolerate_past(BOX_TOLERANCE)
            .tolerate_future(Duration::ZERO)
            .signed_content("{body}{timestamp}")
            .or_escaped_body()
            .id_pointer("/id")
            .kind_pointer("/trigger")
        }),
        retries_for: hours(2),
        sample: Sample {
            event: "FILE.UPLOADED",
            headers: &[],
            body: r#"{"type":"webhook_event","id":"{id}","trigger":"{event}","source":{}}"#,
        },
        ..Facts::COMMON
    };

    /// Box, webhooks of version 2: HMAC-SHA-256 over `<body><timestamp>`, in
    /// `BOX-SIGNATURE-PRIMARY` and `BOX-SIGNATURE-SECONDARY`
    /// ([docs](https://developer.box.com/guides/webhooks/v2/signatures-v2)).
    ///
    /// The secret is a signature key, as it is. Box has two of them, one for each header, so that
    /// they can be renewed in turn; give both to [`Preset::BOX`]`.builder()`. Either header may be
    /// right by either key. `BOX-SIGNATURE-VERSION` has to be `1` and `BOX-SIGNATURE-ALGORITHM`
    /// `HmacSHA256`.
    ///
    /// The timestamp in `BOX-DELIVERY-TIMESTAMP` may be 600 s old. Box's own libraries take none that
    /// is ahead, and so does this; where the clocks differ, set
    /// [`tolerate_future`](super::PresetBuilder::tolerate_future). The recommended dedupe key is the
    /// `id` in the signed body: `BOX-DELIVERY-ID` changes with each retry. The kind is the
    /// `trigger`. Any 2xx within 30 s will do.
    ///
    /// Box escapes the JSON that it sends and signs (`\u00e9` for `é`, `\/` for a slash). A body that
    /// a proxy wrote anew without these escapes is taken as well, since it has the same value.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn box_com(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::BOX.builder().secret(secret).build()
    }

    /// What is known of Asana.
    pub const ASANA: &'static Facts = &Facts {
        name: "asana",
        title: "Asana",
        sources: &["https://developers.asana.com/docs/webhooks-guide"],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("asana", Headers::new("x-hook-signature"))
                .kind_pointer("/events/0/action")
        }),
        retries_for: hours(24),
        success: Success::empty(StatusCode::OK),
        is_batch: true,
        sample: Sample {
            event: "changed",
            headers: &[],
            body: r#"{"events":[{"action":"{event}","resource":{"gid":"{id}","resource_type":"task"}}]}"#,
        },
        handshake: Handshake::ASANA,
        ..Facts::COMMON
    };

    /// Asana: HMAC-SHA-256 over the body, in `X-Hook-Signature`
    /// ([docs](https://developers.asana.com/docs/webhooks-guide)).
    ///
    /// The secret is what Asana sent as `X-Hook-Secret` when the webhook was made, as it is. Each
    /// webhook has its own, so give each a path, and a preset, of its own. A request holds several
    /// events, or none, as a heartbeat; events have no id, and the recommended dedupe key is the
    /// digest of the body. Heartbeats are all alike, so one within the dedupe window is a duplicate
    /// of the last. The kind is the `action` of the first event. There is no timestamp that would
    /// be checked.
    ///
    /// The secret comes in a handshake while the webhook is made; see
    /// [`PresetBuilder::adopt_secret`](super::PresetBuilder::adopt_secret).
    ///
    /// Asana wants 200 or 204 within 10 s, tries again for 24 hours, and then deletes the webhook.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn asana(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::ASANA.builder().secret(secret).build()
    }

    /// What is known of Dropbox.
    pub const DROPBOX: &'static Facts = &Facts {
        name: "dropbox",
        title: "Dropbox",
        sources: &["https://www.dropbox.com/developers/reference/webhooks"],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("dropbox", Headers::new("x-dropbox-signature"))
        }),
        retries_for: hours(1),
        success: Success::empty(StatusCode::OK),
        is_batch: true,
        sample: Sample {
            event: "webhook",
            headers: &[],
            body: r#"{"list_folder":{"accounts":["dbid:{id}"]}}"#,
        },
        handshake: Handshake::DROPBOX,
        ..Facts::COMMON
    };

    /// Dropbox: HMAC-SHA-256 over the body, in `X-Dropbox-Signature`
    /// ([docs](https://www.dropbox.com/developers/reference/webhooks)).
    ///
    /// The secret is the app secret, as it is. A delivery says which accounts have changes, and has
    /// neither id nor kind nor timestamp. The digest of the body names it, and two pings for the same
    /// accounts are alike: within the dedupe window the second would be a duplicate, and what it
    /// announces would be found by nobody. Leave the dedupe layer out, or give it a window of
    /// seconds. Dropbox wants 200 within 10 s.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn dropbox(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::DROPBOX.builder().secret(secret).build()
    }
}

const BOX_TOLERANCE: Duration = Duration::from_secs(600);
const LINEAR_TOLERANCE: Duration = Duration::from_secs(60);
