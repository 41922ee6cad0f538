use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::{
    Counters, DeadPosition, DeadReason, FailureContext, JobData, JobId, QueueBackend, QueueError,
    QueueName,
};

/// What a person does with jobs that are not dead: look at them, and cancel them.
///
/// Kept apart from [`QueueBackend`], as [`DeadLetters`](crate::DeadLetters) is, so that a
/// [`Worker`](crate::Worker) can't name these verbs. `peek` and `get` move nothing and count
/// nothing: a job that is due, or whose lease has run out, is shown where it is until a worker's
/// next `reserve` moves it.
///
/// # Cancellation
///
/// Dropping the future of a verb loses only its answer. A `cancel` may be sent again; a job that
/// the lost call removed is then [`Cancelled::NotFound`].
///
/// ```
/// use anvil_memory::MemoryBackend;
/// use anvil_queue::{
///     Cancelled, Control, NewJob, PeekPlace, PeekQuery, QueueBackendExt, QueueName,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let backend = MemoryBackend::new();
/// let queue = QueueName::new("webhooks")?;
/// let id = backend.enqueue_one(&queue, NewJob::new("{}")).await??.id();
///
/// let next = backend.peek(&queue, PeekQuery::new(PeekPlace::Ready)).await?;
/// assert_eq!(next[0].id(), id);
/// assert_eq!(backend.cancel(&queue, &[id]).await?, [Cancelled::Removed]);
/// assert!(backend.get(&queue, id).await?.is_none());
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Control: QueueBackend {
    /// The next jobs of a place, in the order in which they leave it: ready jobs in the order in
    /// which they are reserved, scheduled jobs as they fall due, leased jobs as their leases run
    /// out.
    ///
    /// # Errors
    ///
    /// [`QueueError`].
    async fn peek(&self, queue: &QueueName, query: PeekQuery) -> Result<Vec<JobView>, QueueError>;

    /// One job, wherever it is; none where it is done, discarded, cancelled or unknown.
    ///
    /// # Errors
    ///
    /// [`QueueError`].
    async fn get(&self, queue: &QueueName, id: JobId) -> Result<Option<JobView>, QueueError>;

    /// Cancels jobs, each under its id; answers for each what became of it.
    ///
    /// A ready or scheduled job is removed for good and counted in
    /// [`QueueTotals::cancelled`](crate::QueueTotals::cancelled). Its dedupe record stays, so a
    /// re-delivery within the window is still a duplicate.
    ///
    /// A leased job is asked to stop: its worker learns of it at the next
    /// [`extend`](QueueBackend::extend), which answers
    /// [`CancelRequested`](crate::LeaseState::CancelRequested). Where the run is completed or
    /// buried all the same, that holds. Whatever would make the job wait again (a retry, a snooze,
    /// a release, a lease that runs out) is counted as always and then removes the job, as if it
    /// had been ready. A request made twice is one request.
    ///
    /// A dead job is not touched: that is [`discard`](crate::DeadLetters::discard). At most 200 ids
    /// a call are promised to be taken.
    ///
    /// # Errors
    ///
    /// [`QueueError`]; each job is then either untouched or cancelled, and repeating the call is
    /// safe.
    async fn cancel(&self, queue: &QueueName, ids: &[JobId]) -> Result<Vec<Cancelled>, QueueError>;
}

/// Where [`peek`](Control::peek) looks.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum PeekPlace {
    /// Jobs in the hands of a worker.
    Leased,
    /// Jobs a worker could reserve now.
    Ready,
    /// Jobs that are held back by a delay.
    Scheduled,
}

/// How much of which place [`peek`](Control::peek) shows.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[must_use = "a query does nothing until it is handed to a backend"]
pub struct PeekQuery {
    /// The place.
    pub place: PeekPlace,
    /// How many jobs are answered at most.
    pub limit: usize,
}

impl PeekQuery {
    /// The next 100 jobs of a place.
    pub fn new(place: PeekPlace) -> Self {
        Self { place, limit: 100 }
    }

    /// Sets how many jobs are answered at most. Range: 1 to 200; outside it, the nearest end.
    /// Default: 100.
    pub fn limit(mut self, jobs: usize) -> Self {
        self.limit = jobs.clamp(1, 200);
        self
    }
}

/// A job as it stands, wherever that is.
///
/// `Debug` shows the payload's length, never its bytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JobView {
    /// What the caller handed in, byte for byte.
    pub data: Arc<JobData>,
    /// What has happened to the job.
    pub counters: Counters,
    /// Where it is.
    pub place: JobPlace,
    /// Its failures.
    pub failures: FailureContext,
    /// When it was accepted, by the backend's clock.
    pub accepted_at: SystemTime,
}

impl JobView {
    /// Puts a view together; for backends.
    #[must_use]
    pub fn new(
        data: Arc<JobData>,
        counters: Counters,
        place: JobPlace,
        failures: FailureContext,
        accepted_at: SystemTime,
    ) -> Self {
        Self {
            data,
            counters,
            place,
            failures,
            accepted_at,
        }
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> JobId {
        self.data.id()
    }
}

/// Where a job is. Times that lie ahead are durations from the moment of the answer, so that no
/// clock of the caller's is needed to read them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum JobPlace {
    /// It is not tried again until a person says so.
    Dead {
        /// Why it is dead.
        reason: DeadReason,
        /// When it died, by the backend's clock.
        died_at: SystemTime,
        /// Its place in the order of deaths.
        position: DeadPosition,
    },
    /// It is in the hands of a worker.
    Leased {
        /// How long the lease still runs; zero where it has run out and nobody has reclaimed it.
        expires_in: Duration,
        /// Whether the run was asked to stop.
        cancel_requested: bool,
    },
    /// A worker could reserve it now.
    Ready,
    /// It is held back by a delay.
    Scheduled {
        /// How long it is still held back; zero where it is due and nobody has reserved since.
        due_in: Duration,
    },
}

impl JobPlace {
    /// The name of the place, as [`QueueStats`](crate::QueueStats) has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dead { .. } => "dead",
            Self::Leased { .. } => "leased",
            Self::Ready => "ready",
            Self::Scheduled { .. } => "scheduled",
        }
    }
}

impl fmt::Display for JobPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The answer for one job of a [`cancel`](Control::cancel).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Cancelled {
    /// The job is dead. Nothing was changed.
    Dead,
    /// The job is done, discarded, cancelled or unknown. Nothing was changed.
    NotFound,
    /// The job was waiting and is gone.
    Removed,
    /// The job is in the hands of a worker, which is asked to stop.
    Requested,
}

const _: fn(Arc<dyn Control>) = |_| {};
