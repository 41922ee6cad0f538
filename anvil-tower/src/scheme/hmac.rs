//! One engine for every sender that signs with a shared secret.
//!
//! Nearly all senders do the same thing with other spellings: an HMAC over the body, often with a
//! timestamp and an id in front, written in hex or base64 into a header. [`HmacScheme`] takes the
//! spelling as data. The [presets](crate::preset) are such data.
//!
//! ```
//! use anvil_tower::hmac::{Encoding, Headers, HmacScheme};
//!
//! // Signature: sha256=<base64>, over "<timestamp>.<body>".
//! let scheme = HmacScheme::builder(
//!     "acme",
//!     Headers::new("x-acme-signature").timestamp("x-acme-timestamp"),
//! )
//! .encoding(Encoding::Base64)
//! .tag("sha256=")
//! .signed_content("{timestamp}.{body}")
//! .id_pointer("/event/id")
//! .secret("a secret of 16 bytes or more")
//! .build()?;
//! # let _ = scheme;
//! # Ok::<(), anvil_tower::ConfigError>(())
//! ```
//!
//! # What it guarantees
//!
//! * Presented signatures are decoded strictly into fixed arrays and compared in constant time,
//!   every key with every signature, without an early exit.
//! * Whether a timestamp is fresh is reported only after a signature matched, so a stranger can't
//!   ask for the clock and a log tells `stale` from `mismatch`.
//! * A header of the scheme that is there twice with two values is refused: which one a proxy or a
//!   parser in front looked at can't be known.
//! * With one secret, a delivery is checked without an allocation, unless something is signed
//!   after the body or stands in it.
//! * An expired key is reported as such only after it matched.

use std::borrow::Cow;
use std::fmt;
use std::iter;
use std::sync::Arc;
use std::time::SystemTime;

use http::HeaderValue;
use http::request::Parts;

use self::body_timestamp::BodyTimestamp;
use self::headers::{Expected, Names, Presented, repeated};
use self::in_body::{Claimed, InBody};
use self::template::{Template, Values};
use super::{Check, Identity, Scheme};
use crate::Rejection;
use crate::json::JsonPointer;
use crate::rejection::{MISSING_ID, MISSING_SIGNATURE, MISSING_TIMESTAMP};

mod body_timestamp;
mod builder;
mod check;
mod decode;
mod escaped;
mod headers;
mod in_body;
mod keys;
mod public_url;
#[cfg(any(feature = "ecdsa", feature = "ed25519"))]
mod read_head;
mod secret;
mod sign;
mod signatures;
mod template;
mod timestamp;

pub use builder::HmacBuilder;
pub(crate) use check::{HmacCheck, Verdict, prove};
pub use headers::Headers;
#[cfg(any(feature = "jwt", feature = "rsa"))]
pub(crate) use headers::single as single_header;
pub(crate) use headers::{header_name, single};
pub use keys::Algorithm;
pub(crate) use keys::Keys;
pub(crate) use public_url::PublicUrl;
#[cfg(any(feature = "ecdsa", feature = "ed25519"))]
pub(in crate::scheme) use read_head::ReadHead;
pub use secret::SecretEncoding;
pub(crate) use secret::Secrets;
pub use signatures::Encoding;
pub(crate) use signatures::{SignatureForm, Signatures};
#[cfg(any(feature = "jwt", feature = "rsa"))]
pub(crate) use timestamp::Stamp;
pub(crate) use timestamp::TimestampRule;
pub use timestamp::TimestampUnit;

/// A sender that signs with a shared secret; see the [module docs](self) for an example.
///
/// `Debug` shows the name and the ids of the keys, never a secret.
pub struct HmacScheme {
    name: &'static str,
    signature: Source,
    form: SignatureForm,
    timestamp: Option<TimestampRule>,
    timestamp_pointer: Option<JsonPointer>,
    template: Template,
    public_url: Option<PublicUrl>,
    expected_headers: Box<[Expected]>,
    escaped_body: bool,
    keys: Arc<Keys>,
    id_pointer: Option<JsonPointer>,
    kind_pointers: Box<[JsonPointer]>,
    body_limit: usize,
}

/// Where the signature is.
enum Source {
    Body(JsonPointer),
    Headers(Box<[Names]>),
}

impl HmacScheme {
    /// Starts the description of a sender with this name and these headers.
    pub fn builder(name: &'static str, headers: Headers) -> HmacBuilder {
        HmacBuilder::new(name, builder::Place::Headers(vec![headers]))
    }

    /// Starts the description of a sender with this name that puts the signature into a JSON body,
    /// at this pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)).
    ///
    /// Such a sender can't sign the body, since the signature is in it, but fields of it, as
    /// `{json:POINTER}`. A field on the way that is there twice is refused: readers disagree about
    /// which one counts.
    ///
    /// ```
    /// use anvil_tower::hmac::{HmacScheme, TimestampUnit};
    ///
    /// let scheme = HmacScheme::signed_in_body("acme", "/signature/value")
    ///     .timestamp_pointer("/signature/at")
    ///     .timestamp_unit(TimestampUnit::Seconds)
    ///     .signed_content("{json:/signature/at}.{json:/event/id}")
    ///     .id_pointer("/event/id")
    ///     .secret("a secret of 16 bytes or more")
    ///     .build()?;
    /// # let _ = scheme;
    /// # Ok::<(), anvil_tower::ConfigError>(())
    /// ```
    pub fn signed_in_body(name: &'static str, pointer: impl Into<String>) -> HmacBuilder {
        HmacBuilder::new(name, builder::Place::Body(pointer.into()))
    }

    /// The HMAC of a message under the key with this number, for an answer that proves that we have
    /// it.
    pub(crate) fn mac(&self, key: u32, message: &[u8]) -> Vec<u8> {
        let len = self.keys.algorithm().tag_len();
        self.keys.sign(key, message).bytes(len).to_vec()
    }

    /// The first header set of which a signature header is there.
    #[inline]
    fn presented<'s, 'h>(&'s self, head: &'h Parts) -> Option<Presented<'s, 'h>> {
        match &self.signature {
            Source::Body(_) => None,
            Source::Headers(sets) => sets.iter().find_map(|names| names.presented(&head.headers)),
        }
    }

    /// Decodes the signatures in the headers of this set; gives the timestamp that is with them.
    #[inline]
    fn read_signatures<'h>(
        &self,
        head: &'h Parts,
        presented: Presented<'_, 'h>,
        signatures: &mut Signatures,
    ) -> Result<Option<&'h [u8]>, Rejection> {
        let mut read = |name, first| {
            let others = repeated(&head.headers, name);
            let values = iter::once(first).chain(others.into_iter().flatten());
            let values = values.map(HeaderValue::as_bytes);
            self.form.read(values, self.keys.algorithm(), signatures)
        };
        let mut timestamp = read(presented.name, presented.value)?;
        for name in presented.others {
            if let Some(value) = head.headers.get(name) {
                let found = read(name, value)?;
                timestamp = timestamp.or(found);
            }
        }
        signatures.check()?;
        Ok(timestamp)
    }

    #[inline]
    fn read_id<'h>(&self, head: &'h Parts, names: Option<&Names>) -> Result<&'h [u8], Rejection> {
        match names.and_then(|names| names.id.as_ref()) {
            Some(name) if self.template.has_id() => single(&head.headers, name)?
                .filter(|id| !id.is_empty())
                .ok_or(MISSING_ID),
            _ => Ok(&[]),
        }
    }

    #[inline]
    fn check_headers(&self, head: &Parts) -> Result<(), Rejection> {
        for expected in &self.expected_headers {
            expected.check(&head.headers)?;
        }
        self.template.check_headers(head)
    }

    /// The URL where it is signed.
    #[inline]
    fn url(&self, head: &Parts) -> Cow<'_, str> {
        match &self.public_url {
            Some(url) => url.of(head),
            None => Cow::Borrowed(""),
        }
    }

    /// The timestamp in the head as it was signed, where there is one; `tagged` is the one in the
    /// signature header.
    #[inline]
    fn head_timestamp<'h>(
        &self,
        head: &'h Parts,
        names: Option<&Names>,
        tagged: Option<&'h [u8]>,
    ) -> Result<Option<&'h [u8]>, Rejection> {
        let timestamp = match names.and_then(|names| names.timestamp.as_ref()) {
            Some(name) => single(&head.headers, name)?,
            None => tagged,
        };
        Ok(timestamp.filter(|timestamp| !timestamp.is_empty()))
    }

    fn body_timestamp(&self) -> Option<BodyTimestamp> {
        let pointer = self.timestamp_pointer.clone()?;
        let rule = self.timestamp?;
        Some(BodyTimestamp { pointer, rule })
    }

    /// Begins a check that has to wait for the body.
    #[inline(never)]
    fn begin_in_body(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        let presented = self.presented(head);
        let names = presented.map(|presented| presented.names);
        let mut tagged = None;
        let claimed = match &self.signature {
            Source::Body(pointer) => Claimed::InBody(pointer.clone(), self.form.clone()),
            Source::Headers(_) => {
                let mut signatures = Signatures::none();
                let presented = presented.ok_or(MISSING_SIGNATURE)?;
                tagged = self.read_signatures(head, presented, &mut signatures)?;
                presented.names.check_names(&head.headers)?;
                Claimed::InHead(signatures)
            }
        };
        self.check_headers(head)?;
        let timestamp = self.head_timestamp(head, names, tagged)?;
        let stamp = match (&self.timestamp, &self.timestamp_pointer) {
            (Some(rule), None) => Some(rule.judge(timestamp.ok_or(MISSING_TIMESTAMP)?, now)?),
            _ => None,
        };
        let values = Values {
            head,
            id: self.read_id(head, names)?,
            timestamp: timestamp.unwrap_or_default(),
            url: &self.url(head),
        };
        let check = InBody {
            keys: Arc::clone(&self.keys),
            expired: self.keys.expired(now),
            now,
            pieces: self.template.resolve(values),
            claimed,
            stamp,
            timestamp: self.body_timestamp(),
            escaped_body: self.escaped_body,
        };
        Ok(Check::whole_body(|body| check.decide(body)))
    }

    /// Fills a check in that takes the body as it comes.
    #[inline]
    fn fill(&self, check: &mut HmacCheck, head: &Parts, now: SystemTime) -> Result<(), Rejection> {
        let presented = self.presented(head).ok_or(MISSING_SIGNATURE)?;
        let names = presented.names;
        let tagged = self.read_signatures(head, presented, check.signatures())?;
        names.check_names(&head.headers)?;
        self.check_headers(head)?;
        let id = self.read_id(head, Some(names))?;
        let mut timestamp: &[u8] = &[];
        if let Some(rule) = &self.timestamp {
            if self.timestamp_pointer.is_some()
                && let Some(timestamp) = self.body_timestamp()
            {
                check.timestamp_in_body(timestamp, now);
            } else {
                timestamp = self
                    .head_timestamp(head, Some(names), tagged)?
                    .ok_or(MISSING_TIMESTAMP)?;
                check.stamp(rule.judge(timestamp, now)?);
            }
        }
        let values = Values {
            head,
            id,
            timestamp,
            url: &self.url(head),
        };
        self.template.feed_before(values, |part| check.update(part));
        if self.template.goes_on() {
            check.after_body(self.template.after(values));
        }
        Ok(())
    }

    fn waits_for_body(&self) -> bool {
        matches!(self.signature, Source::Body(_))
            || self.template.has_json()
            || !self.template.has_body()
            || self.escaped_body
    }
}

impl Scheme for HmacScheme {
    fn name(&self) -> &'static str {
        self.name
    }

    #[inline]
    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        if self.waits_for_body() {
            return self.begin_in_body(head, now);
        }
        let mut check = Check::hmac(HmacCheck::new(&self.keys, now));
        if let Some(check) = check.as_hmac() {
            self.fill(check, head, now)?;
        }
        Ok(check)
    }

    fn identify(&self, head: &Parts, body: &[u8]) -> Identity {
        let mut identity = Identity::new();
        let presented = self.presented(head);
        let names = presented.map(|presented| presented.names);
        let text = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
        if let Some(presented) = presented {
            identity = identity.signature_header(presented.name.clone());
        }
        let id_header = names.and_then(|names| names.id.as_ref());
        if let Some(pointer) = &self.id_pointer
            && let Some(id) = pointer.find(body)
        {
            identity = identity.delivery_id(id, self.template.signs_json(pointer));
        } else if let Some(name) = id_header
            && let Some(id) = text(name)
        {
            let signed = self.template.has_id() || self.template.signs_header(name);
            identity = identity.delivery_id(id, signed);
        }
        if let Some(kind) = self.kind(names.and_then(|names| text(names.kind.as_ref()?)), body) {
            identity = identity.kind(kind);
        }
        if identity.id().is_some_and(|id| id.is_signed()) || self.template.is_body_only() {
            return identity;
        }
        let tagged = presented.and_then(|presented| self.form.timestamp(presented.value));
        let timestamp = self.head_timestamp(head, names, tagged).ok().flatten();
        let values = Values {
            head,
            id: self.read_id(head, names).unwrap_or_default(),
            timestamp: timestamp.unwrap_or_default(),
            url: &self.url(head),
        };
        if self.template.has_json() || !self.template.has_body() {
            let signed = template::join(&self.template.resolve(values), body);
            return identity.signed_instead(signed.unwrap_or_default());
        }
        identity.signed_around(self.template.before(values), self.template.after(values))
    }

    fn key_id(&self, key: u32) -> Arc<str> {
        self.keys.id(key)
    }

    fn key_is_named(&self, key: u32) -> bool {
        self.keys.is_named(key)
    }

    fn body_limit(&self) -> usize {
        self.body_limit
    }
}

impl HmacScheme {
    /// The event type: the header, then the fields of the body, those that are there.
    fn kind(&self, header: Option<&str>, body: &[u8]) -> Option<String> {
        let mut kind = header.map(str::to_owned);
        for part in self
            .kind_pointers
            .iter()
            .filter_map(|pointer| pointer.find(body))
        {
            match &mut kind {
                Some(kind) => {
                    kind.push('.');
                    kind.push_str(&part);
                }
                None => kind = Some(part),
            }
        }
        kind
    }
}

impl fmt::Debug for HmacScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HmacScheme")
            .field("name", &self.name)
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
