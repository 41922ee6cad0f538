//! Handshakes whose signature was found right.
//!
//! Every delivery is asked about, so a search for the words that a handshake must hold comes before
//! anything is parsed.

use bytes::Bytes;
use http::Response;
#[cfg(any(test, feature = "ed25519"))]
use http::StatusCode;
use http::request::Parts;
use memchr::memmem;
#[cfg(any(test, feature = "ed25519"))]
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::answer::{json, text};
use crate::preset::Preset;

/// <https://docs.discord.com/developers/events/webhook-events#preparing-for-events> and
/// <https://docs.discord.com/developers/interactions/overview#preparing-for-interactions>
///
/// Type 1 is the ping of interactions, and among events every event.
#[cfg(any(test, feature = "ed25519"))]
pub(super) fn discord(_: &Preset, _: u32, _: &Parts, body: &[u8]) -> Option<Response<Bytes>> {
    #[derive(Deserialize)]
    struct Ping {
        r#type: u64,
        #[serde(default)]
        event: Option<IgnoredAny>,
    }

    #[derive(Serialize)]
    struct Pong {
        r#type: u64,
    }

    if memmem::find(body, br#""event""#).is_some() {
        return None;
    }
    match serde_json::from_slice(body).ok()? {
        Ping {
            r#type: 0,
            event: None,
        } => {
            let mut response = Response::default();
            *response.status_mut() = StatusCode::NO_CONTENT;
            Some(response)
        }
        Ping {
            r#type: 1,
            event: None,
        } => json(&Pong { r#type: 1 }),
        _ => None,
    }
}

/// <https://docs.slack.dev/reference/events/url_verification>
pub(super) fn slack(_: &Preset, _: u32, _: &Parts, body: &[u8]) -> Option<Response<Bytes>> {
    #[derive(Deserialize)]
    struct Verification {
        r#type: String,
        challenge: String,
    }

    memmem::find(body, b"url_verification")?;
    let verification: Verification = serde_json::from_slice(body).ok()?;
    (verification.r#type == "url_verification").then(|| text(verification.challenge))
}

/// <https://dev.twitch.tv/docs/eventsub/handling-webhook-events>
///
/// The header is not signed, the challenge is.
pub(super) fn twitch(_: &Preset, _: u32, head: &Parts, body: &[u8]) -> Option<Response<Bytes>> {
    #[derive(Deserialize)]
    struct Verification {
        challenge: String,
    }

    let kind = head.headers.get("twitch-eventsub-message-type")?;
    if kind != "webhook_callback_verification" {
        return None;
    }
    let verification: Verification = serde_json::from_slice(body).ok()?;
    Some(text(verification.challenge))
}

/// <https://developers.zoom.us/docs/api/webhooks>
pub(super) fn zoom(preset: &Preset, key: u32, _: &Parts, body: &[u8]) -> Option<Response<Bytes>> {
    #[derive(Deserialize)]
    struct Validation {
        event: String,
        payload: Payload,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Payload {
        plain_token: String,
    }

    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Answer {
        plain_token: String,
        encrypted_token: String,
    }

    memmem::find(body, b"endpoint.url_validation")?;
    let validation: Validation = serde_json::from_slice(body).ok()?;
    if validation.event != "endpoint.url_validation" {
        return None;
    }
    let plain_token = validation.payload.plain_token;
    let mac = preset.hmac()?.mac(key, plain_token.as_bytes());
    json(&Answer {
        plain_token,
        encrypted_token: hex::encode(mac),
    })
}
