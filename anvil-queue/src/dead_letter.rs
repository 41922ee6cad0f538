use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::{
    Counters, DeadReason, FailureContext, JobData, JobId, QueueBackend, QueueError, QueueName,
};

mod ext;
pub use ext::{DeadLettersExt, ReplayReport};

/// What a person does with dead letters: look at them, send them back, throw them away.
///
/// Kept apart from [`QueueBackend`] so that a [`Worker`](crate::Worker), which holds a
/// `dyn QueueBackend`, can't name these verbs (G7): a dead letter is never consumed, only replayed
/// by a separate, deliberate act.
#[async_trait]
pub trait DeadLetters: QueueBackend {
    /// Lists dead letters, oldest death first.
    ///
    /// # Errors
    ///
    /// [`QueueError`].
    async fn list_dead(&self, queue: &QueueName, query: DeadQuery) -> Result<DeadPage, QueueError>;

    /// One dead letter, where the job is dead.
    ///
    /// # Errors
    ///
    /// [`QueueError`].
    async fn get_dead(
        &self,
        queue: &QueueName,
        id: JobId,
    ) -> Result<Option<DeadLetter>, QueueError>;

    /// Sends dead jobs back to ready, each under its own id, with no attempts and one more replay.
    ///
    /// Never asks dedupe for permission. It renews the key's record for the job; where the key
    /// belongs to a newer job by now, the answer is [`Replayed::Superseded`] and the job stays
    /// dead, unless the options force it. At most 200 ids a call are promised to be taken.
    ///
    /// # Errors
    ///
    /// [`QueueError`]; each job is then still in exactly one place, and repeating the call is safe.
    async fn replay(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        options: ReplayOptions,
    ) -> Result<Vec<Replayed>, QueueError>;

    /// Throws dead jobs away for good; answers for each whether it was dead.
    ///
    /// The dedupe record stays, so a re-delivery within the window is still a duplicate.
    ///
    /// # Errors
    ///
    /// [`QueueError`].
    async fn discard(&self, queue: &QueueName, ids: &[JobId]) -> Result<Vec<bool>, QueueError>;
}

/// A job that is not tried again until a person says so.
///
/// `Debug` shows the payload's length, never its bytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeadLetter {
    /// What the caller handed in, byte for byte.
    pub data: Arc<JobData>,
    /// What has happened to the job.
    pub counters: Counters,
    /// Why it is dead.
    pub reason: DeadReason,
    /// Its failures.
    pub failures: FailureContext,
    /// When it was accepted, by the backend's clock.
    pub accepted_at: SystemTime,
    /// When it died, by the backend's clock.
    pub died_at: SystemTime,
    /// Its place in the order of deaths.
    pub position: DeadPosition,
}

impl DeadLetter {
    /// Puts a dead letter together; for backends.
    #[must_use]
    pub fn new(
        data: Arc<JobData>,
        counters: Counters,
        reason: DeadReason,
        failures: FailureContext,
        accepted_at: SystemTime,
        died_at: SystemTime,
        position: DeadPosition,
    ) -> Self {
        Self {
            data,
            counters,
            reason,
            failures,
            accepted_at,
            died_at,
            position,
        }
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> JobId {
        self.data.id()
    }
}

/// A place in the order of deaths of a queue. A job that dies again gets a new, later one.
///
/// Its text form is what a list command prints and takes back to go on.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct DeadPosition(u64);

impl DeadPosition {
    /// The position with this number; for backends.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number of this position.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for DeadPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for DeadPosition {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

/// Which dead letters are meant. An empty filter means all of them.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
#[must_use = "a filter does nothing until it is part of a query"]
pub struct DeadFilter {
    /// Only jobs of this kind.
    pub kind: Option<String>,
    /// Only jobs from this source.
    pub source: Option<String>,
    /// Only jobs that died for this reason.
    pub reason: Option<DeadReason>,
    /// Only jobs whose last error contains this text.
    pub error_contains: Option<String>,
    /// Only jobs that died at least this long ago.
    pub dead_for: Option<Duration>,
    /// Only jobs that died at most this long ago.
    pub died_within: Option<Duration>,
}

impl DeadFilter {
    /// Keeps jobs of this kind. Default: every kind.
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// Keeps jobs from this source. Default: every source.
    pub fn source(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Keeps jobs that died for this reason. Default: every reason.
    pub fn reason(mut self, reason: DeadReason) -> Self {
        self.reason = Some(reason);
        self
    }

    /// Keeps jobs whose last error contains this text. Default: every error.
    pub fn error_contains(mut self, text: impl Into<String>) -> Self {
        self.error_contains = Some(text.into());
        self
    }

    /// Keeps jobs that died at least this long ago. Default: every age.
    pub fn dead_for(mut self, time: Duration) -> Self {
        self.dead_for = Some(time);
        self
    }

    /// Keeps jobs that died at most this long ago. Default: every age.
    pub fn died_within(mut self, time: Duration) -> Self {
        self.died_within = Some(time);
        self
    }

    /// Whether `letter` is meant, `now` being the backend's time.
    #[must_use]
    pub fn matches(&self, letter: &DeadLetter, now: SystemTime) -> bool {
        let Self {
            kind,
            source,
            reason,
            error_contains,
            dead_for,
            died_within,
        } = self;
        // A death that lies ahead of `now` has just happened.
        let elapsed = now.duration_since(letter.died_at).unwrap_or_default();
        kind.as_deref()
            .is_none_or(|kind| kind == letter.data.kind())
            && source
                .as_deref()
                .is_none_or(|source| source == letter.data.source())
            && reason.is_none_or(|reason| reason == letter.reason)
            && error_contains.as_deref().is_none_or(|text| {
                letter
                    .failures
                    .last_error()
                    .is_some_and(|error| error.contains(text))
            })
            && dead_for.is_none_or(|time| elapsed >= time)
            && died_within.is_none_or(|time| elapsed <= time)
    }
}

/// One page of a walk over the dead letters.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[must_use = "a query does nothing until it is handed to a backend"]
pub struct DeadQuery {
    /// Which letters are meant.
    pub filter: DeadFilter,
    /// Only letters after this position.
    pub after: Option<DeadPosition>,
    /// Only letters up to this position.
    pub up_to: Option<DeadPosition>,
    /// How many letters are looked at and answered at most.
    pub limit: usize,
}

impl DeadQuery {
    /// The first page of all letters, 100 to a page.
    pub fn new() -> Self {
        Self {
            filter: DeadFilter::default(),
            after: None,
            up_to: None,
            limit: 100,
        }
    }

    /// Sets the filter. Default: everything.
    pub fn filter(mut self, filter: DeadFilter) -> Self {
        self.filter = filter;
        self
    }

    /// Starts after this position. Default: at the oldest death.
    pub fn after(mut self, position: impl Into<Option<DeadPosition>>) -> Self {
        self.after = position.into();
        self
    }

    /// Ends at this position. Default: at the newest death.
    pub fn up_to(mut self, position: impl Into<Option<DeadPosition>>) -> Self {
        self.up_to = position.into();
        self
    }

    /// Sets the page size. Range: 1 to 200; outside it, the nearest end. Default: 100.
    pub fn limit(mut self, letters: usize) -> Self {
        self.limit = letters.clamp(1, 200);
        self
    }
}

impl Default for DeadQuery {
    fn default() -> Self {
        Self::new()
    }
}

/// The answer to a [`DeadQuery`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeadPage {
    /// The letters that match, oldest death first. May be empty although `next` is not.
    pub letters: Vec<DeadLetter>,
    /// Where the next page starts, where there is one.
    pub next: Option<DeadPosition>,
    /// The newest death when the page was made, where there was one.
    pub newest: Option<DeadPosition>,
}

impl DeadPage {
    /// Puts a page together; for backends.
    #[must_use]
    pub fn new(
        letters: Vec<DeadLetter>,
        next: Option<DeadPosition>,
        newest: Option<DeadPosition>,
    ) -> Self {
        Self {
            letters,
            next,
            newest,
        }
    }
}

/// How dead jobs are sent back.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
#[must_use = "options do nothing until they are handed to a backend"]
pub struct ReplayOptions {
    /// Replays a job even where its key belongs to a newer job.
    pub force: bool,
    /// Leaves alone what died after this position.
    pub up_to: Option<DeadPosition>,
}

impl ReplayOptions {
    /// Sets whether a superseded job is replayed all the same. Default: false.
    pub fn force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    /// Leaves alone what died after this position. Default: nothing.
    pub fn up_to(mut self, position: impl Into<Option<DeadPosition>>) -> Self {
        self.up_to = position.into();
        self
    }
}

/// The answer for one job of a replay.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Replayed {
    /// The job is not dead, or died after the given position. Nothing was changed.
    NotDead,
    /// The job is ready again.
    Ready,
    /// The key belongs to this newer job. Nothing was changed.
    Superseded(JobId),
}

const _: fn(Arc<dyn DeadLetters>) = |_| {};
