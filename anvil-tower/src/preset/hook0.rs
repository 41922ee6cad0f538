use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::HeaderName;
use http::request::Parts;

use super::facts::days;
use super::{Described, Facts, Preset, Sample, Settings, Signing};
use crate::hmac::{
    Algorithm, HmacCheck, Keys, SignatureForm, TimestampRule, TimestampUnit, single,
};
use crate::rejection::{MALFORMED_SIGNATURE, MISSING_HEADER, MISSING_SIGNATURE, MISSING_TIMESTAMP};
use crate::{Check, ConfigError, Identity, Rejection, Scheme};

impl Preset {
    /// What is known of Coinbase Developer Platform.
    pub const COINBASE_CDP: &'static Facts = &Facts {
        name: "coinbase-cdp",
        title: "Coinbase Developer Platform",
        sources: &["https://docs.cdp.coinbase.com/webhooks/verify-signatures"],
        unconfirmed: &[
            "a delivery is tried again for 8 days, as Hook0 does by default",
            "x-event-id stays the same on a retry",
        ],
        signing: Signing::Custom(
            |settings| Ok(Box::new(Hook0::new("coinbase-cdp", settings)?)),
            described,
        ),
        sample: Sample {
            event: "onramp.transaction.success",
            ..Sample::JSON
        },
        retries_for: days(8),
        ..Facts::COMMON
    };

    /// Coinbase Developer Platform, which sends through Hook0: HMAC-SHA-256 over the timestamp,
    /// listed headers and the body, in `X-Hook0-Signature`
    /// ([docs](https://docs.cdp.coinbase.com/webhooks/verify-signatures)).
    ///
    /// The secret is the `secret` of the subscription, as it stands. All else is as for
    /// [`hook0`](Self::hook0). Coinbase Commerce signs in another way:
    /// [`coinbase_commerce`](Self::coinbase_commerce). Unconfirmed is how long a delivery is tried
    /// again, and that `X-Event-Id` stays the same meanwhile.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn coinbase_cdp(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::COINBASE_CDP.builder().secret(secret).build()
    }

    /// What is known of Hook0 and those who send through it.
    pub const HOOK0: &'static Facts = &Facts {
        name: "hook0",
        title: "Hook0",
        sources: &[
            "https://documentation.hook0.com/how-to-guides/secure-webhook-endpoints",
            "https://github.com/hook0/hook0/blob/master/clients/conformance/signature.json",
            "https://documentation.hook0.com/explanation/webhook-retry-logic",
        ],
        signing: Signing::Custom(
            |settings| Ok(Box::new(Hook0::new("hook0", settings)?)),
            described,
        ),
        sample: Sample {
            event: "user.account.created",
            ..Sample::JSON
        },
        retries_for: days(8),
        ..Facts::COMMON
    };

    /// Hook0: HMAC-SHA-256 over the timestamp, listed headers and the body, in `X-Hook0-Signature`
    /// ([docs](https://documentation.hook0.com/how-to-guides/secure-webhook-endpoints)).
    ///
    /// The secret is that of the subscription, as it stands. The header is `t=<seconds>`,
    /// `h=<names>`, `v0=<hex>` and `v1=<hex>`: `v1` is over timestamp, names, the values of the
    /// named headers and the body, `v0` over timestamp and body. Where there is a `v1`, nothing but
    /// `v1` counts; a delivery from an old version, with `v0` alone, is accepted by it. A delivery
    /// that lacks a named header, or has it twice with two values, is refused, and so is one of
    /// which a proxy has rewritten one, such as `Content-Type`. At most 32 headers may be named. A
    /// timestamp may lie 300 s away, either way.
    ///
    /// The dots between the parts are not escaped. Whoever captures a `v1` can send it as a `v0`
    /// while it is fresh, with a body that starts with the names and values of the headers; no JSON
    /// does.
    ///
    /// `X-Event-Id` names the delivery where `v1` covers it. Where it does not, the recommended
    /// dedupe key is the digest of what was signed, which a retry renews with the timestamp: tell a
    /// repeated event by its id in the handler then. The kind is `X-Event-Type`.
    ///
    /// Hook0 tries again for 8 days, unless its operator has set another limit.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn hook0(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::HOOK0.builder().secret(secret).build()
    }
}

fn described() -> Described {
    Described {
        algorithm: "HMAC-SHA-256, hex".into(),
        signature: SIGNATURE.as_str().into(),
        signed_content:
            "{timestamp}.{names of headers}.{their values}.{body}, or {timestamp}.{body} without v1"
                .into(),
        tolerance: Some((TOLERANCE, TOLERANCE)),
        id: EVENT_ID.as_str().into(),
        id_is_signed: true,
        kind: EVENT_TYPE.as_str().into(),
        needs_url: false,
    }
}

/// A signature that names the headers it covers.
struct Hook0 {
    name: &'static str,
    keys: Keys,
    timestamp: TimestampRule,
    v0: SignatureForm,
    v1: SignatureForm,
}

impl Hook0 {
    fn new(name: &'static str, settings: &Settings) -> Result<Self, ConfigError> {
        let encoding = settings.secret_encoding.unwrap_or_default();
        let secrets = settings.secrets.decode(encoding)?;
        let keys = Keys::new(Algorithm::Sha256, &secrets).ok_or_else(|| {
            ConfigError::new("there is no secret; set the one of the subscription")
        })?;
        let form = |tag: &str| SignatureForm {
            separator: Some(SEPARATOR),
            tags: vec![tag.into()],
            timestamp_tag: Some("t=".into()),
            ..SignatureForm::default()
        };
        Ok(Self {
            name,
            keys,
            timestamp: TimestampRule {
                unit: TimestampUnit::Seconds,
                past: settings.past.unwrap_or(TOLERANCE),
                future: settings.future.unwrap_or(TOLERANCE),
            },
            v0: form("v0="),
            v1: form("v1="),
        })
    }
}

impl Scheme for Hook0 {
    fn name(&self) -> &'static str {
        self.name
    }

    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        let value = single(&head.headers, &SIGNATURE)?.ok_or(MISSING_SIGNATURE)?;
        let covered = Covered::read(value)?;
        let form = match covered {
            Covered::Body => &self.v0,
            Covered::Headers(_) => &self.v1,
        };
        let mut check = HmacCheck::new(&self.keys, now);
        let signatures = check.signatures();
        let timestamp = form.read([value], self.keys.algorithm(), signatures)?;
        signatures.check()?;
        for name in [&EVENT_ID, &EVENT_TYPE] {
            single(&head.headers, name)?;
        }
        let timestamp = timestamp
            .filter(|timestamp| !timestamp.is_empty())
            .ok_or(MISSING_TIMESTAMP)?;
        check.stamp(self.timestamp.judge(timestamp, now)?);
        check.update(&covered.before(timestamp, head)?);
        Ok(Check::hmac(check))
    }

    fn identify(&self, head: &Parts, _body: &[u8]) -> Identity {
        let text = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
        let mut identity = Identity::new().signature_header(SIGNATURE.clone());
        if let Some(kind) = text(&EVENT_TYPE) {
            identity = identity.kind(kind.to_owned());
        }
        let Some(value) = head.headers.get(&SIGNATURE) else {
            return identity;
        };
        let Ok(covered) = Covered::read(value.as_bytes()) else {
            return identity;
        };
        if let Some(id) = text(&EVENT_ID) {
            identity = identity.delivery_id(id, covered.has(&EVENT_ID));
        }
        if identity.id().is_some_and(|id| id.is_signed()) {
            return identity;
        }
        let timestamp = self.v1.timestamp(value);
        let before = covered.before(timestamp.unwrap_or_default(), head);
        identity.signed_around(before.unwrap_or_default(), &b""[..])
    }

    fn key_id(&self, key: u32) -> Arc<str> {
        self.keys.id(key)
    }

    fn key_is_named(&self, key: u32) -> bool {
        self.keys.is_named(key)
    }
}

impl fmt::Debug for Hook0 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook0")
            .field("name", &self.name)
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

/// What a signature covers beside the timestamp: the body, and headers by these names.
#[derive(Clone, Copy)]
enum Covered<'h> {
    Body,
    Headers(&'h [u8]),
}

impl<'h> Covered<'h> {
    /// A `v1`, usable or not, is never passed over for a `v0`.
    fn read(value: &'h [u8]) -> Result<Self, Rejection> {
        let items = || {
            let items = value.split(|byte| *byte == SEPARATOR);
            items.map(<[u8]>::trim_ascii)
        };
        if !items().any(|item| item.starts_with(b"v1=")) {
            return Ok(Self::Body);
        }
        let mut lists = items().filter_map(|item| item.strip_prefix(b"h="));
        let names = lists.next().unwrap_or_default();
        if lists.any(|other| other != names) {
            return Err(MALFORMED_SIGNATURE);
        }
        Ok(Self::Headers(names))
    }

    fn names(self) -> impl Iterator<Item = &'h [u8]> {
        let names = match self {
            Self::Body => &[],
            Self::Headers(names) => names,
        };
        let names = (!names.is_empty()).then(|| names.split(|byte| *byte == b' '));
        names.into_iter().flatten()
    }

    fn has(self, name: &HeaderName) -> bool {
        let name = name.as_str().as_bytes();
        self.names()
            .any(|covered| covered.eq_ignore_ascii_case(name))
    }

    /// What is signed before the body.
    fn before(self, timestamp: &[u8], head: &Parts) -> Result<Vec<u8>, Rejection> {
        let mut before = [timestamp, b"."].concat();
        if let Self::Headers(names) = self {
            before.extend_from_slice(names);
            for (index, name) in self.names().enumerate() {
                // Without a limit, a name repeated many times would have us copy and hash a long
                // value as often.
                if index == MAX_HEADERS {
                    return Err(MALFORMED_SIGNATURE);
                }
                let name = HeaderName::from_bytes(name).map_err(|_| MALFORMED_SIGNATURE)?;
                let value = single(&head.headers, &name)?.ok_or(MISSING_HEADER)?;
                before.push(b'.');
                before.extend_from_slice(value);
            }
            // An empty list of values stands between two dots.
            if names.is_empty() {
                before.push(b'.');
            }
            before.push(b'.');
        }
        Ok(before)
    }
}

static SIGNATURE: HeaderName = HeaderName::from_static("x-hook0-signature");
static EVENT_ID: HeaderName = HeaderName::from_static("x-event-id");
static EVENT_TYPE: HeaderName = HeaderName::from_static("x-event-type");
const SEPARATOR: u8 = b',';
const MAX_HEADERS: usize = 32;
const TOLERANCE: Duration = Duration::from_secs(300);
