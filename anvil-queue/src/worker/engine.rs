//! The loop: find room, reserve, hand to runners.

use std::future::{Future, ready};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::time::{Instant, sleep};

use super::held::{Pool, Room};
use super::renewal::Renewal;
use super::report::{RunError, Tally, WorkerReport};
use super::settings::Settings;
use super::settling::{Outcome, Settling};
use super::signal::Signal;
use super::stop::CutOffOnDrop;
use crate::retry::Jitter;
use crate::{Handler, QueueBackend, QueueError, QueueName, Reserve, Reserved, RetryPolicy};

/// One run of a worker.
pub(super) struct Engine<H, P> {
    pub(super) backend: Arc<dyn QueueBackend>,
    pub(super) queue: QueueName,
    pub(super) handler: Arc<H>,
    pub(super) policy: Arc<P>,
    pub(super) settings: Settings,
    pub(super) settling: Settling,
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
            let room = match select(shutdown.as_mut(), pin!(self.room())).await {
                Either::Left(_) => break,
                Either::Right((room, _)) => room,
            };
            let waiting = match select(shutdown.as_mut(), pin!(self.reserve(room))).await {
                Either::Left(((), late)) => {
                    self.stop(late).await;
                    return Ok(self.tally.report());
                }
                Either::Right((Ok(batch), _)) => {
                    pause = FIRST_PAUSE;
                    if !batch.jobs.is_empty() {
                        self.take(batch);
                        continue;
                    }
                    Either::Left(self.wait())
                }
                Either::Right((Err(error), _)) => {
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
        self.stop(ready(Ok(Batch::none()))).await;
        Ok(self.tally.report())
    }

    /// Takes jobs until nothing is ready, scheduled or leased.
    pub(super) async fn run_until_idle(self: Arc<Self>) -> Result<WorkerReport, RunError> {
        let _cut_off = CutOffOnDrop(&self.cut_off);
        let mut failures = 0;
        loop {
            let room = self.room().await;
            let looked = match self.reserve(room).await {
                Ok(batch) if !batch.jobs.is_empty() => {
                    self.take(batch);
                    failures = 0;
                    continue;
                }
                Ok(_) if room.held > 0 => Ok(false),
                Ok(_) => self
                    .backend
                    .stats(&self.queue)
                    .await
                    .map(|stats| stats.open() == 0),
                Err(error) => Err(error),
            };
            match looked {
                Ok(true) => return Ok(self.tally.report()),
                Ok(false) => {
                    failures = 0;
                    self.wait().await;
                }
                Err(error) => {
                    failures += 1;
                    if failures >= MAX_FAILURES {
                        return Err(RunError::Backend(error));
                    }
                    sleep(FIRST_PAUSE * failures).await;
                }
            }
        }
    }

    /// Waits for a free slot and for the handler.
    async fn room(&self) -> Room {
        // Whoever is ready to run may be about to add to the work: one look for many jobs.
        tokio::task::yield_now().await;
        loop {
            let room = self.pool.room();
            if room.free > 0 {
                self.handler.ready().await;
                return room;
            }
            self.pool.changed.notified().await;
        }
    }

    async fn reserve(&self, room: Room) -> Result<Batch, QueueError> {
        let since = Instant::now();
        let request = Reserve::new(room.free, self.settings.lease)
            .crash_budget(self.settings.crash_budget)
            .reclaimed(room.suspects == 0)
            .worker(Arc::clone(&self.settings.label));
        let jobs = self.backend.reserve(&self.queue, request).await?;
        Ok(Batch { jobs, since })
    }

    fn take(self: &Arc<Self>, batch: Batch) {
        if self.pool.add(batch.jobs, batch.since) {
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
            let settlement = self.run_job(&held).await;
            guard.job = None;
            match settlement {
                Some(settlement) => self.settle(Outcome {
                    key,
                    held,
                    settlement,
                }),
                None => self.pool.release([key]),
            }
            turn = self.pool.next_turn();
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
}

/// What one reserve took, and when it was asked for: the leases run at least from then.
pub(super) struct Batch {
    pub(super) jobs: Vec<Reserved>,
    since: Instant,
}

impl Batch {
    fn none() -> Self {
        Self {
            jobs: Vec::new(),
            since: Instant::now(),
        }
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
const MAX_FAILURES: u32 = 20;
const SUSPECT_POLL: Duration = Duration::from_millis(100);
const WAIT: Duration = Duration::from_secs(10);
