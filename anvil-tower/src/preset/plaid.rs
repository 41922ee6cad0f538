use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::HeaderName;
use http::request::Parts;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::facts::hours;
use super::{Described, Facts, Preset, Settings, Signing};
use crate::enqueue::Success;
use crate::hmac::{Stamp, TimestampRule, TimestampUnit, single_header};
use crate::json::JsonPointer;
use crate::public_key::KeySource;
use crate::rejection::{EXPIRED, MALFORMED_SIGNATURE, MISMATCH, MISSING_SIGNATURE};
use crate::scheme::public_key::{Jwk, KeyCache, Token};
use crate::{Check, ConfigError, Identity, Proof, Rejection, Scheme};

impl Preset {
    /// What is known of Plaid.
    pub const PLAID: &'static Facts = &Facts {
        name: "plaid",
        title: "Plaid",
        sources: &["https://plaid.com/docs/api/webhooks/webhook-verification/"],
        unconfirmed: &[
            "Plaid tries again for up to 24 hours",
            "a retry carries a token of its own",
        ],
        signing: Signing::NamedKeys(
            |settings| Ok(Box::new(Plaid::new(settings)?)),
            || Described {
                algorithm: "JWT, ES256".into(),
                signature: SIGNATURE.as_str().to_owned().into(),
                signed_content: "{time} and {SHA-256 of the body} in the token".into(),
                tolerance: Some((FIVE_MINUTES, FIVE_MINUTES)),
                id: "".into(),
                id_is_signed: false,
                kind: "/webhook_type in the body".into(),
                needs_url: false,
            },
        ),
        retries_for: hours(24),
        success: Success::empty(http::StatusCode::OK),
        ..Facts::COMMON
    };

    /// Plaid: a JWT with ES256 in `Plaid-Verification`, which holds the time and the SHA-256 of
    /// the body ([docs](https://plaid.com/docs/api/webhooks/webhook-verification/)).
    ///
    /// `source` is asked for the key whose id the token has: it calls
    /// `/webhook_verification_key/get` with your credentials and returns the answer; see
    /// [`public_key`](crate::public_key) for what is kept. Keys that are known already go to
    /// [`PresetBuilder::key`](super::PresetBuilder::key). A key that Plaid says has expired is
    /// refused, and no algorithm but ES256 is taken. The token may be 5 minutes old, or as much
    /// ahead.
    ///
    /// A delivery has no id, so the digest of the body names it. The kind is the `webhook_type`;
    /// the handler finds the `webhook_code` in the body.
    ///
    /// Not confirmed by a source: that Plaid tries again for up to 24 hours, with a new token.
    ///
    /// # Errors
    ///
    /// None with a source; it is a `Result` as those of the other senders are.
    pub fn plaid(source: impl KeySource + 'static) -> Result<Self, ConfigError> {
        Self::PLAID.builder().key_source(source).build()
    }
}

#[derive(Debug)]
struct Plaid {
    timestamp: TimestampRule,
    keys: Arc<KeyCache<Jwk>>,
    kind: JsonPointer,
}

impl Plaid {
    fn new(settings: &Settings) -> Result<Self, ConfigError> {
        #[cfg(feature = "rsa")]
        if settings.has_topics() || settings.has_webhook_id() {
            return Err(ConfigError::new(
                "plaid has no use for a topic or a webhook id; leave them out",
            ));
        }
        Ok(Self {
            timestamp: TimestampRule {
                unit: TimestampUnit::Seconds,
                past: settings.past.unwrap_or(FIVE_MINUTES),
                future: settings.future.unwrap_or(FIVE_MINUTES),
            },
            keys: Arc::new(KeyCache::new(&settings.keys, settings.key_source.as_ref())?),
            kind: JsonPointer::parse("/webhook_type")?,
        })
    }
}

#[derive(Deserialize)]
struct Claims {
    iat: u64,
    request_body_sha256: String,
}

struct Pending {
    token: Token<Claims>,
    hash: [u8; 32],
    stamp: Stamp,
    now: SystemTime,
}

impl Pending {
    async fn decide(self, keys: &KeyCache<Jwk>, body: &[u8]) -> Result<Proof, Rejection> {
        let key = keys.get(&self.token.kid, self.now).await?;
        let is_signed = self.token.is_signed_by(&key);
        let is_body = Sha256::digest(body)[..].ct_eq(&self.hash[..]);
        if !is_signed || !bool::from(is_body) {
            return Err(MISMATCH);
        }
        if key.expired_at.is_some_and(|end| end <= self.now) {
            return Err(EXPIRED);
        }
        self.stamp.verdict()?;
        Ok(Proof::new(0).timestamp(self.stamp.at))
    }
}

impl Scheme for Plaid {
    fn name(&self) -> &'static str {
        "plaid"
    }

    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        let text = single_header(&head.headers, &SIGNATURE)?
            .filter(|text| !text.is_empty())
            .ok_or(MISSING_SIGNATURE)?;
        let token: Token<Claims> = Token::parse(text)?;
        let mut hash = [0; 32];
        hex::decode_to_slice(&token.claims.request_body_sha256, &mut hash)
            .map_err(|_| MALFORMED_SIGNATURE)?;
        let stamp = self
            .timestamp
            .judge(token.claims.iat.to_string().as_bytes(), now)?;
        let pending = Pending {
            token,
            hash,
            stamp,
            now,
        };
        let keys = Arc::clone(&self.keys);
        Ok(Check::later(move |body| {
            Box::pin(async move { pending.decide(&keys, &body).await })
        }))
    }

    fn identify(&self, _head: &Parts, body: &[u8]) -> Identity {
        let identity = Identity::new().signature_header(SIGNATURE);
        match self.kind.find(body) {
            Some(kind) => identity.kind(kind),
            None => identity,
        }
    }

    fn key_id(&self, _key: u32) -> Arc<str> {
        "jwk".into()
    }
}

const SIGNATURE: HeaderName = HeaderName::from_static("plaid-verification");
const FIVE_MINUTES: Duration = Duration::from_secs(300);
