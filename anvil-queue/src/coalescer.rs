//! Many single calls, few batches.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::{
    Enqueued, Lease, NewJob, QueueBackend, QueueError, QueueName, Refusal, Settled, Settlement,
};

mod lane;
mod limits;
pub(crate) use lane::contained;
use lane::{Call, Lane, LaneError, Sending, Verb};
pub use limits::CoalescerLimits;

/// Gathers concurrent single calls into batch calls of one backend and one queue.
///
/// A call is sent at once when nothing is in flight, and waits in line while something is; the
/// line becomes the next batch. Where twenty wait for each batch in flight, one more is sent beside
/// them, up to four, so that the backend is not idle between two. There is no timer, so an idle
/// system gains no latency and a busy one batches by itself.
///
/// # Guarantees
///
/// * A batch that does not finish on the spot is driven by a task of its own. Dropping a caller
///   drops its answer, never the batch.
/// * The line is bounded by count and bytes; what does not fit is refused with
///   [`EnqueueError::Overloaded`] and was not sent.
/// * One bad job never fails its neighbours: where a backend rejects a batch as a whole, its items
///   are sent again one by one.
/// * A panic or a hang of the backend (30 s) fails the callers of that batch and no others, and a
///   panic reaches them as an error.
///
/// Cloning is cheap and shares the line. Enqueues and settlements wait in lines of their own, so
/// neither holds up the other.
///
/// # Panics
///
/// Its futures need a tokio runtime with a timer, as does everything that drives a backend.
///
/// ```
/// use std::sync::Arc;
///
/// use anvil_memory::MemoryBackend;
/// use anvil_queue::{Coalescer, NewJob, QueueName};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let line = Coalescer::new(MemoryBackend::new(), QueueName::new("webhooks")?);
/// let job = NewJob::new(&b"{}"[..]);
/// let id = job.data().id();
/// assert_eq!(line.enqueue(job).await?.id(), id);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Coalescer {
    enqueues: Arc<Lane<Enqueues>>,
    settlements: Arc<Lane<Settlements>>,
}

impl Coalescer {
    /// A coalescer with the default [limits](CoalescerLimits).
    pub fn new(backend: impl QueueBackend, queue: QueueName) -> Self {
        Self::with_limits(backend, queue, CoalescerLimits::default())
    }

    /// A coalescer with these limits.
    pub fn with_limits(
        backend: impl QueueBackend,
        queue: QueueName,
        limits: CoalescerLimits,
    ) -> Self {
        let backend: Arc<dyn QueueBackend> = Arc::new(backend);
        Self {
            enqueues: Arc::new(Lane::new(
                Arc::clone(&backend),
                queue.clone(),
                limits.clone(),
            )),
            settlements: Arc::new(Lane::new(backend, queue, limits)),
        }
    }

    /// The queue all calls go to.
    #[must_use]
    pub fn queue(&self) -> &QueueName {
        &self.enqueues.queue
    }

    /// Stores one job; see [`QueueBackend::enqueue`].
    pub fn enqueue(&self, job: NewJob) -> EnqueueCall {
        EnqueueCall(Call::new(Arc::clone(&self.enqueues), job))
    }

    /// Settles one lease; see [`QueueBackend::settle`].
    pub fn settle(&self, lease: Lease, settlement: Settlement) -> SettleCall {
        SettleCall(Call::new(
            Arc::clone(&self.settlements),
            (lease, settlement),
        ))
    }
}

impl fmt::Debug for Coalescer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coalescer")
            .field("queue", self.queue())
            .finish_non_exhaustive()
    }
}

/// The future of [`Coalescer::enqueue`].
///
/// Nothing is sent before the first poll. Dropping it later loses only the answer; sending the
/// same [`NewJob`] again finds out whether it was stored.
#[must_use = "futures do nothing unless polled"]
pub struct EnqueueCall(Call<Enqueues>);

impl Future for EnqueueCall {
    type Output = Result<Enqueued, EnqueueError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map(|answer| match answer {
            Ok(Ok(enqueued)) => Ok(enqueued),
            Ok(Err(refusal)) => Err(EnqueueError::Refused(refusal)),
            Err(LaneError::Backend(error)) => Err(EnqueueError::Backend(error)),
            Err(LaneError::Overloaded) => Err(EnqueueError::Overloaded),
        })
    }
}

impl fmt::Debug for EnqueueCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnqueueCall").finish_non_exhaustive()
    }
}

/// The future of [`Coalescer::settle`].
///
/// Nothing is sent before the first poll. Dropping it later loses only the answer; the same
/// settlement may be sent again.
#[must_use = "futures do nothing unless polled"]
pub struct SettleCall(Call<Settlements>);

impl Future for SettleCall {
    type Output = Result<Settled, QueueError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map(|answer| {
            answer.map_err(|error| match error {
                LaneError::Backend(error) => error,
                LaneError::Overloaded => QueueError::new(
                    crate::QueueErrorKind::Unavailable,
                    "too many settlements are waiting in line",
                ),
            })
        })
    }
}

impl fmt::Debug for SettleCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SettleCall").finish_non_exhaustive()
    }
}

/// A job was not stored, or its answer was lost.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EnqueueError {
    /// The backend failed; unless the error's kind says otherwise, the job may have been stored.
    Backend(QueueError),
    /// Too many jobs are waiting to be sent. This one was not.
    Overloaded,
    /// The backend refused this job. Nothing was stored.
    Refused(Refusal),
}

impl fmt::Display for EnqueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Backend(_) => f.write_str("the queue backend failed"),
            Self::Overloaded => f.write_str("too many jobs are waiting to be stored"),
            Self::Refused(_) => f.write_str("the queue refused the job"),
        }
    }
}

impl std::error::Error for EnqueueError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Backend(error) => Some(error),
            Self::Refused(refusal) => Some(refusal),
            Self::Overloaded => None,
        }
    }
}

struct Enqueues;

impl Verb for Enqueues {
    type Item = NewJob;
    type Answer = Result<Enqueued, Refusal>;

    fn weight(job: &NewJob) -> usize {
        job.data().weight()
    }

    fn send(lane: Arc<Lane<Self>>, jobs: Vec<NewJob>) -> Sending<Self::Answer> {
        Box::pin(contained(async move {
            lane.backend.enqueue(&lane.queue, jobs).await
        }))
    }
}

struct Settlements;

impl Verb for Settlements {
    type Item = (Lease, Settlement);
    type Answer = Settled;

    fn weight(_: &Self::Item) -> usize {
        // A lease and at most one cut error text.
        256
    }

    fn send(lane: Arc<Lane<Self>>, outcomes: Vec<Self::Item>) -> Sending<Settled> {
        Box::pin(contained(async move {
            lane.backend.settle(&lane.queue, &outcomes).await
        }))
    }
}
