use std::iter;
use std::time::SystemTime;

use http::HeaderValue;
use http::request::Parts;

use super::HmacScheme;
use super::check::prove;
use super::headers::repeated;
use super::keys::Expired;
use super::template::Values;
use super::timestamp::Stamp;
use crate::rejection::{MISSING_SIGNATURE, MISSING_TIMESTAMP, Rejection};
use crate::scheme::Proof;

/// What the head of a delivery says, for a check that is no HMAC.
pub(in crate::scheme) struct ReadHead {
    /// The presented signatures as they are written, without their tags.
    pub(in crate::scheme) signatures: Vec<Vec<u8>>,
    before: Vec<u8>,
    after: Vec<u8>,
    expired: Expired,
    stamp: Option<Stamp>,
}

impl ReadHead {
    /// All that is signed.
    pub(in crate::scheme) fn message(&self, body: &[u8]) -> Vec<u8> {
        [&self.before, body, &self.after].concat()
    }

    /// The proof of a delivery whose signature is right by this key, where key and time are as
    /// well.
    pub(in crate::scheme) fn prove(&self, key: u32) -> Result<Proof, Rejection> {
        prove(key, self.expired, self.stamp)
    }
}

impl HmacScheme {
    /// Reads the head as [`begin`](crate::Scheme::begin) does, without decoding a signature. For
    /// descriptions whose signature and timestamp are in headers of their own.
    pub(in crate::scheme) fn read_head(
        &self,
        head: &Parts,
        now: SystemTime,
    ) -> Result<ReadHead, Rejection> {
        let presented = self.presented(head).ok_or(MISSING_SIGNATURE)?;
        let names = presented.names;
        let others = repeated(&head.headers, presented.name);
        let values = iter::once(presented.value).chain(others.into_iter().flatten());
        let signatures = self.form.texts(values.map(HeaderValue::as_bytes))?;
        names.check_names(&head.headers)?;
        self.template.check_headers(head)?;
        let id = self.read_id(head, Some(names))?;
        let timestamp = self.head_timestamp(head, Some(names), None)?;
        let stamp = match &self.timestamp {
            Some(rule) => Some(rule.judge(timestamp.ok_or(MISSING_TIMESTAMP)?, now)?),
            None => None,
        };
        let values = Values {
            head,
            id,
            timestamp: timestamp.unwrap_or_default(),
            url: &self.url(head),
        };
        Ok(ReadHead {
            signatures: signatures.into_iter().map(<[u8]>::to_vec).collect(),
            before: self.template.before(values),
            after: self.template.after(values),
            expired: self.keys.expired(now),
            stamp,
        })
    }
}
