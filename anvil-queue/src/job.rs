use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;

use crate::DedupeKey;

mod id;
mod metadata;
pub use id::{InvalidJobId, JobId};
pub use metadata::Metadata;

/// A job that has not been stored yet.
///
/// The payload is kept byte for byte and never re-encoded. The id is made here, by the caller, so
/// that the same `NewJob` can be sent again after a lost reply: it is answered with the job that
/// is already there and touches nothing.
///
/// ```
/// use anvil_queue::{DedupeKey, NewJob};
///
/// let job = NewJob::new(&b"{\"amount\":100}"[..])
///     .kind("invoice.paid")
///     .source("stripe")
///     .dedupe_key(DedupeKey::derive("stripe", b"evt_1"));
/// assert_eq!(job.data().kind(), "invoice.paid");
/// ```
#[derive(Clone, Debug)]
#[must_use = "a job does nothing until a backend stores it"]
pub struct NewJob(Arc<JobData>);

impl NewJob {
    /// A job with this payload, a fresh id, the kind `"webhook"`, no dedupe key and no delay.
    pub fn new(payload: impl Into<Bytes>) -> Self {
        Self(Arc::new(JobData {
            id: JobId::generate(),
            kind: Cow::Borrowed(DEFAULT_KIND),
            payload: payload.into(),
            metadata: Metadata::default(),
            source: None,
            dedupe_key: None,
            delay: Duration::ZERO,
        }))
    }

    /// Replaces the id. Default: a fresh [`JobId`].
    pub fn id(mut self, id: JobId) -> Self {
        self.edit().id = id;
        self
    }

    /// Sets the payload. Default: what `new` was given.
    pub fn payload(mut self, payload: impl Into<Bytes>) -> Self {
        self.edit().payload = payload.into();
        self
    }

    /// Sets the event type, such as `"invoice.paid"`. Default: `"webhook"`.
    pub fn kind(mut self, kind: impl Into<Cow<'static, str>>) -> Self {
        self.edit().kind = kind.into();
        self
    }

    /// Sets what is carried beside the payload. Default: nothing.
    pub fn metadata(mut self, metadata: Metadata) -> Self {
        self.edit().metadata = metadata;
        self
    }

    /// Sets the configured name of the route the job came in by. Default: empty.
    pub fn source(mut self, source: impl Into<Arc<str>>) -> Self {
        self.edit().source = Some(source.into());
        self
    }

    /// Names the delivery, so that a second one within the dedupe window is answered with this
    /// job. Default: none; the job's own id is then its key for ten minutes.
    pub fn dedupe_key(mut self, key: impl Into<Option<DedupeKey>>) -> Self {
        self.edit().dedupe_key = key.into();
        self
    }

    /// Holds the job back for this long after it is stored. Default: zero.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.edit().delay = delay;
        self
    }

    /// The data, which nobody shares while the job is being built.
    fn edit(&mut self) -> &mut JobData {
        Arc::make_mut(&mut self.0)
    }

    /// What is to be stored.
    #[must_use]
    pub fn data(&self) -> &JobData {
        &self.0
    }

    /// Takes what is to be stored; for backends. It is behind a pointer from the start, so that a
    /// job is never copied on its way to the store.
    #[must_use]
    pub fn into_data(self) -> Arc<JobData> {
        self.0
    }
}

/// The part of a job that never changes: what the caller handed in.
///
/// `Debug` shows the payload's length, never its bytes.
#[derive(Clone)]
pub struct JobData {
    id: JobId,
    kind: Cow<'static, str>,
    payload: Bytes,
    metadata: Metadata,
    source: Option<Arc<str>>,
    dedupe_key: Option<DedupeKey>,
    delay: Duration,
}

impl JobData {
    /// The id.
    #[must_use]
    pub fn id(&self) -> JobId {
        self.id
    }

    /// The event type, such as `"invoice.paid"`; `"webhook"` where the sender names none.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The payload, byte for byte as it was received.
    #[must_use]
    pub fn payload(&self) -> &Bytes {
        &self.payload
    }

    /// What is carried beside the payload.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The configured name of the route the job came in by.
    #[must_use]
    pub fn source(&self) -> &str {
        self.source.as_deref().unwrap_or_default()
    }

    /// The name of the delivery, where it has one.
    #[must_use]
    pub fn dedupe_key(&self) -> Option<DedupeKey> {
        self.dedupe_key
    }

    /// How long the job is held back after it is stored.
    #[must_use]
    pub fn delay(&self) -> Duration {
        self.delay
    }

    /// What the job weighs in a batch: payload, metadata, names and a fixed overhead, in bytes.
    #[must_use]
    pub fn weight(&self) -> usize {
        FIXED_WEIGHT
            + self.payload.len()
            + self.kind.len()
            + self.source().len()
            + self.metadata.weight()
    }
}

impl fmt::Debug for JobData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            id,
            kind,
            payload,
            metadata,
            source,
            dedupe_key,
            delay,
        } = self;
        f.debug_struct("JobData")
            .field("id", id)
            .field("kind", kind)
            .field("payload_len", &payload.len())
            .field("metadata", metadata)
            .field("source", source)
            .field("dedupe_key", dedupe_key)
            .field("delay", delay)
            .finish()
    }
}

/// A stored job, as a handler gets it. Cheap to clone.
///
/// `Debug` shows the payload's length, never its bytes.
#[derive(Clone, Debug)]
pub struct Job {
    data: Arc<JobData>,
    counters: Counters,
    accepted_at: SystemTime,
    age: Duration,
}

impl Job {
    /// Puts a stored job together; for backends and for tests of handlers.
    #[must_use]
    pub fn new(
        data: Arc<JobData>,
        counters: Counters,
        accepted_at: SystemTime,
        age: Duration,
    ) -> Self {
        Self {
            data,
            counters,
            accepted_at,
            age,
        }
    }

    /// What the caller handed in.
    #[must_use]
    pub fn data(&self) -> &Arc<JobData> {
        &self.data
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> JobId {
        self.data.id
    }

    /// The event type, such as `"invoice.paid"`; `"webhook"` where the sender names none.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.data.kind
    }

    /// The payload, byte for byte as it was received.
    #[must_use]
    pub fn payload(&self) -> &Bytes {
        &self.data.payload
    }

    /// What is carried beside the payload.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.data.metadata
    }

    /// The configured name of the route the job came in by.
    #[must_use]
    pub fn source(&self) -> &str {
        self.data.source()
    }

    /// Which run this is, from 1: one more than the failed attempts so far.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.counters.attempts.saturating_add(1)
    }

    /// What has happened to the job so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// When the job was stored, by the backend's clock.
    #[must_use]
    pub fn accepted_at(&self) -> SystemTime {
        self.accepted_at
    }

    /// How old the job was when it was reserved, by the backend's clock.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.age
    }
}

/// What has happened to a job, each kind of event counted apart: a deploy or a crash never eats an
/// attempt, and a deploy never eats the crash budget.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Counters {
    /// Runs that failed since the job was stored or last replayed.
    pub attempts: u32,
    /// Leases that ran out: the worker crashed, hung or lost its connection.
    pub reclaims: u32,
    /// Times a handler put the job off without failing it.
    pub snoozes: u32,
    /// Times a person sent the job back from the dead letters.
    pub replays: u32,
}

const DEFAULT_KIND: &str = "webhook";
const FIXED_WEIGHT: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_neither_payload_nor_metadata_values() {
        let mut metadata = Metadata::default();
        metadata.push("content-type", &b"hidden-value"[..]);
        let job = NewJob::new(&b"hidden-payload"[..]).metadata(metadata);
        let stored = Job::new(
            job.clone().into_data(),
            Counters::default(),
            SystemTime::now(),
            Duration::ZERO,
        );
        for text in [format!("{job:?}"), format!("{stored:?}")] {
            assert!(!text.contains("hidden"), "{text}");
            assert!(text.contains("content-type"), "{text}");
        }
    }

    #[test]
    fn the_first_run_is_attempt_one() {
        let job = NewJob::new(Bytes::new());
        let stored = Job::new(
            job.into_data(),
            Counters::default(),
            SystemTime::now(),
            Duration::ZERO,
        );
        assert_eq!(stored.attempt(), 1);
    }
}
