use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderName;
use http::request::Parts;

use super::facts::days;
use super::{Described, Facts, Preset, Settings, Signing};
use crate::hmac::{Stamp, TimestampRule, TimestampUnit, single_header};
use crate::json::JsonPointer;
use crate::public_key::KeySource;
use crate::rejection::{
    FOREIGN_KEY, MALFORMED_SIGNATURE, MISMATCH, MISSING_HEADER, MISSING_ID, MISSING_SIGNATURE,
    MISSING_TIMESTAMP, UNKNOWN_ALGORITHM,
};
use crate::scheme::public_key::{Certificate, KeyCache, KeyUrl, RsaHash};
use crate::{Check, ConfigError, Identity, Proof, Rejection, Scheme};

impl Preset {
    /// What is known of PayPal.
    pub const PAYPAL: &'static Facts = &Facts {
        name: "paypal",
        title: "PayPal",
        sources: &["https://developer.paypal.com/api/rest/webhooks/rest/"],
        unconfirmed: &[
            "a retry may carry the transmission time of the first attempt",
            "all certificates are on hosts under paypal.com, under a path of letters, digits, dashes and dots",
        ],
        signing: Signing::NamedKeys(
            |settings| Ok(Box::new(PayPal::new(settings)?)),
            || Described {
                algorithm: "RSA-SHA-256, base64".into(),
                signature: SIGNATURE.as_str().to_owned().into(),
                signed_content: "{transmission id}|{time}|{webhook id}|{CRC-32 of the body}".into(),
                tolerance: None,
                id: "/id in the body".into(),
                id_is_signed: true,
                kind: "/event_type in the body".into(),
                needs_url: false,
            },
        ),
        retries_for: days(3),
        ..Facts::COMMON
    };

    /// PayPal: RSA-SHA-256 over `<transmission id>|<time>|<webhook id>|<CRC-32 of the body>`, in
    /// `PAYPAL-TRANSMISSION-SIG` ([docs](https://developer.paypal.com/api/rest/webhooks/rest/)).
    ///
    /// `webhook_id` is the id that PayPal gave the webhook, and `source` gets the certificate that
    /// `PAYPAL-CERT-URL` names, which has to be on a host under `paypal.com`; see
    /// [`public_key`](crate::public_key) for what is checked and kept. Certificates that are known
    /// already go to [`PresetBuilder::certificate`](super::PresetBuilder::certificate). Sandbox and
    /// production are told apart by the webhook's id.
    ///
    /// **The signature covers no more than a CRC-32 of the body**, and another body with the same
    /// CRC is made in no time by whoever captured one delivery. Where money hangs on it, take the
    /// id from the event and ask PayPal's API.
    ///
    /// The recommended dedupe key is the event's `id`, the kind its `event_type`. PayPal documents
    /// no tolerance for the time and tries again for 3 days, so any time is taken unless a
    /// tolerance is set.
    ///
    /// Not confirmed by a source: whether a retry has a time of its own, and all forms that the URL
    /// of a certificate may have.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the webhook's id is empty or has a space or `|` in it.
    pub fn paypal(
        webhook_id: impl Into<String>,
        source: impl KeySource + 'static,
    ) -> Result<Self, ConfigError> {
        let builder = Self::PAYPAL.builder().webhook_id(webhook_id);
        builder.key_source(source).build()
    }
}

#[derive(Debug)]
struct PayPal {
    webhook_id: Box<str>,
    timestamp: TimestampRule,
    keys: Arc<KeyCache<Certificate>>,
    id: JsonPointer,
    kind: JsonPointer,
}

impl PayPal {
    fn new(settings: &Settings) -> Result<Self, ConfigError> {
        let webhook_id = settings.webhook_id.as_deref().unwrap_or_default();
        let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b'|';
        if webhook_id.is_empty() || !webhook_id.bytes().all(is_plain) {
            return Err(ConfigError::new(
                "paypal signs the id of the webhook; set webhook_id to the one that PayPal shows for this endpoint",
            ));
        }
        if settings.has_topics() {
            return Err(ConfigError::new(
                "paypal has no use for a topic; leave it out",
            ));
        }
        for (url, _) in &settings.keys {
            if !KeyUrl::parse(url).is_some_and(|url| url.is_of_paypal()) {
                return Err(ConfigError::new(format!(
                    "{url:?} is no https URL of a certificate under paypal.com"
                )));
            }
        }
        Ok(Self {
            webhook_id: webhook_id.into(),
            timestamp: TimestampRule {
                unit: TimestampUnit::Rfc3339,
                past: settings.past.unwrap_or(Duration::MAX),
                future: settings.future.unwrap_or(Duration::MAX),
            },
            keys: Arc::new(KeyCache::new(&settings.keys, settings.key_source.as_ref())?),
            id: JsonPointer::parse("/id")?,
            kind: JsonPointer::parse("/event_type")?,
        })
    }

    /// What is signed, up to the checksum.
    fn before(&self, id: &[u8], time: &[u8]) -> Vec<u8> {
        [id, time, self.webhook_id.as_bytes(), b""].join(&b'|')
    }
}

/// A delivery whose head is read.
struct Pending {
    url: Box<str>,
    before: Vec<u8>,
    signature: Vec<u8>,
    stamp: Stamp,
    now: SystemTime,
}

impl Pending {
    async fn decide(self, keys: &KeyCache<Certificate>, body: &[u8]) -> Result<Proof, Rejection> {
        let certificate = keys.get(&self.url, self.now).await?;
        let mut message = self.before;
        message.extend_from_slice(crc32fast::hash(body).to_string().as_bytes());
        if !certificate.verify(RsaHash::Sha256, &message, &self.signature) {
            return Err(MISMATCH);
        }
        certificate.check_dates(self.now)?;
        self.stamp.verdict()?;
        Ok(Proof::new(0).timestamp(self.stamp.at))
    }
}

impl Scheme for PayPal {
    fn name(&self) -> &'static str {
        "paypal"
    }

    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        let header = |name, missing: Rejection| {
            single_header(&head.headers, &name)?
                .filter(|value| !value.is_empty())
                .ok_or(missing)
        };
        let signature = header(SIGNATURE, MISSING_SIGNATURE)?;
        let id = header(ID, MISSING_ID)?;
        let time = header(TIME, MISSING_TIMESTAMP)?;
        if header(ALGORITHM, MISSING_HEADER)? != b"SHA256withRSA" {
            return Err(UNKNOWN_ALGORITHM);
        }
        let url = str::from_utf8(header(CERTIFICATE, MISSING_HEADER)?)
            .ok()
            .and_then(KeyUrl::parse)
            .filter(KeyUrl::is_of_paypal)
            .ok_or(FOREIGN_KEY)?;
        if signature.len() > MAX_SIGNATURE_TEXT {
            return Err(MALFORMED_SIGNATURE);
        }
        let pending = Pending {
            url: url.as_str().into(),
            before: self.before(id, time),
            signature: STANDARD
                .decode(signature)
                .map_err(|_| MALFORMED_SIGNATURE)?,
            stamp: self.timestamp.judge(time, now)?,
            now,
        };
        let keys = Arc::clone(&self.keys);
        Ok(Check::later(move |body| {
            Box::pin(async move { pending.decide(&keys, &body).await })
        }))
    }

    fn identify(&self, head: &Parts, body: &[u8]) -> Identity {
        let mut identity = Identity::new().signature_header(SIGNATURE);
        if let Some(kind) = self.kind.find(body) {
            identity = identity.kind(kind);
        }
        if let Some(id) = self.id.find(body) {
            return identity.delivery_id(id, true);
        }
        let text = |name| {
            head.headers
                .get(name)
                .map_or(&b""[..], |value| value.as_bytes())
        };
        identity.signed_around(self.before(text(ID), text(TIME)), &b""[..])
    }

    fn key_id(&self, _key: u32) -> Arc<str> {
        "certificate".into()
    }
}

const SIGNATURE: HeaderName = HeaderName::from_static("paypal-transmission-sig");
const ID: HeaderName = HeaderName::from_static("paypal-transmission-id");
const TIME: HeaderName = HeaderName::from_static("paypal-transmission-time");
const CERTIFICATE: HeaderName = HeaderName::from_static("paypal-cert-url");
const ALGORITHM: HeaderName = HeaderName::from_static("paypal-auth-algo");
/// Base64 of 4096 bits, and a little more.
const MAX_SIGNATURE_TEXT: usize = 700;
