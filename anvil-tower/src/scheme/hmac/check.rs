use subtle::{Choice, ConditionallySelectable};

use super::keys::Macs;
use super::signatures::Signatures;
use super::timestamp::Stamp;
use crate::rejection::{MISMATCH, Rejection};
use crate::scheme::Proof;
use crate::scheme::check::KeyIds;

/// An HMAC under way, and the signatures it is to be compared with.
pub(in crate::scheme) struct HmacCheck {
    pub(super) macs: Macs,
    pub(super) ids: KeyIds,
    pub(super) signatures: Signatures,
    pub(super) stamp: Option<Stamp>,
    /// What is signed after the body.
    pub(super) after_body: Vec<u8>,
}

impl HmacCheck {
    pub(in crate::scheme) fn update(&mut self, bytes: &[u8]) {
        self.macs.update(bytes);
    }

    /// Every key is compared with every signature, whichever matches first.
    pub(in crate::scheme) fn finish(self) -> Result<Proof, Rejection> {
        let Self {
            mut macs,
            ids,
            signatures,
            stamp,
            after_body,
        } = self;
        if !after_body.is_empty() {
            macs.update(&after_body);
        }
        let mut matched = Choice::from(0);
        let mut key = 0_u32;
        for (expected, index) in macs.finish().zip(0..) {
            for signature in signatures.iter() {
                let equal = expected.matches(signature);
                key.conditional_assign(&index, equal & !matched);
                matched |= equal;
            }
        }
        if !bool::from(matched) {
            return Err(MISMATCH);
        }
        let proof = Proof::by_key(ids, key as usize);
        match stamp {
            Some(Stamp { at, verdict }) => verdict.map(|()| proof.timestamp(at)),
            None => Ok(proof),
        }
    }
}
