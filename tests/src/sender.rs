use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anvil_tower::{Preset, Scheme};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderName, HeaderValue, Request};
use http_body_util::Full;
use sha2::{Digest, Sha256};

/// A sender of webhooks, with a secret and a signer of its own that shares no code with the
/// schemes under test.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Sender {
    /// Signs the body.
    GitHub,
    /// Signs the body.
    Shopify,
    /// Signs time and body.
    Slack,
    /// Signs id, time and body.
    StandardWebhooks,
    /// Signs time and body.
    Stripe,
}

impl Sender {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::GitHub,
        Self::Shopify,
        Self::Slack,
        Self::StandardWebhooks,
        Self::Stripe,
    ];

    /// The name of its route.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::GitHub => "github",
            Self::Shopify => "shopify",
            Self::Slack => "slack",
            Self::StandardWebhooks => "standard",
            Self::Stripe => "stripe",
        }
    }

    /// The secret, as the sender shows it.
    #[must_use]
    pub fn secret(self) -> &'static str {
        match self {
            Self::GitHub => "the-secret-of-the-github-hook",
            Self::Shopify => "the-client-secret-of-the-shop",
            Self::Slack => "the-signing-secret-of-slack",
            Self::StandardWebhooks => "whsec_dGhpcnR5LXR3byBieXRlcyBmb3IgdGhlIHdob2xlIQ==",
            Self::Stripe => "whsec_the_endpoint_secret_of_stripe",
        }
    }

    /// The key that the HMAC is made with.
    ///
    /// # Panics
    ///
    /// Never: the secrets are constants.
    #[must_use]
    pub fn key(self) -> Vec<u8> {
        match self.secret().strip_prefix("whsec_") {
            Some(encoded) if self == Self::StandardWebhooks => {
                STANDARD.decode(encoded).expect("base64")
            }
            _ => self.secret().into(),
        }
    }

    /// The scheme that verifies it.
    ///
    /// # Panics
    ///
    /// Where the scheme does not take the secret.
    #[must_use]
    pub fn scheme(self) -> Box<dyn Scheme> {
        let secret = self.secret();
        match self {
            Self::GitHub => Box::new(Preset::github(secret).expect("a scheme")),
            Self::Shopify => Box::new(Preset::shopify(secret).expect("a scheme")),
            Self::Slack => Box::new(Preset::slack(secret).expect("a scheme")),
            Self::StandardWebhooks => {
                Box::new(Preset::standard_webhooks(secret).expect("a scheme"))
            }
            Self::Stripe => Box::new(Preset::stripe(secret).expect("a scheme")),
        }
    }

    /// The header that carries the signature.
    #[must_use]
    pub fn signature_header(self) -> &'static str {
        match self {
            Self::GitHub => "x-hub-signature-256",
            Self::Shopify => "x-shopify-hmac-sha256",
            Self::Slack => "x-slack-signature",
            Self::StandardWebhooks => "webhook-signature",
            Self::Stripe => "stripe-signature",
        }
    }

    /// Whether the sender signs the time, so that a retry has another signature.
    #[must_use]
    pub fn signs_time(self) -> bool {
        !matches!(self, Self::GitHub | Self::Shopify)
    }

    /// A delivery of `body`, signed at [`SIGNED_AT`].
    #[must_use]
    pub fn sign(self, body: impl Into<Bytes>) -> Delivery {
        self.sign_at(body, SIGNED_AT)
    }

    /// A delivery of `body`, signed at this Unix time where the sender signs the time.
    #[must_use]
    pub fn sign_at(self, body: impl Into<Bytes>, unix: u64) -> Delivery {
        let body = body.into();
        let mac = self.mac(&body, unix);
        let (hex, base64) = (hex::encode(mac), STANDARD.encode(mac));
        let time = unix.to_string();
        let signature = self.signature_header();
        let headers = match self {
            Self::GitHub => vec![
                (signature, format!("sha256={hex}")),
                ("x-github-event", KIND.into()),
            ],
            Self::Shopify => vec![(signature, base64), ("x-shopify-topic", KIND.into())],
            Self::Slack => vec![
                (signature, format!("v0={hex}")),
                ("x-slack-request-timestamp", time),
            ],
            Self::StandardWebhooks => vec![
                (signature, format!("v1,{base64}")),
                ("webhook-timestamp", time),
                ("webhook-id", message_id(&body)),
            ],
            Self::Stripe => vec![(signature, format!("t={time},v1={hex}"))],
        };
        let delivery = Delivery {
            headers: Vec::new(),
            body,
        };
        headers.into_iter().fold(
            delivery.header("content-type", "application/json"),
            |delivery, (name, value)| delivery.header(name, value),
        )
    }

    /// The right signature of `body`, undecorated.
    ///
    /// # Panics
    ///
    /// Never: HMAC takes every key.
    #[must_use]
    pub fn mac(self, body: &[u8], unix: u64) -> [u8; 32] {
        let before = match self {
            Self::GitHub | Self::Shopify => String::new(),
            Self::Slack => format!("v0:{unix}:"),
            Self::StandardWebhooks => format!("{}.{unix}.", message_id(body)),
            Self::Stripe => format!("{unix}."),
        };
        Hmac::<Sha256>::new_from_slice(&self.key())
            .expect("a key of any length")
            .chain_update(before)
            .chain_update(body)
            .finalize()
            .into_bytes()
            .into()
    }
}

/// The headers and the body of one delivery.
#[derive(Clone, Debug)]
pub struct Delivery {
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
}

impl Delivery {
    /// Adds a header.
    ///
    /// # Panics
    ///
    /// Where the header is none.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let name = name.parse().expect("a header name");
        let value = HeaderValue::from_bytes(value.as_ref()).expect("a header value");
        self.headers.push((name, value));
        self
    }

    /// Leaves a header out.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| other != name);
        self
    }

    /// Puts other bytes under the same signature.
    #[must_use]
    pub fn with_body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// The body.
    #[must_use]
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The request, with the whole body at hand.
    #[must_use]
    pub fn request(&self) -> Request<Full<Bytes>> {
        self.with(Full::new(self.body.clone()))
    }

    /// The request, with another kind of body.
    #[must_use]
    pub fn with<B>(&self, body: B) -> Request<B> {
        let mut request = Request::new(body);
        *request.method_mut() = http::Method::POST;
        *request.uri_mut() = http::Uri::from_static("http://localhost/hooks");
        let headers = self.headers.iter().cloned();
        for (name, value) in headers {
            request.headers_mut().append(name, value);
        }
        request
    }

    /// The request line and the headers of HTTP/1.1, without the line that ends them.
    #[must_use]
    pub fn head(&self) -> Vec<u8> {
        let mut head = b"POST /hooks HTTP/1.1\r\nhost: localhost\r\n".to_vec();
        for (name, value) in &self.headers {
            head.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
        }
        head
    }
}

/// The body of an event that every sender could send: its id and its kind, `"invoice.paid"`, are
/// where each of the schemes looks for them.
#[must_use]
pub fn event(id: &str) -> Bytes {
    let body = format!(
        r#"{{"id":"{id}","event_id":"{id}","type":"{KIND}","event":{{"type":"{KIND}"}},"note":"café \/ 1.0"}}"#
    );
    body.into()
}

/// The time that deliveries are signed at, and the time of the layers that verify them.
#[must_use]
pub fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(SIGNED_AT)
}

/// One body is one message, however often it is sent.
fn message_id(body: &[u8]) -> String {
    format!("msg_{}", hex::encode(&Sha256::digest(body)[..8]))
}

/// When deliveries are signed unless a test says otherwise, in seconds since the Unix epoch.
pub const SIGNED_AT: u64 = 1_767_225_600;
const KIND: &str = "invoice.paid";
