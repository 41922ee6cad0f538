use std::sync::Arc;

use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use super::keys::{Keys, Mac, Tag};
use super::signatures::Signatures;
use super::timestamp::Stamp;
use crate::rejection::{MISMATCH, Rejection};
use crate::scheme::Proof;

/// An HMAC under way: one state per key, and the signatures it is to be compared with.
pub(in crate::scheme) struct HmacCheck {
    first: Mac,
    rest: Vec<Mac>,
    ids: Arc<[Arc<str>]>,
    signatures: Signatures,
    stamp: Option<Stamp>,
    after_body: Vec<u8>,
}

impl HmacCheck {
    pub(super) fn new(
        keys: &Keys,
        signatures: Signatures,
        stamp: Option<Stamp>,
        after_body: Vec<u8>,
    ) -> Self {
        Self {
            first: keys.first().clone(),
            rest: keys.rest().to_vec(),
            ids: Arc::clone(keys.ids()),
            signatures,
            stamp,
            after_body,
        }
    }

    pub(in crate::scheme) fn update(&mut self, bytes: &[u8]) {
        self.first.update(bytes);
        for mac in &mut self.rest {
            mac.update(bytes);
        }
    }

    pub(in crate::scheme) fn finish(mut self) -> Result<Proof, Rejection> {
        if !self.after_body.is_empty() {
            let after_body = std::mem::take(&mut self.after_body);
            self.update(&after_body);
        }
        let Self {
            first,
            rest,
            ids,
            signatures,
            stamp,
            after_body: _,
        } = self;
        let mut matched = Choice::from(0);
        let mut key = 0_u32;
        let mut compare = |expected: Tag, index: u32| {
            for signature in signatures.iter() {
                let equal = expected.ct_eq(signature);
                key.conditional_assign(&index, equal & !matched);
                matched |= equal;
            }
        };
        compare(first.finish(), 0);
        for (mac, index) in rest.into_iter().zip(1..) {
            compare(mac.finish(), index);
        }
        let id = ids
            .get(key as usize)
            .filter(|_| bool::from(matched))
            .ok_or(MISMATCH)?;
        let proof = Proof::new(Arc::clone(id));
        match stamp {
            Some(Stamp { at, verdict }) => verdict.map(|()| proof.timestamp(at)),
            None => Ok(proof),
        }
    }
}
