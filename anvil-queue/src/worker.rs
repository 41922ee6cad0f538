//! Takes jobs from a queue and runs them.

use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};

use crate::retry::Jitter;
use crate::{Handler, QueueBackend, QueueName, RetryPolicy, Schedule};

mod engine;
mod held;
mod job_task;
mod renewal;
mod report;
mod settings;
mod settling;
mod signal;
mod stop;
use engine::Engine;
pub(crate) use held::Held;
use held::Pool;
use report::Tally;
pub use report::{RunError, WorkerReport};
pub use settings::InvalidWorker;
use settings::Settings;
use settling::Settling;
use signal::Signal;

/// Takes jobs from one queue and runs them with one [`Handler`].
///
/// # Guarantees
///
/// * At most `concurrency` runs at a time; at most `prefetch` more jobs are held unstarted. Leases
///   of everything held are renewed three times in their length.
/// * A panic, an error or a timeout is a failure of that job alone. What becomes of the job is the
///   [`RetryPolicy`]'s decision; the backend holds the delay.
/// * The worker outlives outages of the backend: it backs off, up to 5 s, and goes on.
/// * It holds a `dyn QueueBackend` and can't name the verbs of
///   [`DeadLetters`](crate::DeadLetters): what is dead stays dead.
/// * A job that has a reclaim behind it, and may be what killed its worker, runs while no other
///   such job does, so it takes no other job to the dead letters.
///
/// Not guaranteed: that a job runs once. A crash, or an outage longer than the lease, runs it again.
///
/// ```
/// use std::sync::Arc;
///
/// use anvil_memory::MemoryBackend;
/// use anvil_queue::{NewJob, QueueBackendExt, QueueName, Worker, handler_fn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let backend = Arc::new(MemoryBackend::new());
/// let queue = QueueName::new("webhooks")?;
/// backend.enqueue_one(&queue, NewJob::new(&b"{}"[..])).await??;
///
/// let worker = Worker::new(backend, queue, handler_fn(|_job, _context| async { Ok(()) }))
///     .concurrency(20)
///     .build()?;
/// let report = worker.run_until_idle().await?;
/// assert_eq!(report.completed, 1);
/// # Ok(())
/// # }
/// ```
pub struct Worker<H, P = Schedule> {
    backend: Arc<dyn QueueBackend>,
    queue: QueueName,
    handler: Arc<H>,
    policy: Arc<P>,
    settings: Settings,
}

impl<H> Worker<H> {
    /// Starts to build a worker of `queue` with the default settings and [`Schedule`].
    #[expect(
        clippy::new_ret_no_self,
        reason = "a worker is checked before it exists"
    )]
    pub fn new(backend: impl QueueBackend, queue: QueueName, handler: H) -> WorkerBuilder<H> {
        WorkerBuilder {
            backend: Arc::new(backend),
            queue,
            handler,
            policy: Schedule::default(),
            settings: Settings::default(),
        }
    }
}

impl<H: Handler, P: RetryPolicy> Worker<H, P> {
    /// Takes and runs jobs until `shutdown` resolves, then stops in order: no more reserving; what
    /// has not started is released; runs have the `grace` to finish; then they are asked to end
    /// and have the `cancel_grace`; then they are dropped at their next await point and their jobs
    /// are released. What is left then never yielded; its lease runs out. No attempt is spent.
    ///
    /// Leases are renewed from a thread of their own, so a handler that blocks its thread does not
    /// lose its lease. That thread keeps real time: with a paused clock use
    /// [`run_until_idle`](Self::run_until_idle).
    ///
    /// # Errors
    ///
    /// [`RunError::Thread`] where that thread can't be started.
    ///
    /// # Cancellation
    ///
    /// Dropping the future cuts off its runs at their next await point and releases their jobs.
    pub async fn run(&self, shutdown: impl Future<Output = ()>) -> Result<WorkerReport, RunError> {
        let engine = self.engine();
        let _renewing = engine.renewal().on_a_thread()?;
        engine.run(shutdown).await
    }

    /// Takes and runs jobs until nothing is ready, scheduled or leased; for tests and one-off
    /// drains.
    ///
    /// Waits out every delay, which takes no time on a paused clock. Leases are renewed on the
    /// caller's runtime, so a paused clock stays one clock.
    ///
    /// # Errors
    ///
    /// [`RunError::Backend`] after twenty failures of the backend in a row.
    ///
    /// # Cancellation
    ///
    /// As for [`run`](Self::run).
    pub async fn run_until_idle(&self) -> Result<WorkerReport, RunError> {
        let engine = self.engine();
        let renewal = engine.renewal();
        let renewing = pin!(renewal.run());
        match select(pin!(engine.run_until_idle()), renewing).await {
            Either::Left((report, _)) => report,
            Either::Right(((), idle)) => idle.await,
        }
    }

    fn engine(&self) -> Arc<Engine<H, P>> {
        let Self {
            backend,
            queue,
            handler,
            policy,
            settings,
        } = self;
        Arc::new(Engine {
            settling: Settling::default(),
            backend: Arc::clone(backend),
            queue: queue.clone(),
            handler: Arc::clone(handler),
            policy: Arc::clone(policy),
            pool: Arc::new(Pool::new(settings.concurrency, settings.prefetch)),
            settings: settings.clone(),
            tally: Tally::default(),
            stopping: Signal::default(),
            cut_off: Signal::default(),
            jitter: Jitter::from_os(),
        })
    }
}

impl<H, P> fmt::Debug for Worker<H, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker")
            .field("queue", &self.queue)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// Builds a [`Worker`].
#[must_use = "a worker runs nothing until it is built and run"]
pub struct WorkerBuilder<H, P = Schedule> {
    backend: Arc<dyn QueueBackend>,
    queue: QueueName,
    handler: H,
    policy: P,
    settings: Settings,
}

impl<H, P> WorkerBuilder<H, P> {
    /// Sets how many jobs run at a time. Range: 1 to 65,536. Default: 16.
    pub fn concurrency(mut self, jobs: usize) -> Self {
        self.settings.concurrency = jobs;
        self
    }

    /// Sets how many jobs are reserved ahead of the runs. Range: 0 to 65,536. Default: 0.
    ///
    /// More saves round trips where jobs are short; fewer leaves jobs to other workers where they
    /// are long.
    pub fn prefetch(mut self, jobs: usize) -> Self {
        self.settings.prefetch = jobs;
        self
    }

    /// Sets how long a job stays this worker's without being renewed, and so how long a crash
    /// holds it up. Range: 100 ms to a year. Default: 30 s.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.settings.lease = lease;
        self
    }

    /// Sets how long a run may take; then it is dropped, counts as failed and its lease is no
    /// longer renewed. Range: above zero to a year. Default: 10 min.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Sets how many times a job's lease may run out before the job is dead as poison. Default: 3.
    pub fn crash_budget(mut self, reclaims: u32) -> Self {
        self.settings.crash_budget = reclaims;
        self
    }

    /// Sets how long runs may finish undisturbed once the worker stops. Default: 20 s.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.settings.grace = grace;
        self
    }

    /// Sets how long runs may finish once they were asked to end. Default: 5 s.
    pub fn cancel_grace(mut self, grace: Duration) -> Self {
        self.settings.cancel_grace = grace;
        self
    }

    /// Sets the name that records carry; it identifies nothing. Default: `pid-` and the process
    /// id.
    pub fn label(mut self, label: impl Into<Arc<str>>) -> Self {
        self.settings.label = label.into();
        self
    }

    /// Sets what decides about failed runs. Default: [`Schedule::default`].
    pub fn retry_policy<Q>(self, policy: Q) -> WorkerBuilder<H, Q> {
        let Self {
            backend,
            queue,
            handler,
            policy: _,
            settings,
        } = self;
        WorkerBuilder {
            backend,
            queue,
            handler,
            policy,
            settings,
        }
    }

    /// Checks the settings and makes the worker.
    ///
    /// # Errors
    ///
    /// [`InvalidWorker`] says which setting to change.
    pub fn build(self) -> Result<Worker<H, P>, InvalidWorker>
    where
        H: Handler,
        P: RetryPolicy,
    {
        self.settings.check()?;
        let Self {
            backend,
            queue,
            handler,
            policy,
            settings,
        } = self;
        let (handler, policy) = (Arc::new(handler), Arc::new(policy));
        Ok(Worker {
            backend,
            queue,
            handler,
            policy,
            settings,
        })
    }
}

impl<H, P> fmt::Debug for WorkerBuilder<H, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerBuilder")
            .field("queue", &self.queue)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
