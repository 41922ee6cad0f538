use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anvil_queue::{
    Cancelled, Control, DeadLetter, DeadLetters, DeadPage, DeadQuery, Enqueued, JobId, JobView,
    Lease, LeaseState, LeaseToken, NewJob, PeekQuery, QueueBackend, QueueError, QueueName,
    QueueStats, Refusal, ReplayOptions, Replayed, Reserve, Reserved, Settled, Settlement,
};
use async_trait::async_trait;
use tokio::time::Instant;

use crate::queue::Queue;
use crate::queues::Queues;
use crate::state::{Limits, State};

/// A queue backend that keeps everything in the memory of this process.
///
/// Holds any number of queues; a queue exists from its first use, and queues share nothing but the
/// settings. Share the backend as an `Arc`: the HTTP edge, workers and tests then see the same
/// jobs. Verbs never fail and never wait, except [`wait`](QueueBackend::wait).
///
/// Time is tokio's. Wall times, such as [`DeadLetter::died_at`], are the wall clock at construction
/// plus what has passed on tokio's clock since, so that a paused clock stays one clock.
///
/// `Debug` shows how many jobs are where, never what is in them.
///
/// ```
/// use std::time::Duration;
///
/// use anvil_memory::MemoryBackend;
/// use anvil_queue::{NewJob, QueueBackendExt, QueueName, Refusal};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let backend = MemoryBackend::new().capacity(1).dedupe_window(Duration::from_secs(60));
/// let queue = QueueName::new("webhooks")?;
/// backend.enqueue_one(&queue, NewJob::new("first")).await??;
/// let refused = backend.enqueue_one(&queue, NewJob::new("second")).await?;
/// assert_eq!(refused, Err(Refusal::Full));
/// # Ok(())
/// # }
/// ```
pub struct MemoryBackend {
    limits: Limits,
    clock: Clock,
    queues: Queues,
}

impl MemoryBackend {
    /// A backend without jobs, without limits and with a dedupe window of three days.
    #[must_use]
    pub fn new() -> Self {
        Self {
            limits: Limits::default(),
            clock: Clock::start(),
            queues: Queues::default(),
        }
    }

    /// Sets how many jobs each queue holds at most, wherever they are: ready, scheduled, leased or
    /// dead. Range: any; zero refuses everything. Default: no limit.
    ///
    /// A full queue refuses new jobs with [`Refusal::Full`] and goes on with every other verb, so
    /// workers drain it. Dead letters count, because they take the same memory: replay or discard
    /// them. Dedupe records (50 to 110 bytes for each key of the window) don't count.
    #[must_use]
    pub fn capacity(mut self, jobs: usize) -> Self {
        self.limits.capacity = jobs;
        self
    }

    /// Sets for how long a dedupe key stays claimed, counted from the moment its job was stored or
    /// last replayed. Range: any; it should exceed the time over which the sender retries, and
    /// zero turns deduplication by key off. Default: three days.
    #[must_use]
    pub fn dedupe_window(mut self, window: Duration) -> Self {
        self.limits.dedupe_window = window;
        self
    }

    /// Sets the largest job that is stored, by its [`weight`](anvil_queue::JobData::weight) in
    /// bytes; a larger one is refused with [`Refusal::TooLarge`]. Default: no limit, because the
    /// HTTP edge already limits bodies.
    #[must_use]
    pub fn max_job_bytes(mut self, bytes: usize) -> Self {
        self.limits.max_job_bytes = bytes;
        self
    }

    /// Does something with one queue.
    fn with<T>(&self, name: &QueueName, act: impl FnOnce(&Arc<Queue>) -> T) -> T {
        let new = || Queue::new(State::new(self.limits, self.clock.wall_start));
        self.queues.with(name, new, act)
    }

    /// Runs one verb on the state of one queue.
    fn run<T>(&self, name: &QueueName, verb: impl FnOnce(&mut State, Duration) -> T) -> T {
        self.with(name, |queue| {
            queue.run(|state| verb(state, self.clock.now()))
        })
    }
}

impl Default for MemoryBackend {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl QueueBackend for MemoryBackend {
    async fn enqueue(
        &self,
        queue: &QueueName,
        jobs: Vec<NewJob>,
    ) -> Result<Vec<Result<Enqueued, Refusal>>, QueueError> {
        Ok(self.run(queue, |state, now| {
            state.forget_expired_claims(2 * jobs.len(), now);
            jobs.into_iter()
                .map(|job| state.enqueue(job, now))
                .collect()
        }))
    }

    async fn reserve(
        &self,
        queue: &QueueName,
        request: Reserve,
    ) -> Result<Vec<Reserved>, QueueError> {
        let token = LeaseToken::generate();
        Ok(self.run(queue, |state, now| state.reserve(&request, token, now)))
    }

    async fn wait(&self, queue: &QueueName, at_most: Duration) -> Result<(), QueueError> {
        // A caller whose loop finds work it may not take must still let other tasks run.
        tokio::task::consume_budget().await;
        let queue = self.with(queue, Arc::clone);
        let mut woken = std::pin::pin!(queue.wake.notified());
        // From here on no wake-up is missed, whatever happens between the look and the wait.
        woken.as_mut().enable();
        let next = queue.state().next_work();
        let pause = match next {
            Some(at) => at.saturating_sub(self.clock.now()).min(at_most),
            None => at_most,
        };
        if !pause.is_zero() {
            // Either way it is time to look again.
            let _ = tokio::time::timeout(pause, woken).await;
        }
        Ok(())
    }

    async fn extend(
        &self,
        queue: &QueueName,
        leases: &[Lease],
        lease: Duration,
    ) -> Result<Vec<LeaseState>, QueueError> {
        Ok(self.run(queue, |state, now| {
            leases
                .iter()
                .map(|held| state.extend(held, lease, now))
                .collect()
        }))
    }

    async fn settle(
        &self,
        queue: &QueueName,
        outcomes: &[(Lease, Settlement)],
    ) -> Result<Vec<Settled>, QueueError> {
        Ok(self.run(queue, |state, now| {
            outcomes
                .iter()
                .map(|(lease, settlement)| state.settle(lease, settlement, now))
                .collect()
        }))
    }

    async fn stats(&self, queue: &QueueName) -> Result<QueueStats, QueueError> {
        Ok(self.run(queue, |state, now| state.stats(now)))
    }
}

#[async_trait]
impl DeadLetters for MemoryBackend {
    async fn list_dead(&self, queue: &QueueName, query: DeadQuery) -> Result<DeadPage, QueueError> {
        Ok(self.run(queue, |state, now| state.list_dead(&query, now)))
    }

    async fn get_dead(
        &self,
        queue: &QueueName,
        id: JobId,
    ) -> Result<Option<DeadLetter>, QueueError> {
        Ok(self.run(queue, |state, _| state.get_dead(id)))
    }

    async fn replay(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        options: ReplayOptions,
    ) -> Result<Vec<Replayed>, QueueError> {
        Ok(self.run(queue, |state, now| {
            ids.iter()
                .map(|id| state.replay(*id, options, now))
                .collect()
        }))
    }

    async fn discard(&self, queue: &QueueName, ids: &[JobId]) -> Result<Vec<bool>, QueueError> {
        Ok(self.run(queue, |state, _| {
            ids.iter().map(|id| state.discard(*id)).collect()
        }))
    }
}

#[async_trait]
impl Control for MemoryBackend {
    async fn peek(&self, queue: &QueueName, query: PeekQuery) -> Result<Vec<JobView>, QueueError> {
        Ok(self.run(queue, |state, now| state.peek(query, now)))
    }

    async fn get(&self, queue: &QueueName, id: JobId) -> Result<Option<JobView>, QueueError> {
        Ok(self.run(queue, |state, now| state.view(id, now)))
    }

    async fn cancel(&self, queue: &QueueName, ids: &[JobId]) -> Result<Vec<Cancelled>, QueueError> {
        Ok(self.run(queue, |state, _| {
            ids.iter().map(|id| state.cancel(*id)).collect()
        }))
    }
}

impl fmt::Debug for MemoryBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            limits,
            clock: _,
            queues,
        } = self;
        f.debug_struct("MemoryBackend")
            .field("limits", limits)
            .field("queues", queues)
            .finish()
    }
}

/// tokio's clock, counted from the moment the backend was made.
#[derive(Clone, Copy, Debug)]
struct Clock {
    start: Instant,
    wall_start: SystemTime,
}

impl Clock {
    fn start() -> Self {
        Self {
            start: Instant::now(),
            wall_start: SystemTime::now(),
        }
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}
