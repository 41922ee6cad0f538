use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// A request as its sender makes it.
#[derive(Clone)]
pub(crate) struct Delivery {
    pub(crate) path: &'static str,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Delivery {
    /// GitHub signs the body and nothing else.
    pub(crate) fn github(event: &str, body: &str) -> Self {
        let signature = hex::encode(sign(GITHUB_SECRET.as_bytes(), body));
        Self::new("/hooks/github", body)
            .header("x-github-event", event)
            .header("x-hub-signature-256", format!("sha256={signature}"))
    }

    /// Stripe signs a timestamp with the body, and signs again with every retry.
    pub(crate) fn stripe(signed_ago: Duration, body: &str) -> Self {
        let at = seconds_before_now(signed_ago);
        let signature = hex::encode(sign(STRIPE_SECRET.as_bytes(), &format!("{at}.{body}")));
        Self::new("/hooks/stripe", body)
            .header("stripe-signature", format!("t={at},v1={signature}"))
    }

    /// Standard Webhooks sign an id and a timestamp with the body.
    pub(crate) fn standard(id: &str, body: &str) -> Self {
        let at = seconds_before_now(Duration::ZERO);
        let signature = BASE64_STANDARD.encode(sign(STANDARD_KEY, &format!("{id}.{at}.{body}")));
        Self::new("/hooks/standard", body)
            .header("webhook-id", id)
            .header("webhook-timestamp", at.to_string())
            .header("webhook-signature", format!("v1,{signature}"))
    }

    /// The same delivery with another body under the old signature.
    pub(crate) fn tampered(mut self, from: &str, to: &str) -> Self {
        self.body = self.body.replace(from, to);
        self
    }

    /// The same delivery without what the sender adds to it.
    pub(crate) fn unsigned(mut self) -> Self {
        self.headers.truncate(1);
        self
    }

    fn new(path: &'static str, body: &str) -> Self {
        Self {
            path,
            headers: vec![("content-type", "application/json".to_owned())],
            body: body.to_owned(),
        }
    }

    fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

fn sign(key: &[u8], content: &str) -> [u8; 32] {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).expect("any length is a key");
    mac.update(content.as_bytes());
    mac.finalize().into_bytes().into()
}

fn seconds_before_now(ago: Duration) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default().saturating_sub(ago).as_secs()
}

/// Secrets of the demonstration. Real ones come from the sender and stay out of the source.
pub(crate) const GITHUB_SECRET: &str = "quickstart github secret";
pub(crate) const STRIPE_SECRET: &str = "whsec_quickstart_stripe_secret";
pub(crate) const STANDARD_SECRET: &str = "whsec_cXVpY2tzdGFydCBzdGFuZGFyZCB3ZWJob29rcyBrZXk=";
/// What [`STANDARD_SECRET`] is the base64 of.
const STANDARD_KEY: &[u8] = b"quickstart standard webhooks key";
