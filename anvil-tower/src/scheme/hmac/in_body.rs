use std::sync::Arc;
use std::time::SystemTime;

use super::body_timestamp::BodyTimestamp;
use super::check::{Verdict, prove};
use super::keys::{Expired, Keys};
use super::signatures::{SignatureForm, Signatures};
use super::template::{Piece, join};
use super::timestamp::Stamp;
use crate::json::JsonPointer;
use crate::rejection::{MALFORMED_BODY, MISMATCH, MISSING_SIGNATURE, Rejection};
use crate::scheme::Proof;

/// A check that can't begin before the body has come, because the signature or a part of what is
/// signed is one of its fields.
pub(super) struct InBody {
    pub(super) keys: Arc<Keys>,
    pub(super) expired: Expired,
    pub(super) now: SystemTime,
    pub(super) pieces: Vec<Piece>,
    pub(super) claimed: Claimed,
    pub(super) stamp: Option<Stamp>,
    pub(super) timestamp: Option<BodyTimestamp>,
}

/// The signatures, or where in the body they are.
pub(super) enum Claimed {
    InBody(JsonPointer, SignatureForm),
    InHead(Signatures),
}

impl InBody {
    pub(super) fn decide(self, body: &[u8]) -> Result<Proof, Rejection> {
        let signatures = match self.claimed {
            Claimed::InHead(signatures) => signatures,
            Claimed::InBody(pointer, form) => {
                let text = pointer.find(body).ok_or(MISSING_SIGNATURE)?;
                let mut signatures = Signatures::none();
                form.read([text.as_bytes()], self.keys.algorithm(), &mut signatures)?;
                signatures.check()?;
                signatures
            }
        };
        let signed = join(&self.pieces, body).ok_or(MALFORMED_BODY)?;
        let mut verdict = Verdict::new(&signatures);
        for key in 0..self.keys.len() {
            verdict.compare(&self.keys.sign(key, &signed), key);
        }
        let key = verdict.key().ok_or(MISMATCH)?;
        let stamp = match self.timestamp {
            Some(timestamp) => Some(timestamp.judge(body, self.now)?),
            None => self.stamp,
        };
        prove(key, self.expired, stamp)
    }
}
