use std::time::Duration;

use http::StatusCode;

use super::facts::{days, hours};
use super::{Facts, Handshake, Preset, Sample, Signing};
use crate::ConfigError;
use crate::enqueue::Success;
use crate::hmac::{Encoding, Headers, HmacBuilder, HmacScheme, TimestampUnit};
use crate::token::TokenScheme;

pub(super) const LIST: &[&Facts] = &[
    Preset::LINE,
    Preset::MAILGUN,
    Preset::META,
    Preset::POSTMARK,
    Preset::SLACK,
    Preset::TELEGRAM,
    Preset::TWILIO,
    Preset::TWITCH,
    Preset::WHATSAPP,
    Preset::X,
    Preset::ZOOM,
];

impl Preset {
    /// What is known of LINE.
    pub const LINE: &'static Facts = &Facts {
        name: "line",
        title: "LINE",
        sources: &[
            "https://developers.line.biz/en/docs/messaging-api/verify-webhook-signature/",
            "https://developers.line.biz/en/docs/messaging-api/receiving-messages/",
        ],
        unconfirmed: &["how long a delivery is sent again, which is off until it is switched on"],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("line", Headers::new("x-line-signature"))
                .encoding(Encoding::Base64)
                .kind_pointer("/events/0/type")
        }),
        is_batch: true,
        sample: Sample {
            event: "message",
            headers: &[],
            body: r#"{"destination":"U1","events":[{"type":"{event}","webhookEventId":"{id}","timestamp":{millis},"deliveryContext":{"isRedelivery":false}}]}"#,
        },
        ..Facts::COMMON
    };

    /// LINE: HMAC-SHA-256 over the body, base64 in `X-Line-Signature`
    /// ([docs](https://developers.line.biz/en/docs/messaging-api/verify-webhook-signature/)).
    ///
    /// The secret is the channel secret, as it stands. The signature covers the body and nothing
    /// else, and there is no timestamp in it that is checked, so an old delivery can be sent again
    /// once the dedupe window is over.
    ///
    /// A request may hold several events, or none, and is one job. Each event has an id of its own,
    /// `webhookEventId`, and the request has none, so the recommended dedupe key is the digest of
    /// the body. A redelivery has `isRedelivery` set in its events, and with it another digest: tell
    /// a repeated event by its `webhookEventId` in the handler. The kind is the `type` of the first
    /// event. Unconfirmed is how long LINE tries again.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn line(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::LINE.builder().secret(secret).build()
    }

    /// What is known of Meta.
    pub const META: &'static Facts = &Facts {
        name: "meta",
        title: "Meta: Facebook, Instagram, Messenger",
        sources: &["https://developers.facebook.com/docs/graph-api/webhooks/getting-started"],
        signing: Signing::Hmac(|| meta("meta")),
        retries_for: hours(36),
        success: Success::empty(StatusCode::OK),
        is_batch: true,
        sample: Sample {
            event: "page",
            headers: &[],
            body: r#"{"object":"{event}","entry":[{"id":"{id}","time":{seconds},"changes":[{"field":"feed","value":{}}]}]}"#,
        },
        handshake: Handshake::META,
        ..Facts::COMMON
    };

    /// Meta (Facebook, Instagram, Messenger): HMAC-SHA-256 over the body, in `X-Hub-Signature-256`
    /// ([docs](https://developers.facebook.com/docs/graph-api/webhooks/getting-started)).
    ///
    /// The secret is the app secret, as it stands. Meta signs the body as it sends it, with escapes
    /// such as `\u00e4`; the raw bytes verify, and need no escaping of one's own. The old
    /// `X-Hub-Signature`, with SHA-1, is passed over. There is no timestamp, so an old delivery can
    /// be sent again once the dedupe window is over.
    ///
    /// A request may hold several changes and is one job. It has no id, so the recommended dedupe
    /// key is the digest of the body; tell a repeated change by the id of its message or post. The
    /// kind is the `object`. Meta wants 200 and tries again for 36 hours.
    ///
    /// The token that Meta shows when it asks for the endpoint ("verify token") is set with
    /// [`handshake_token`](super::PresetBuilder::handshake_token); without one it is not answered.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn meta(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::META.builder().secret(secret).build()
    }

    /// What is known of Postmark.
    pub const POSTMARK: &'static Facts = &Facts {
        name: "postmark",
        title: "Postmark",
        sources: &[
            "https://postmarkapp.com/developer/webhooks/webhooks-overview",
            "https://postmarkapp.com/developer/webhooks/inbound-webhook",
        ],
        signing: Signing::Token(|| {
            TokenScheme::basic_auth("postmark")
                .id_pointer("/MessageID")
                .kind_pointer("/RecordType")
        }),
        retries_for: hours(11),
        success: Success::empty(StatusCode::OK),
        ..Facts::COMMON
    };

    /// Postmark: HTTP basic authentication, as in the URL given to Postmark
    /// ([docs](https://postmarkapp.com/developer/webhooks/webhooks-overview)).
    ///
    /// The secret is `user:password`, the same as in `https://user:password@example.com/hooks`. Of
    /// its at least 16 bytes only the password is secret. **Nothing is signed**: whoever sees one
    /// request can make up others, so use HTTPS; see [`token`](crate::token).
    ///
    /// The recommended dedupe key is the digest of the body. `MessageID` is reported as the id, but
    /// it is the message's: a bounce and each opening of one message have the same, so don't dedupe
    /// by it alone. The kind is the `RecordType`. Postmark wants 200, tries an inbound message again
    /// for some 10 hours, and stops after 403.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes, has no colon or has white space
    /// around it.
    pub fn postmark(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::POSTMARK.builder().secret(secret).build()
    }

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

    /// What is known of Telegram.
    pub const TELEGRAM: &'static Facts = &Facts {
        name: "telegram",
        title: "Telegram",
        sources: &["https://core.telegram.org/bots/api#setwebhook"],
        unconfirmed: &[
            "a JSON body in the answer is read as a call of a method, so the answer has none",
            "an update is tried again for up to 24 hours",
        ],
        signing: Signing::Token(|| {
            TokenScheme::header("telegram", "x-telegram-bot-api-secret-token")
                .id_pointer("/update_id")
                .kind_is_name_beside("update_id")
        }),
        retries_for: hours(24),
        // A JSON body would be read as a call of a method.
        success: Success::empty(StatusCode::OK),
        ..Facts::COMMON
    };

    /// Telegram bots: the token of the webhook, in `X-Telegram-Bot-Api-Secret-Token`
    /// ([docs](https://core.telegram.org/bots/api#setwebhook)).
    ///
    /// The secret is the `secret_token` that was given to `setWebhook`: letters, digits, `_` and
    /// `-`, and here 16 at least. It is not the token of the bot. **Nothing is signed**: whoever
    /// sees one request can make up others; see [`token`](crate::token).
    ///
    /// The id is the `update_id`, which is not signed, so the recommended dedupe key is the digest
    /// of the body. The kind is the name of the first field beside the id, such as `message` or
    /// `callback_query`. The answer has no body, since Telegram is
    /// said to take JSON there for a call. Unconfirmed are this and that it tries again for up to 24
    /// hours.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn telegram(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::TELEGRAM.builder().secret(secret).build()
    }

    /// What is known of Twitch EventSub.
    pub const TWITCH: &'static Facts = &Facts {
        name: "twitch",
        title: "Twitch EventSub",
        sources: &["https://dev.twitch.tv/docs/eventsub/handling-webhook-events"],
        unconfirmed: &[
            "the secret has 10 to 100 ASCII characters",
            "how long a notification is tried again",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder(
                "twitch",
                Headers::new("twitch-eventsub-message-signature")
                    .timestamp("twitch-eventsub-message-timestamp")
                    .id("twitch-eventsub-message-id")
                    .kind("twitch-eventsub-subscription-type"),
            )
            .tag("sha256=")
            .signed_content("{id}{timestamp}{body}")
            .timestamp_unit(TimestampUnit::Rfc3339)
            .tolerate_past(TWITCH_TOLERANCE)
            .tolerate_future(TWITCH_TOLERANCE)
        }),
        sample: Sample {
            event: "channel.follow",
            headers: &[
                ("twitch-eventsub-message-type", "notification"),
                ("twitch-eventsub-subscription-type", "{event}"),
            ],
            body: r#"{"subscription":{"id":"{id}","type":"{event}","status":"enabled"},"event":{}}"#,
        },
        handshake: Handshake::TWITCH,
        ..Facts::COMMON
    };

    /// Twitch EventSub: HMAC-SHA-256 over `<id><timestamp><body>`, in
    /// `Twitch-Eventsub-Message-Signature`
    /// ([docs](https://dev.twitch.tv/docs/eventsub/handling-webhook-events)).
    ///
    /// The secret is the one given to Twitch with the subscription, as it stands; Twitch takes 10
    /// characters, this takes fewer than 16 only with
    /// [`allow_short_secret`](super::PresetBuilder::allow_short_secret). The timestamp is a date and
    /// is signed as it was written. It may lie 600 s away, either way, as Twitch advises.
    ///
    /// `Twitch-Eventsub-Message-Id` is signed and the same on every retry, so it is the recommended
    /// dedupe key. The kind is `Twitch-Eventsub-Subscription-Type`, which is not signed; the body
    /// has it as `subscription.type`. That a subscription was revoked is told by
    /// `Twitch-Eventsub-Message-Type`, which is not signed either, and by `subscription.status` in
    /// the body. Unconfirmed are the limits of the secret and how long Twitch tries again.
    ///
    /// The `webhook_callback_verification` of a new subscription is answered with its challenge.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn twitch(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::TWITCH.builder().secret(secret).build()
    }

    /// What is known of WhatsApp Business.
    pub const WHATSAPP: &'static Facts = &Facts {
        name: "whatsapp",
        title: "WhatsApp Business",
        sources: &[
            "https://developers.facebook.com/docs/whatsapp/cloud-api/guides/set-up-webhooks",
            "https://developers.facebook.com/docs/graph-api/webhooks/getting-started",
        ],
        unconfirmed: &["a delivery is tried again for up to 7 days"],
        signing: Signing::Hmac(|| meta("whatsapp")),
        retries_for: days(7),
        success: Self::META.success,
        is_batch: true,
        sample: Sample {
            event: "whatsapp_business_account",
            headers: &[],
            body: r#"{"object":"{event}","entry":[{"id":"1","changes":[{"field":"messages","value":{"messaging_product":"whatsapp","messages":[{"id":"{id}","type":"text","timestamp":"{seconds}"}]}}]}]}"#,
        },
        handshake: Handshake::META,
        ..Facts::COMMON
    };

    /// WhatsApp Business: signed as by [Meta](Self::meta), HMAC-SHA-256 over the body, in
    /// `X-Hub-Signature-256`
    /// ([docs](https://developers.facebook.com/docs/whatsapp/cloud-api/guides/set-up-webhooks)).
    ///
    /// All else is as for Meta, but that a delivery is tried again for up to 7 days, which is
    /// unconfirmed. Tell a repeated message by its `id` in the handler.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn whatsapp(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::WHATSAPP.builder().secret(secret).build()
    }

    /// What is known of X.
    pub const X: &'static Facts = &Facts {
        name: "x",
        title: "X",
        sources: &["https://docs.x.com/x-api/webhooks/introduction"],
        unconfirmed: &[
            "a crc_token has only letters, digits and -_.=+/, and is no JSON",
            "which answer counts as success; 200 is given",
            "whether and how long a delivery is tried again",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("x", Headers::new("x-twitter-webhooks-signature"))
                .encoding(Encoding::Base64)
                .tag("sha256=")
        }),
        success: Success::empty(StatusCode::OK),
        is_batch: true,
        sample: Sample {
            event: "webhook",
            headers: &[],
            body: r#"{"for_user_id":"1","tweet_create_events":[{"id_str":"{id}"}]}"#,
        },
        handshake: Handshake::X,
        ..Facts::COMMON
    };

    /// X, once Twitter: HMAC-SHA-256 over the body, base64 in `X-Twitter-Webhooks-Signature`
    /// ([docs](https://docs.x.com/x-api/webhooks/introduction)).
    ///
    /// The secret is the consumer secret of the app, as it stands. The signature covers the body
    /// alone and there is no timestamp, so an old delivery can be sent again once the dedupe window
    /// is over. There is neither an id nor a kind: the recommended dedupe key is the digest of the
    /// body, and the handler looks which lists, such as `tweet_create_events`, it holds. A list may
    /// have several events. Unconfirmed are the answer that X wants, which is 200 here, and whether
    /// it tries again.
    ///
    /// X asks for the endpoint every hour and wants the HMAC of its `crc_token`, under the secret that it
    /// signs with; of several secrets the first answers, so put the new one first. Nobody signs the
    /// question, so whoever knows the URL can have a token signed as if it were a body. Only tokens that
    /// can't be JSON are, made of letters, digits and `-_.=+/`; that X sends no others is unconfirmed. A
    /// handler has to refuse a body that is not JSON.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn x(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::X.builder().secret(secret).build()
    }

    /// What is known of Zoom.
    pub const ZOOM: &'static Facts = &Facts {
        name: "zoom",
        title: "Zoom",
        sources: &["https://developers.zoom.us/docs/api/webhooks/"],
        unconfirmed: &["a retry has the timestamp of the first attempt"],
        signing: Signing::Hmac(|| {
            HmacScheme::builder(
                "zoom",
                Headers::new("x-zm-signature").timestamp("x-zm-request-timestamp"),
            )
            .tag("v0=")
            .signed_content("v0:{timestamp}:{body}")
            .kind_pointer("/event")
        }),
        retries_for: hours(2),
        success: Success::empty(StatusCode::OK),
        sample: Sample {
            event: "meeting.started",
            headers: &[],
            body: r#"{"event":"{event}","event_ts":{millis},"payload":{"object":{"id":"{id}"}}}"#,
        },
        handshake: Handshake::ZOOM,
        ..Facts::COMMON
    };

    /// Zoom: HMAC-SHA-256 over `v0:<timestamp>:<body>`, in `x-zm-signature`
    /// ([docs](https://developers.zoom.us/docs/api/webhooks/)).
    ///
    /// The secret is the secret token of the app's feature, as it stands. Zoom documents no
    /// tolerance; the timestamp may lie 300 s away, either way. If a retry has the timestamp of the
    /// first attempt, which is unconfirmed, it is refused as stale:
    /// [`tolerate_past`](super::PresetBuilder::tolerate_past) of two hours takes all retries.
    ///
    /// A delivery has no id, so the recommended dedupe key is the digest of what was signed, the
    /// timestamp among it; if a retry has a new timestamp, it is a new delivery. The kind is the
    /// `event`. Zoom wants 200 or 204 within 3 s and tries again three times, the last time after
    /// some 85 minutes.
    ///
    /// The `endpoint.url_validation`, which comes again every 72 hours, is answered with its token and
    /// the HMAC of it under the secret that signed it.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn zoom(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::ZOOM.builder().secret(secret).build()
    }
}

/// The settings that the senders of Meta share.
fn meta(name: &'static str) -> HmacBuilder {
    HmacScheme::builder(name, Headers::new("x-hub-signature-256"))
        .tag("sha256=")
        .kind_pointer("/object")
}

const TWITCH_TOLERANCE: Duration = Duration::from_secs(600);
