use std::time::SystemTime;

use super::timestamp::{Stamp, TimestampRule};
use crate::json::JsonPointer;
use crate::rejection::{MISSING_TIMESTAMP, Rejection};

/// A timestamp that is a field of the body.
#[derive(Clone, Debug)]
pub(super) struct BodyTimestamp {
    pub(super) pointer: JsonPointer,
    pub(super) rule: TimestampRule,
}

impl BodyTimestamp {
    /// Measures it, once the signature was found right.
    pub(super) fn judge(&self, body: &[u8], now: SystemTime) -> Result<Stamp, Rejection> {
        let text = self.pointer.find(body).ok_or(MISSING_TIMESTAMP)?;
        self.rule.judge(text.as_bytes(), now)
    }
}
