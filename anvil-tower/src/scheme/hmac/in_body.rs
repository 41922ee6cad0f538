use std::mem;
use std::sync::Arc;
use std::time::SystemTime;

use super::body_timestamp::BodyTimestamp;
use super::check::{Verdict, prove};
use super::escaped::escape;
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
    /// Whether the escaped form of the body may have been signed.
    pub(super) escaped_body: bool,
}

/// The signatures, or where in the body they are.
pub(super) enum Claimed {
    InBody(JsonPointer, SignatureForm),
    InHead(Signatures),
}

impl InBody {
    pub(super) fn decide(mut self, body: &[u8]) -> Result<Proof, Rejection> {
        let signatures = self.read_signatures(body)?;
        let signed = join(&self.pieces, body).ok_or(MALFORMED_BODY)?;
        let key = self
            .key(&signatures, &signed)
            .or_else(|| self.key(&signatures, &self.escaped(body)?))
            .ok_or(MISMATCH)?;
        let stamp = match &self.timestamp {
            Some(timestamp) => Some(timestamp.judge(body, self.now)?),
            None => self.stamp,
        };
        prove(key, self.expired, stamp)
    }

    fn read_signatures(&mut self, body: &[u8]) -> Result<Signatures, Rejection> {
        let mut signatures = Signatures::none();
        match &mut self.claimed {
            Claimed::InHead(presented) => mem::swap(&mut signatures, presented),
            Claimed::InBody(pointer, form) => {
                let text = pointer.find(body).ok_or(MISSING_SIGNATURE)?;
                form.read([text.as_bytes()], self.keys.algorithm(), &mut signatures)?;
                signatures.check()?;
            }
        }
        Ok(signatures)
    }

    /// The key under which one of the signatures is that of `signed`.
    fn key(&self, signatures: &Signatures, signed: &[u8]) -> Option<u32> {
        let mut verdict = Verdict::new(signatures);
        for key in 0..self.keys.len() {
            verdict.compare(&self.keys.sign(key, signed), key);
        }
        verdict.key()
    }

    /// What is signed where the body was escaped for it.
    fn escaped(&self, body: &[u8]) -> Option<Vec<u8>> {
        let body = self.escaped_body.then(|| escape(body))??;
        join(&self.pieces, body.as_bytes())
    }
}
