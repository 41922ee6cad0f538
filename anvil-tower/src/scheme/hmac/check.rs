use std::mem;
use std::time::SystemTime;

use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use super::body_timestamp::BodyTimestamp;
use super::keys::{Expired, Keys, Mac, Tag};
use super::signatures::Signatures;
use super::timestamp::Stamp;
use crate::rejection::{EXPIRED, MISMATCH, Rejection};
use crate::scheme::Proof;

/// An HMAC under way: one state per key, and the signatures it is to be compared with.
pub(crate) struct HmacCheck {
    mac: Mac,
    signatures: Signatures,
    stamp: Option<Stamp>,
    expired: Expired,
    more: Option<Box<More>>,
}

/// What few deliveries need. Kept apart, because a check is moved several times.
#[derive(Default)]
struct More {
    macs: Vec<Mac>,
    after_body: Vec<u8>,
    timestamp: Option<(BodyTimestamp, SystemTime)>,
}

impl HmacCheck {
    #[inline]
    pub(crate) fn new(keys: &Keys, now: SystemTime) -> Self {
        let mut check = Self {
            mac: keys.first().clone(),
            signatures: Signatures::none(),
            stamp: None,
            expired: keys.expired(now),
            more: None,
        };
        if !keys.rest().is_empty() {
            check.more().macs = keys.rest().to_vec();
        }
        check
    }

    fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    pub(crate) fn signatures(&mut self) -> &mut Signatures {
        &mut self.signatures
    }

    pub(crate) fn stamp(&mut self, stamp: Stamp) {
        self.stamp = Some(stamp);
    }

    /// The timestamp is in the body.
    pub(super) fn timestamp_in_body(&mut self, timestamp: BodyTimestamp, now: SystemTime) {
        self.more().timestamp = Some((timestamp, now));
    }

    /// Takes what is signed after the body.
    pub(super) fn after_body(&mut self, bytes: Vec<u8>) {
        self.more().after_body = bytes;
    }

    #[inline]
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.mac.update(bytes);
        if let Some(more) = &mut self.more {
            for mac in &mut more.macs {
                mac.update(bytes);
            }
        }
    }

    #[inline]
    pub(in crate::scheme) fn finish(&mut self, body: &[u8]) -> Result<Proof, Rejection> {
        let mut timestamp = None;
        if let Some(more) = &mut self.more {
            timestamp = more.timestamp.take();
            let after_body = mem::take(&mut more.after_body);
            self.update(&after_body);
        }
        let mut verdict = Verdict::new(&self.signatures);
        verdict.compare(&self.mac.finish(), 0);
        if let Some(more) = &mut self.more {
            for (mac, index) in more.macs.iter_mut().zip(1..) {
                verdict.compare(&mac.finish(), index);
            }
        }
        let key = verdict.key().ok_or(MISMATCH)?;
        let stamp = match timestamp {
            Some((timestamp, now)) => Some(timestamp.judge(body, now)?),
            None => self.stamp,
        };
        prove(key, self.expired, stamp)
    }
}

/// The proof of a delivery whose signature is right by this key, where key and time are as well.
#[inline]
pub(crate) fn prove(key: u32, expired: Expired, stamp: Option<Stamp>) -> Result<Proof, Rejection> {
    if expired.has(key) {
        return Err(EXPIRED);
    }
    let proof = Proof::new(key);
    match stamp {
        Some(stamp) => stamp.verdict().map(|()| proof.timestamp(stamp.at)),
        None => Ok(proof),
    }
}

/// Which key matched, found without a branch on what was compared.
pub(crate) struct Verdict<'s> {
    signatures: &'s Signatures,
    matched: Choice,
    key: u32,
}

impl<'s> Verdict<'s> {
    pub(crate) fn new(signatures: &'s Signatures) -> Self {
        Self {
            signatures,
            matched: Choice::from(0),
            key: 0,
        }
    }

    pub(crate) fn compare(&mut self, expected: &Tag, index: u32) {
        for signature in self.signatures.iter() {
            let equal = expected.ct_eq(signature);
            self.key.conditional_assign(&index, equal & !self.matched);
            self.matched |= equal;
        }
    }

    pub(crate) fn key(&self) -> Option<u32> {
        bool::from(self.matched).then_some(self.key)
    }
}
