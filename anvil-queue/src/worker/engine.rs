//! The loop: find room, reserve, hand to runners, stop in order.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::time::{Instant, sleep, timeout};

use super::held::{Held, Pool};
use super::renewal::Renewal;
use super::report::{RunError, Tally, WorkerReport};
use super::settings::Settings;
use super::signal::Signal;
use crate::retry::Jitter;
use crate::{
    Coalescer, Handler, Lease, QueueBackend, QueueError, QueueName, Reserve, Reserved, RetryPolicy,
    Settled, Settlement,
};

/// One run of a worker.
pub(super) struct Engine<H, P> {
    pub(super) backend: Arc<dyn QueueBackend>,
    pub(super) queue: QueueName,
    pub(super) handler: Arc<H>,
    pub(super) policy: Arc<P>,
    pub(super) settings: Settings,
    pub(super) line: Coalescer,
    pub(super) pool: Arc<Pool>,
    pub(super) tally: Tally,
    /// The grace is over; runs have been asked to end.
    pub(super) stopping: Signal,
    /// Runs are dropped at their next await point.
    pub(super) cut_off: Signal,
    pub(super) jitter: Jitter,
}

impl<H: Handler, P: RetryPolicy> Engine<H, P> {
    pub(super) fn renewal(&self) -> Renewal {
        Renewal {
            backend: Arc::clone(&self.backend),
            queue: self.queue.clone(),
            pool: Arc::clone(&self.pool),
            settings: self.settings.clone(),
        }
    }

    /// Takes jobs until `shutdown`, then stops in order.
    pub(super) async fn run(
        self: Arc<Self>,
        shutdown: impl Future<Output = ()>,
    ) -> Result<WorkerReport, RunError> {
        let _cut_off = CutOffOnDrop(&self.cut_off);
        let mut shutdown = pin!(shutdown);
        let mut pause = FIRST_PAUSE;
        loop {
            let step = pin!(self.step());
            let step = match select(shutdown.as_mut(), step).await {
                Either::Left(((), step)) => {
                    // What a reserve under way took is handed back with the rest.
                    let _ = timeout(self.settings.grace, step).await;
                    break;
                }
                Either::Right((step, _)) => step,
            };
            let waiting = match step {
                Ok(Step::Took) => {
                    pause = FIRST_PAUSE;
                    continue;
                }
                Ok(Step::Nothing { .. }) => {
                    pause = FIRST_PAUSE;
                    Either::Left(self.wait())
                }
                Err(error) => {
                    tracing::warn!(queue = %self.queue, %error, "reserving failed");
                    let spread = pause / 2 + self.jitter.up_to(pause / 2);
                    pause = (pause * 2).min(LAST_PAUSE);
                    Either::Right(sleep(spread))
                }
            };
            if let Either::Left(_) = select(shutdown.as_mut(), pin!(waiting)).await {
                break;
            }
        }
        self.stop().await;
        Ok(self.tally.report())
    }

    /// Takes jobs until nothing is ready, scheduled or leased.
    pub(super) async fn run_until_idle(self: Arc<Self>) -> Result<WorkerReport, RunError> {
        let _cut_off = CutOffOnDrop(&self.cut_off);
        let mut failures = 0;
        loop {
            let error = match self.step().await {
                Ok(Step::Took) => {
                    failures = 0;
                    continue;
                }
                Ok(Step::Nothing { held: 0 }) => match self.backend.stats(&self.queue).await {
                    Ok(stats) if stats.open() == 0 => return Ok(self.tally.report()),
                    Ok(_) => None,
                    Err(error) => Some(error),
                },
                Ok(Step::Nothing { .. }) => None,
                Err(error) => Some(error),
            };
            let Some(error) = error else {
                failures = 0;
                self.wait().await;
                continue;
            };
            failures += 1;
            if failures >= MAX_FAILURES {
                return Err(RunError::Backend(error));
            }
            sleep(FIRST_PAUSE * failures).await;
        }
    }

    /// Waits for room and for the handler, then reserves once.
    async fn step(self: &Arc<Self>) -> Result<Step, QueueError> {
        let mut room = self.pool.room();
        while room.free == 0 {
            self.pool.changed.notified().await;
            room = self.pool.room();
        }
        self.handler.ready().await;
        let since = Instant::now();
        let request = Reserve::new(room.free, self.settings.lease)
            .crash_budget(self.settings.crash_budget)
            .reclaimed(room.suspects == 0)
            .worker(Arc::clone(&self.settings.label));
        let reserved = self.backend.reserve(&self.queue, request).await?;
        if reserved.is_empty() {
            return Ok(Step::Nothing { held: room.held });
        }
        self.take(reserved, since);
        Ok(Step::Took)
    }

    fn take(self: &Arc<Self>, reserved: Vec<Reserved>, since: Instant) {
        if self.pool.add(reserved, since) {
            self.spawn_runner();
        }
    }

    fn spawn_runner(self: &Arc<Self>) {
        let engine = Arc::clone(self);
        tokio::spawn(engine.run_jobs());
    }

    /// One runner: job after job until none is left.
    async fn run_jobs(self: Arc<Self>) {
        let mut guard = RunnerGuard {
            pool: &self.pool,
            job: None,
            ended: false,
        };
        let mut turn = self.pool.first_turn();
        loop {
            if turn.spawn {
                self.spawn_runner();
            }
            let Some((key, held)) = turn.job else { break };
            guard.job = Some(key);
            self.run_job(&held).await;
            guard.job = None;
            turn = self.pool.next_turn(key);
            // Short jobs would otherwise keep the task from ever yielding.
            tokio::task::coop::consume_budget().await;
        }
        guard.ended = true;
    }

    /// Waits until there may be something to do.
    async fn wait(&self) {
        let changed = pin!(self.pool.changed.notified());
        let may_be_work = pin!(async {
            // The backend would answer at once for a reclaimed job that can't be taken yet.
            if self.pool.room().suspects > 0 {
                return sleep(SUSPECT_POLL).await;
            }
            if let Err(error) = self.backend.wait(&self.queue, WAIT).await {
                tracing::warn!(queue = %self.queue, %error, "waiting for work failed");
                sleep(FIRST_PAUSE).await;
            }
        });
        select(changed, may_be_work).await;
    }

    /// Hands back what has not started, lets runs finish, asks them to end, cuts them off.
    async fn stop(&self) {
        let deadline = Instant::now() + self.settings.grace;
        let _ = timeout(
            self.settings.grace,
            self.release(self.pool.take_unstarted()),
        )
        .await;
        if self.drained(deadline).await {
            return;
        }
        self.stopping.set();
        for held in self.pool.held() {
            held.cancelled.set();
        }
        if self
            .drained(Instant::now() + self.settings.cancel_grace)
            .await
        {
            return;
        }
        self.cut_off.set();
        self.drained(Instant::now() + LAST_SETTLEMENT).await;
        let left = self.pool.room().held as u64;
        if left > 0 {
            tracing::warn!(queue = %self.queue, left, "stopped with jobs still running");
            Tally::add(&self.tally.abandoned, left);
        }
    }

    async fn release(&self, unstarted: Vec<Arc<Held>>) {
        for batch in unstarted.chunks(RELEASE_BATCH) {
            let outcomes: Vec<(Lease, Settlement)> = batch
                .iter()
                .map(|held| (held.lease.clone(), Settlement::Release))
                .collect();
            match self.backend.settle(&self.queue, &outcomes).await {
                Ok(answers) => {
                    let applied = answers.iter().filter(|answer| **answer == Settled::Applied);
                    Tally::add(&self.tally.released, applied.count() as u64);
                }
                Err(error) => {
                    tracing::warn!(queue = %self.queue, %error, "unstarted jobs left to expire");
                    Tally::add(&self.tally.abandoned, outcomes.len() as u64);
                }
            }
        }
    }

    /// Whether nothing is held any more by the deadline.
    async fn drained(&self, deadline: Instant) -> bool {
        while self.pool.room().held > 0 {
            let changed = self.pool.changed.notified();
            if self.pool.room().held > 0
                && tokio::time::timeout_at(deadline, changed).await.is_err()
            {
                return false;
            }
        }
        true
    }
}

enum Step {
    Nothing {
        /// How many jobs were held when nothing was found.
        held: usize,
    },
    Took,
}

/// A run that is dropped half-way cuts its handlers off, and their jobs are handed back.
struct CutOffOnDrop<'a>(&'a Signal);

impl Drop for CutOffOnDrop<'_> {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// Keeps the count of runners right whatever happens to one.
struct RunnerGuard<'a> {
    pool: &'a Pool,
    job: Option<usize>,
    ended: bool,
}

impl Drop for RunnerGuard<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.pool.runner_died(self.job);
        }
    }
}

const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LAST_PAUSE: Duration = Duration::from_secs(5);
const LAST_SETTLEMENT: Duration = Duration::from_secs(1);
const MAX_FAILURES: u32 = 20;
const RELEASE_BATCH: usize = 256;
const SUSPECT_POLL: Duration = Duration::from_millis(100);
const WAIT: Duration = Duration::from_secs(2);
