//! One engine for every sender that signs with a shared secret.
//!
//! Nearly all senders do the same thing with other spellings: an HMAC over the body, often with a
//! timestamp and an id in front, written in hex or base64 into a header. [`HmacScheme`] takes the
//! spelling as data. The presets, such as [`GitHub`](crate::GitHub), are such data.
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
//!   after the body.

use std::fmt;
use std::iter;
use std::sync::Arc;
use std::time::SystemTime;

use http::request::Parts;
use http::{HeaderMap, HeaderValue};

use self::headers::{Names, repeated, single};
use self::keys::Keys;
use self::signatures::SignatureForm;
use self::template::{Template, Values};
use self::timestamp::TimestampRule;
use super::{Check, Identity, Scheme};
use crate::Rejection;
use crate::json::JsonPointer;
use crate::rejection::{MISSING_ID, MISSING_SIGNATURE, MISSING_TIMESTAMP};

mod builder;
mod check;
mod decode;
mod headers;
mod keys;
mod secret;
mod signatures;
mod template;
mod timestamp;

pub use builder::HmacBuilder;
pub(super) use check::HmacCheck;
pub use headers::Headers;
pub use keys::Algorithm;
pub use secret::SecretEncoding;
pub use signatures::Encoding;
pub use timestamp::TimestampUnit;

/// A sender that signs with a shared secret; see the [module docs](self) for an example.
///
/// `Debug` shows the name and the ids of the keys, never a secret.
pub struct HmacScheme {
    name: &'static str,
    header_sets: Box<[Names]>,
    form: SignatureForm,
    timestamp: Option<TimestampRule>,
    template: Template,
    keys: Keys,
    id_pointer: Option<JsonPointer>,
    kind_pointer: Option<JsonPointer>,
    body_limit: usize,
}

impl HmacScheme {
    /// Starts the description of a sender with this name and these headers.
    pub fn builder(name: &'static str, headers: Headers) -> HmacBuilder {
        HmacBuilder::new(name, headers, std::convert::identity)
    }

    /// The first header set whose signature header is there, and the header's first value.
    #[inline]
    fn names<'h>(&self, headers: &'h HeaderMap) -> Option<(&Names, &'h HeaderValue)> {
        self.header_sets
            .iter()
            .find_map(|names| Some((names, headers.get(&names.signature)?)))
    }

    #[inline]
    fn read_id<'h>(&self, head: &'h Parts, names: &Names) -> Result<&'h [u8], Rejection> {
        match &names.id {
            Some(name) if self.template.has_id() => single(&head.headers, name)?
                .filter(|id| !id.is_empty())
                .ok_or(MISSING_ID),
            _ => Ok(&[]),
        }
    }
}

impl Scheme for HmacScheme {
    fn name(&self) -> &'static str {
        self.name
    }

    #[inline]
    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        let (names, first) = self.names(&head.headers).ok_or(MISSING_SIGNATURE)?;
        let mut check = HmacCheck::new(&self.keys);
        let algorithm = self.keys.algorithm();
        let others = repeated(&head.headers, &names.signature);
        let values = iter::once(first).chain(others.into_iter().flatten());
        let tagged_timestamp = self.form.read(values, algorithm, check.signatures())?;
        let id = self.read_id(head, names)?;
        let mut timestamp: &[u8] = &[];
        if let Some(rule) = &self.timestamp {
            timestamp = match &names.timestamp {
                Some(name) => single(&head.headers, name)?,
                None => tagged_timestamp,
            }
            .filter(|timestamp| !timestamp.is_empty())
            .ok_or(MISSING_TIMESTAMP)?;
            check.stamp(rule.judge(timestamp, now)?);
        }
        let values = Values { id, timestamp };
        self.template.feed_before(values, |part| check.update(part));
        if self.template.goes_on() {
            check.after_body(self.template.after(values));
        }
        Ok(Check::hmac(check))
    }

    fn identify(&self, head: &Parts, body: &[u8]) -> Identity {
        let mut identity = Identity::new();
        let Some((names, _)) = self.names(&head.headers) else {
            return identity;
        };
        let text = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
        identity = identity.signature_header(names.signature.clone());
        if let Some(id) = self
            .id_pointer
            .as_ref()
            .and_then(|pointer| pointer.find(body))
        {
            identity = identity.delivery_id(id, true);
        } else if let Some(id) = names.id.as_ref().and_then(text) {
            identity = identity.delivery_id(id, self.template.has_id());
        }
        if let Some(kind) = self
            .kind_pointer
            .as_ref()
            .and_then(|pointer| pointer.find(body))
        {
            identity = identity.kind(kind);
        } else if let Some(kind) = names.kind.as_ref().and_then(text) {
            identity = identity.kind(kind.to_owned());
        }
        if identity.id().is_some_and(|id| id.is_signed()) || self.template.is_body_only() {
            return identity;
        }
        let values = Values {
            id: self.read_id(head, names).unwrap_or_default(),
            timestamp: self.timestamp_bytes(head, names),
        };
        identity.signed_around(self.template.before(values), self.template.after(values))
    }

    fn key_id(&self, key: u32) -> Arc<str> {
        self.keys.id(key)
    }

    fn body_limit(&self) -> usize {
        self.body_limit
    }
}

impl HmacScheme {
    /// The timestamp as it was signed; empty where there is none.
    fn timestamp_bytes<'h>(&self, head: &'h Parts, names: &Names) -> &'h [u8] {
        match &names.timestamp {
            Some(name) => single(&head.headers, name).ok().flatten(),
            None => self.form.timestamp(&head.headers, &names.signature),
        }
        .unwrap_or_default()
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
