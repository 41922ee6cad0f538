use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::StatusCode;
use http::request::Parts;

use super::facts::hours;
use super::{Described, Facts, Preset, Sample, Settings, Signing};
use crate::enqueue::Success;
use crate::form::{field, is_form};
use crate::hmac::{
    Algorithm, Keys, SignatureForm, Signatures, TimestampRule, TimestampUnit, Verdict, prove,
};
use crate::json::JsonPointer;
use crate::rejection::{
    MALFORMED_TIMESTAMP, MISMATCH, MISSING_ID, MISSING_SIGNATURE, MISSING_TIMESTAMP, Rejection,
};
use crate::{Check, ConfigError, Identity, Proof, Scheme};

impl Preset {
    /// What is known of Mailgun.
    pub const MAILGUN: &'static Facts = &Facts {
        name: "mailgun",
        title: "Mailgun",
        sources: &[
            "https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks",
        ],
        unconfirmed: &[
            "a retry has either the timestamp and token of the first attempt or new ones",
        ],
        signing: Signing::Custom(
            |settings| Ok(Box::new(Mailgun::new(settings)?)),
            || {
                Described {
                algorithm: "HMAC-SHA-256, hex".into(),
                signature: "/signature/signature or /signature/parent-signature in the body, or the field of a form".into(),
                signed_content: "{timestamp}{token}, and nothing of the payload".into(),
                tolerance: Some((TOLERANCE, TOLERANCE)),
                id: "/signature/token in the body, or the field token of a form".into(),
                id_is_signed: true,
                kind: "/event-data/event in the body, or the field event of a form".into(),
                needs_url: false,
            }
            },
        ),
        retries_for: hours(9),
        success: Success::empty(StatusCode::OK),
        sample: Sample {
            event: "delivered",
            ..Sample::JSON
        },
        ..Facts::COMMON
    };

    /// Mailgun: HMAC-SHA-256 over `<timestamp><token>`, hex in the body
    /// ([docs](https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks)).
    ///
    /// **The payload is not signed.** Whoever captures one signature can send any event with it
    /// while its timestamp is fresh, 300 s either way, and its token has not been seen: of the
    /// deliveries with one token the first counts, and with the recommended dedupe key the others
    /// are duplicates. Mailgun has to send over TLS, and an event that matters is to be looked up
    /// by Mailgun's API.
    ///
    /// The secret is the HTTP webhook signing key, as it stands. While it is replaced, configure
    /// both. In JSON, `timestamp`, `token` and `signature` are in the object `signature`, in a
    /// form-encoded body they are fields; a field that is there twice is refused. For an event of a
    /// subaccount, `parent-signature` counts as well, so the key of the account or of the subaccount
    /// will do. A `multipart/form-data` body, as for a stored message with attachments, is not read
    /// and is refused.
    ///
    /// The signed token is the recommended dedupe key. Unconfirmed is whether a retry repeats
    /// timestamp and token: if it does, a retry after 300 s is refused as stale unless
    /// [`tolerate_past`](super::PresetBuilder::tolerate_past) says otherwise; if it does not, it is
    /// a new delivery, and the handler has to tell it by the `id` in `event-data`. The kind is the
    /// `event` there, or of the form.
    ///
    /// Mailgun wants 200 and tries again for some 8 hours, and not at all after 406.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn mailgun(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::MAILGUN.builder().secret(secret).build()
    }
}

/// A signature in the body, over two fields beside it.
struct Mailgun {
    keys: Arc<Keys>,
    timestamp: TimestampRule,
    places: Arc<Places>,
}

/// Where the fields are in JSON.
struct Places {
    timestamp: JsonPointer,
    token: JsonPointer,
    signature: JsonPointer,
    parent: JsonPointer,
    kind: JsonPointer,
}

/// The fields of one delivery.
struct Claim {
    timestamp: Option<String>,
    token: Option<String>,
    signatures: [Option<String>; 2],
}

impl Mailgun {
    fn new(settings: &Settings) -> Result<Self, ConfigError> {
        let secrets = settings
            .secrets
            .decode(settings.secret_encoding.unwrap_or_default())?;
        let keys = Keys::new(Algorithm::Sha256, &secrets).ok_or_else(|| {
            ConfigError::new("there is no secret; set the HTTP webhook signing key")
        })?;
        Ok(Self {
            keys: Arc::new(keys),
            timestamp: TimestampRule {
                unit: TimestampUnit::Seconds,
                past: settings.past.unwrap_or(TOLERANCE),
                future: settings.future.unwrap_or(TOLERANCE),
            },
            places: Arc::new(Places {
                timestamp: JsonPointer::parse("/signature/timestamp")?,
                token: JsonPointer::parse("/signature/token")?,
                signature: JsonPointer::parse("/signature/signature")?,
                parent: JsonPointer::parse("/signature/parent-signature")?,
                kind: JsonPointer::parse("/event-data/event")?,
            }),
        })
    }
}

impl Places {
    fn claim(&self, is_form: bool, body: &[u8]) -> Claim {
        let find = |name, pointer: &JsonPointer| match is_form {
            true => field(body, name),
            false => pointer.find(body),
        };
        Claim {
            timestamp: find("timestamp", &self.timestamp),
            token: find("token", &self.token),
            signatures: [
                find("signature", &self.signature),
                find("parent-signature", &self.parent),
            ],
        }
    }
}

impl Scheme for Mailgun {
    fn name(&self) -> &'static str {
        Preset::MAILGUN.name
    }

    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        let is_form = is_form(head);
        let (keys, places) = (Arc::clone(&self.keys), Arc::clone(&self.places));
        let timestamp = self.timestamp;
        Ok(Check::whole_body(move |body| {
            places.claim(is_form, body).prove(&keys, timestamp, now)
        }))
    }

    fn identify(&self, head: &Parts, body: &[u8]) -> Identity {
        let is_form = is_form(head);
        let claim = self.places.claim(is_form, body);
        let mut identity = Identity::new().signed_instead(claim.signed());
        if let Some(token) = claim.token {
            identity = identity.delivery_id(token, true);
        }
        let kind = match is_form {
            true => field(body, "event"),
            false => self.places.kind.find(body),
        };
        match kind {
            Some(kind) => identity.kind(kind),
            None => identity,
        }
    }

    fn key_id(&self, key: u32) -> Arc<str> {
        self.keys.id(key)
    }

    fn key_is_named(&self, key: u32) -> bool {
        self.keys.is_named(key)
    }
}

impl fmt::Debug for Mailgun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            keys,
            timestamp: _,
            places: _,
        } = self;
        f.debug_struct("Mailgun")
            .field("keys", keys)
            .finish_non_exhaustive()
    }
}

impl Claim {
    fn signed(&self) -> Vec<u8> {
        let parts = [&self.timestamp, &self.token].into_iter().flatten();
        parts.flat_map(|part| part.as_bytes()).copied().collect()
    }

    fn prove(&self, keys: &Keys, rule: TimestampRule, now: SystemTime) -> Result<Proof, Rejection> {
        let form = SignatureForm {
            repeated: true,
            ..SignatureForm::default()
        };
        let [signature, _] = &self.signatures;
        if signature.is_none() {
            return Err(MISSING_SIGNATURE);
        }
        let mut signatures = Signatures::none();
        let texts = self.signatures.iter().flatten();
        form.read(
            texts.map(String::as_bytes),
            keys.algorithm(),
            &mut signatures,
        )?;
        signatures.check()?;
        let filled = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
        if !filled(&self.token) {
            return Err(MISSING_ID);
        }
        let timestamp = self.timestamp.as_deref().filter(|text| !text.is_empty());
        let timestamp = timestamp.ok_or(MISSING_TIMESTAMP)?;
        // Nothing stands between timestamp and token: a digit that moves from one to the other
        // would make a token that nobody has seen.
        if timestamp.len() != TIMESTAMP_LEN {
            return Err(MALFORMED_TIMESTAMP);
        }
        let stamp = rule.judge(timestamp.as_bytes(), now)?;
        let signed = self.signed();
        let mut verdict = Verdict::new(&signatures);
        for key in 0..keys.len() {
            verdict.compare(&keys.sign(key, &signed), key);
        }
        prove(
            verdict.key().ok_or(MISMATCH)?,
            keys.expired(now),
            Some(stamp),
        )
    }
}

/// Seconds have ten digits until the year 2286.
const TIMESTAMP_LEN: usize = 10;
const TOLERANCE: Duration = Duration::from_secs(300);
