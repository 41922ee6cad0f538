#[cfg(feature = "ed25519")]
use std::time::Duration;

#[cfg(feature = "ed25519")]
use http::StatusCode;

use super::Facts;
#[cfg(feature = "ed25519")]
use super::Handshake;
#[cfg(any(
    feature = "ecdsa",
    feature = "ed25519",
    feature = "jwt",
    feature = "rsa"
))]
use super::Preset;
#[cfg(feature = "ecdsa")]
use super::facts::hours;
#[cfg(any(feature = "ecdsa", feature = "ed25519"))]
use super::{Described, Signing};
#[cfg(any(feature = "ecdsa", feature = "ed25519"))]
use crate::ConfigError;
#[cfg(feature = "ed25519")]
use crate::enqueue::Success;
#[cfg(feature = "ed25519")]
use crate::hmac::Encoding;
#[cfg(any(feature = "ecdsa", feature = "ed25519"))]
use crate::hmac::{Headers, HmacBuilder, HmacScheme, SecretEncoding};
#[cfg(any(feature = "ecdsa", feature = "ed25519"))]
use crate::scheme::public_key::PublicKeyAlgorithm;

pub(super) const LIST: &[&Facts] = &[
    #[cfg(feature = "rsa")]
    Preset::AWS_SNS,
    #[cfg(feature = "ed25519")]
    Preset::DISCORD,
    #[cfg(feature = "rsa")]
    Preset::PAYPAL,
    #[cfg(feature = "jwt")]
    Preset::PLAID,
    #[cfg(feature = "ecdsa")]
    Preset::SENDGRID,
];

#[cfg(feature = "ed25519")]
#[cfg_attr(docsrs, doc(cfg(feature = "ed25519")))]
impl Preset {
    /// What is known of Discord.
    pub const DISCORD: &'static Facts = &Facts {
        name: "discord",
        title: "Discord",
        sources: &["https://docs.discord.com/developers/events/webhook-events"],
        unconfirmed: &[
            "a retry carries a timestamp of its own",
            "neither events nor their envelope have an id",
        ],
        signing: Signing::Custom(
            |settings| {
                let builder = discord().settings(settings);
                let algorithm = PublicKeyAlgorithm::Ed25519(Encoding::Hex);
                Ok(Box::new(builder.build_public(algorithm)?))
            },
            || Described {
                algorithm: "Ed25519, hex".into(),
                ..discord().described()
            },
        ),
        retries_for: Duration::from_secs(10 * 60),
        success: Success::empty(StatusCode::NO_CONTENT),
        refusal: Some(StatusCode::UNAUTHORIZED),
        handshake: Handshake::DISCORD,
        ..Facts::COMMON
    };

    /// Discord's webhook events: Ed25519 over `<timestamp><body>`, hex in `X-Signature-Ed25519`
    /// ([docs](https://docs.discord.com/developers/events/webhook-events)).
    ///
    /// The key is the application's public key, 64 hex digits. Discord documents no tolerance for
    /// `X-Signature-Timestamp`; 300 s are taken, both ways. An event has no id, so the digest of
    /// what was signed names the delivery. The kind is the type of the inner event. Discord wants
    /// 204 within 3 s, and sends wrong signatures on purpose that have to be answered with 401. It
    /// tries again for up to 10 minutes.
    ///
    /// The PING of an interactions endpoint is answered too, but other interactions want their
    /// answer in the response, which a queue can't give.
    ///
    /// Not confirmed by a source: that a retry has a timestamp of its own.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the key is not that of an Ed25519 key pair in hex.
    pub fn discord(public_key: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::DISCORD.builder().secret(public_key).build()
    }
}

#[cfg(feature = "ed25519")]
fn discord() -> HmacBuilder {
    HmacScheme::builder(
        "discord",
        Headers::new("x-signature-ed25519").timestamp("x-signature-timestamp"),
    )
    .secret_encoding(SecretEncoding::Hex)
    .signed_content("{timestamp}{body}")
    .kind_pointer("/event/type")
}

#[cfg(feature = "ecdsa")]
#[cfg_attr(docsrs, doc(cfg(feature = "ecdsa")))]
impl Preset {
    /// What is known of SendGrid.
    pub const SENDGRID: &'static Facts = &Facts {
        name: "sendgrid",
        title: "SendGrid",
        sources: &[
            "https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features",
        ],
        unconfirmed: &[
            "SendGrid tries again for up to 24 hours",
            "a retry carries a timestamp of its own",
        ],
        signing: Signing::Custom(
            |settings| {
                let builder = sendgrid().settings(settings);
                Ok(Box::new(
                    builder.build_public(PublicKeyAlgorithm::EcdsaP256)?,
                ))
            },
            || Described {
                algorithm: "ECDSA P-256 SHA-256, DER in base64".into(),
                ..sendgrid().described()
            },
        ),
        retries_for: hours(24),
        is_batch: true,
        ..Facts::COMMON
    };

    /// SendGrid's event webhook: ECDSA over `<timestamp><body>`, DER in base64 in
    /// `X-Twilio-Email-Event-Webhook-Signature`
    /// ([docs](https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features)).
    ///
    /// The key is the verification key of the webhook's settings: a P-256 public key, base64 of
    /// its DER. Each event ends with CR LF, which is signed, so nothing in front may trim the body.
    /// SendGrid documents no tolerance for the timestamp; 300 s are taken, both ways.
    ///
    /// A request holds several events, and is named by the digest of what was signed. Its kind is
    /// the `event` of the first one. `sg_event_id` was reported to change when an event is sent
    /// again, so `sg_message_id`, `event` and `timestamp` together tell a repeated event better.
    ///
    /// Not confirmed by a source: that SendGrid tries again for 24 hours, and signs each time.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the key is not base64 of a P-256 public key.
    pub fn sendgrid(public_key: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::SENDGRID.builder().secret(public_key).build()
    }
}

#[cfg(feature = "ecdsa")]
fn sendgrid() -> HmacBuilder {
    HmacScheme::builder(
        "sendgrid",
        Headers::new("x-twilio-email-event-webhook-signature")
            .timestamp("x-twilio-email-event-webhook-timestamp"),
    )
    .secret_encoding(SecretEncoding::Base64)
    .signed_content("{timestamp}{body}")
    .kind_pointer("/0/event")
}
