use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::{
    JobId, Lease, LeaseState, NewJob, QueueError, QueueName, QueueStats, Refusal, Reserve,
    Reserved, Settled, Settlement,
};

mod ext;
mod forward;
pub use ext::QueueBackendExt;

/// Where jobs wait: the contract between the HTTP edge, the worker and a store.
///
/// Each verb is one round trip and one state transition per job. The verbs take batches and answer
/// per item, in the order of the request, because that is where the speed is; the single-job forms
/// are in [`QueueBackendExt`]. The trait is dyn-compatible: `Arc<dyn QueueBackend>` is itself a
/// backend, so the store can be chosen by configuration and swapped in tests.
///
/// # The contract
///
/// The guarantees are numbered as in `docs/architecture.md`, and the
/// [conformance suite](mod@crate::conformance) (feature `conformance`) has a named test for each.
///
/// * **One step** (G1, G2). `enqueue` claims the key and stores the job in one atomic step. There
///   is never a dedupe record without its job, nor a stored job without its record.
/// * **One place** (G3). Each accepted id is ready, scheduled, leased, dead or done: exactly one.
/// * **Fenced** (G4). `extend` and `settle` check the whole [`Lease`]. A lease that is not the
///   job's any more changes nothing. Repeating a settlement that was applied answers
///   [`Settled::Applied`] again, so a lost reply can be retried.
/// * **One clock** (G5). Callers pass durations; only the backend reads a clock.
/// * **Bounded** (G9). One call does a bounded amount of work, whatever the backlog.
/// * **Full is survivable** (G10). A full store refuses `enqueue` and nothing else.
///
/// # Cancellation
///
/// Dropping the future of any verb loses only its answer: the call may or may not take effect, and
/// sending it again is safe. What a dropped `reserve` took comes back when its lease runs out.
///
/// # Writing one
///
/// Implement the verbs, run the suite; `docs/backend-guide.md` walks through a small one.
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a queue backend",
    label = "this is not a `QueueBackend`",
    note = "pass a backend such as `Arc<MemoryBackend>` or `Arc<dyn QueueBackend>`; to write your own, implement `anvil_queue::QueueBackend`",
    note = "a backend is shared between threads: `Arc`, not `Rc`"
)]
pub trait QueueBackend: fmt::Debug + Send + Sync + 'static {
    /// Stores jobs, or answers with the job that holds the same key.
    ///
    /// A job whose key is held by an earlier job within the dedupe window is not stored: the
    /// answer carries the earlier id. A job whose id is already there, or that holds the key
    /// itself, is [`Enqueued::Accepted`] again and nothing is touched; a job without a key claims
    /// its id for ten minutes. A refused job leaves no record.
    ///
    /// # Errors
    ///
    /// [`QueueError`] for the whole batch. Unless its kind is
    /// [`Rejected`](crate::QueueErrorKind::Rejected) any of the jobs may have been stored; sending
    /// the same batch again finds out.
    async fn enqueue(
        &self,
        queue: &QueueName,
        jobs: Vec<NewJob>,
    ) -> Result<Vec<Result<Enqueued, Refusal>>, QueueError>;

    /// Takes ready jobs, oldest place first, and leases them. Never waits: an empty answer means
    /// that nothing is ready.
    ///
    /// Moves what is due to ready and reclaims expired leases first, a bounded number per call. A
    /// job with a reclaim behind it is answered alone.
    ///
    /// # Errors
    ///
    /// [`QueueError`]; jobs taken by a call whose answer was lost come back when their lease runs
    /// out.
    async fn reserve(
        &self,
        queue: &QueueName,
        request: Reserve,
    ) -> Result<Vec<Reserved>, QueueError>;

    /// Waits until there may be something to reserve, at most this long.
    ///
    /// Level-triggered: returns at once where something is ready, due or expired. A wake-up is a
    /// hint and may be false. Moves nothing, so it is safe to drop.
    ///
    /// # Errors
    ///
    /// [`QueueError`]; callers back off and go on.
    async fn wait(&self, queue: &QueueName, at_most: Duration) -> Result<(), QueueError>;

    /// Lets each lease run for `lease` from now on, never shorter than it would have.
    ///
    /// # Errors
    ///
    /// [`QueueError`]; the leases then run out when they would have.
    async fn extend(
        &self,
        queue: &QueueName,
        leases: &[Lease],
        lease: Duration,
    ) -> Result<Vec<LeaseState>, QueueError>;

    /// Ends leases: each job goes where its settlement says.
    ///
    /// # Errors
    ///
    /// [`QueueError`] for the whole batch; any of the settlements may have been applied, and
    /// repeating them is safe.
    async fn settle(
        &self,
        queue: &QueueName,
        outcomes: &[(Lease, Settlement)],
    ) -> Result<Vec<Settled>, QueueError>;

    /// Counts what the queue holds.
    ///
    /// # Errors
    ///
    /// [`QueueError`].
    async fn stats(&self, queue: &QueueName) -> Result<QueueStats, QueueError>;
}

/// The answer to a job that was not refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Enqueued {
    /// The job is stored under this id, by this call or by an earlier one with the same id.
    Accepted(JobId),
    /// The key belongs to the job with this id; nothing was changed.
    Duplicate(JobId),
    /// The key belongs to the job with this id, and that job is among the dead letters; nothing
    /// was changed.
    DuplicateOfDead(JobId),
}

impl Enqueued {
    /// The id of the job that stands for the delivery.
    #[must_use]
    pub fn id(self) -> JobId {
        match self {
            Self::Accepted(id) | Self::Duplicate(id) | Self::DuplicateOfDead(id) => id,
        }
    }

    /// Whether the delivery was answered with an earlier job.
    #[must_use]
    pub fn is_duplicate(self) -> bool {
        !matches!(self, Self::Accepted(_))
    }
}

const _: fn(Arc<dyn QueueBackend>) = |_| {};
