use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anvil_tower::RejectionKind;
use bytes::Bytes;
use http::Request;

use super::{Cause, Trial, Verdict};
use crate::output::{span, timestamp};

/// Why a right signature is not fresh.
pub(super) fn find(trial: &Trial<'_>, request: &Request<Bytes>, kind: RejectionKind) -> Cause {
    let Verdict::Genuine(genuine) = trial.at_any_time().judge(request) else {
        return not_known(kind);
    };
    let Some(signed) = genuine.proof.signed_at() else {
        return not_known(kind);
    };
    let seconds = |at: SystemTime| at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (signed_at, now) = (seconds(signed), seconds(trial.now));
    let is_near = |at: u64| at.abs_diff(now) < A_DAY;
    if is_near(signed_at / 1_000) {
        let text = "the timestamp is in milliseconds, where this sender writes seconds";
        return Cause::new("timestamp_unit", text);
    }
    if is_near(signed_at.saturating_mul(1_000)) {
        let text = "the timestamp is in seconds, where this sender writes milliseconds";
        return Cause::new("timestamp_unit", text);
    }
    let off = Duration::from_secs(signed_at.abs_diff(now));
    let hours = off.as_secs() + HOUR / 60;
    let is_zone = off.as_secs() >= HOUR - HOUR / 60 && off.as_secs() <= 14 * HOUR;
    let zone = if is_zone && hours % HOUR <= HOUR / 30 {
        "; a whole number of hours looks like a clock in local time"
    } else {
        ""
    };
    let (past, future) = trial.facts.described().tolerance.unwrap_or_default();
    let (off, signed) = (span(off), timestamp(signed));
    if kind == RejectionKind::Stale {
        let text = format!(
            "the signature is right and {off} old, of at most {}: a late retry, a replay, or the clock here is ahead{zone}; --now {signed} judges as of then",
            brief(past)
        );
        Cause::new("too_old", text)
    } else {
        let text = format!(
            "the signature is right and {off} ahead, of at most {}: the clock here is behind, or the sender's is ahead{zone}; --now {signed} judges as of then",
            brief(future)
        );
        Cause::new("too_early", text)
    }
}

fn not_known(kind: RejectionKind) -> Cause {
    match kind {
        RejectionKind::Stale => Cause::new(
            "too_old",
            "the signature is right, and too old: a late retry, a replay, or the clock here is ahead",
        ),
        _ => Cause::new(
            "too_early",
            "the signature is right, and lies ahead: the clock here is behind, or the sender's is ahead",
        ),
    }
}

/// A duration in the largest unit that is whole, such as `5m` or `3d`.
pub(crate) fn brief(time: Duration) -> String {
    if time == Duration::MAX {
        return "any".to_owned();
    }
    let seconds = time.as_secs();
    match seconds {
        0 => "0s".to_owned(),
        _ if seconds.is_multiple_of(A_DAY) => format!("{}d", seconds / A_DAY),
        _ if seconds.is_multiple_of(HOUR) => format!("{}h", seconds / HOUR),
        _ if seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
        _ => format!("{seconds}s"),
    }
}

const HOUR: u64 = 3_600;
const A_DAY: u64 = 24 * HOUR;
