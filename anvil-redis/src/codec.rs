//! What a stored job looks like, byte for byte. The scripts read the parts they need by position;
//! everything else is written and read here.
//!
//! A body, after the eight bytes of acceptance time, of which the server has the last word:
//!
//! ```text
//! flags  1 byte: version in the high half; 1 has a key, 2 large, 4 delayed, 8 has metadata
//! weight 4 bytes, large only      key   32 bytes, keyed only    delay 8 bytes (µs), delayed only
//! kind   2 bytes of length, text  source 2 bytes of length, text
//! metadata: 2 bytes of count, then name (2 bytes of length) and value (4 bytes of length) each
//! payload: the rest; a large job's payload is kept under a key of its own
//! ```
//!
//! Numbers are big-endian. Names are cut at 65,535 bytes, which no provider comes near.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anvil_queue::{
    Counters, DeadReason, DedupeKey, ErrorText, FailureContext, FailureKind, FailureReport,
    JobData, JobId, Metadata, NewJob, RecordedFailure,
};
use bytes::Bytes;

mod reader;
use reader::Reader;

/// Writes the body of a job; a large one's without its payload.
pub(crate) fn write_body(body: &mut Vec<u8>, accepted_at: u64, job: &JobData, large: bool) {
    let delay = micros(job.delay());
    let payload: &[u8] = if large { &[] } else { job.payload() };
    body.extend_from_slice(&accepted_at.to_be_bytes());
    body.push(
        VERSION
            | flag(job.dedupe_key().is_some(), HAS_KEY)
            | flag(large, LARGE)
            | flag(delay > 0, DELAYED)
            | flag(!job.metadata().is_empty(), HAS_METADATA),
    );
    if large {
        let weight = u32::try_from(job.weight()).unwrap_or(u32::MAX);
        body.extend_from_slice(&weight.to_be_bytes());
    }
    if let Some(key) = job.dedupe_key() {
        body.extend_from_slice(key.as_bytes());
    }
    if delay > 0 {
        body.extend_from_slice(&delay.to_be_bytes());
    }
    short(body, job.kind());
    short(body, job.source());
    if !job.metadata().is_empty() {
        let entries = u16::try_from(job.metadata().len()).unwrap_or(u16::MAX);
        body.extend_from_slice(&entries.to_be_bytes());
        for (name, value) in job.metadata().iter().take(entries.into()) {
            short(body, name);
            let len = u32::try_from(value.len()).unwrap_or(u32::MAX);
            body.extend_from_slice(&len.to_be_bytes());
            body.extend_from_slice(value);
        }
    }
    body.extend_from_slice(payload);
}

/// A body as the server keeps it.
pub(crate) struct StoredBody {
    pub(crate) accepted_at: u64,
    /// The payload is kept under a key of its own.
    pub(crate) large: bool,
    job: NewJob,
}

impl StoredBody {
    /// Reads a stored body. What can't be read is given back as it is, for a person to look at.
    pub(crate) fn read(id: JobId, stored: Vec<u8>) -> Result<Self, Self> {
        let stored = Bytes::from(stored);
        Self::parse(id, stored.clone()).ok_or_else(|| Self {
            accepted_at: 0,
            large: false,
            job: NewJob::new(stored).id(id),
        })
    }

    /// The stand-in for a body that is gone.
    pub(crate) fn missing(id: JobId) -> Self {
        Self {
            accepted_at: 0,
            large: false,
            job: NewJob::new(Bytes::new()).id(id),
        }
    }

    pub(crate) fn with_payload(mut self, payload: Vec<u8>) -> Self {
        self.job = self.job.payload(payload);
        self
    }

    pub(crate) fn into_job(self) -> NewJob {
        self.job
    }

    fn parse(id: JobId, stored: Bytes) -> Option<Self> {
        let mut reader = Reader::new(stored);
        let accepted_at = reader.u64()?;
        let flags = reader.u8()?;
        if flags & 0xf0 != VERSION {
            return None;
        }
        let large = flags & LARGE != 0;
        if large {
            reader.u32()?;
        }
        let key = match flags & HAS_KEY {
            0 => None,
            _ => Some(DedupeKey::from_bytes(reader.array()?)),
        };
        let delay = match flags & DELAYED {
            0 => 0,
            _ => reader.u64()?,
        };
        let kind = reader.short_text()?;
        let source = reader.short_text()?;
        let mut metadata = Metadata::default();
        if flags & HAS_METADATA != 0 {
            for _ in 0..reader.u16()? {
                let name = reader.short_text()?;
                let len = usize::try_from(reader.u32()?).ok()?;
                metadata.push(name, reader.take(len)?);
            }
        }
        let job = NewJob::new(reader.rest())
            .id(id)
            .kind(kind)
            .source(source)
            .metadata(metadata)
            .dedupe_key(key)
            .delay(Duration::from_micros(delay));
        Some(Self {
            accepted_at,
            large,
            job,
        })
    }
}

/// Writes what a worker reports, for the record of a job.
pub(crate) fn write_report(failure: &FailureReport) -> Vec<u8> {
    let mut report = vec![kind_code(failure.kind)];
    short(&mut report, &failure.worker);
    report.extend_from_slice(failure.error.as_str().as_bytes());
    report
}

/// The record of a job that has failed, crashed, been put off or replayed.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) counters: Counters,
    pub(crate) reason: Option<DeadReason>,
    pub(crate) failures: FailureContext,
}

impl Record {
    /// Reads a record; one that can't be read counts as none.
    pub(crate) fn read(stored: Vec<u8>) -> Self {
        Self::parse(Bytes::from(stored)).unwrap_or_default()
    }

    fn parse(stored: Bytes) -> Option<Self> {
        let mut reader = Reader::new(stored);
        let mut counters = Counters::default();
        counters.attempts = reader.u32()?;
        counters.reclaims = reader.u32()?;
        counters.snoozes = reader.u32()?;
        counters.replays = reader.u32()?;
        let reason = reason_from(reader.u8()?);
        let mut failures = FailureContext::default();
        failures.attempts = counters.attempts;
        failures.first = read_failure(&mut reader)?;
        failures.last = read_failure(&mut reader)?;
        Some(Self {
            counters,
            reason,
            failures,
        })
    }
}

fn read_failure(reader: &mut Reader) -> Option<Option<RecordedFailure>> {
    let len = usize::from(reader.u16()?);
    let mut reader = Reader::new(reader.take(len)?);
    if len == 0 {
        return Some(None);
    }
    let at = reader.u64()?;
    let kind = kind_from(reader.u8()?);
    let worker = reader.short_text()?;
    let error = String::from_utf8_lossy(&reader.rest()).into_owned();
    let report = FailureReport::new(kind, ErrorText::new(&error), worker.into());
    Some(Some(RecordedFailure::new(report, wall(at))))
}

/// The code of a reason in a record; `reserve.lua` writes 3 and 5 itself.
pub(crate) fn reason_code(reason: DeadReason) -> u8 {
    match reason {
        DeadReason::Permanent => 2,
        DeadReason::Poison => 3,
        DeadReason::Undecodable => 4,
        DeadReason::Missing => 5,
        _ => 1,
    }
}

fn reason_from(code: u8) -> Option<DeadReason> {
    Some(match code {
        0 => return None,
        2 => DeadReason::Permanent,
        3 => DeadReason::Poison,
        4 => DeadReason::Undecodable,
        5 => DeadReason::Missing,
        _ => DeadReason::Exhausted,
    })
}

fn kind_code(kind: FailureKind) -> u8 {
    match kind {
        FailureKind::Panic => 2,
        FailureKind::Permanent => 3,
        FailureKind::Timeout => 4,
        FailureKind::Undecodable => 5,
        _ => 1,
    }
}

fn kind_from(code: u8) -> FailureKind {
    match code {
        2 => FailureKind::Panic,
        3 => FailureKind::Permanent,
        4 => FailureKind::Timeout,
        5 => FailureKind::Undecodable,
        _ => FailureKind::Transient,
    }
}

/// A duration in microseconds; one without end stays below what a script can count exactly.
pub(crate) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros())
        .unwrap_or(u64::MAX)
        .min(ENDLESS)
}

/// A time of the server.
pub(crate) fn wall(micros: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_micros(micros)
}

fn short(out: &mut Vec<u8>, text: &str) {
    let len = u16::try_from(text.len()).unwrap_or(u16::MAX);
    let end = (0..=usize::from(len).min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0);
    out.extend_from_slice(&u16::try_from(end).unwrap_or(u16::MAX).to_be_bytes());
    out.extend_from_slice(&text.as_bytes()[..end]);
}

fn flag(set: bool, bit: u8) -> u8 {
    if set { bit } else { 0 }
}

const VERSION: u8 = 0x10;
const HAS_KEY: u8 = 1;
const LARGE: u8 = 2;
const DELAYED: u8 = 4;
const HAS_METADATA: u8 = 8;

/// 71 years. Added to the time of day it stays below 2^53.
const ENDLESS: u64 = 1 << 51;

#[cfg(test)]
mod tests;
