//! What finished runs have decided, on its way to the backend.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::{sleep, timeout};

use super::engine::Engine;
use super::held::Held;
use super::report::Tally;
use crate::coalescer::contained;
use crate::{Handler, QueueError, QueueErrorKind, RetryPolicy, Settled, Settlement};

/// A job whose run is over, and what is to become of it.
#[derive(Clone)]
pub(super) struct Outcome {
    /// The job's key in the pool.
    pub(super) key: usize,
    pub(super) held: Arc<Held>,
    pub(super) settlement: Settlement,
}

/// The line of outcomes. Runs don't wait for their settlement: the next job starts while this one
/// is settled, so short jobs are settled many at a time.
#[derive(Default)]
pub(super) struct Settling(Mutex<Line>);

#[derive(Default)]
struct Line {
    waiting: Vec<Outcome>,
    /// Somebody is at it, and will come for what is added meanwhile.
    draining: bool,
}

impl Settling {
    /// Adds an outcome; true where nobody is at it.
    fn add(&self, outcome: Outcome) -> bool {
        let mut line = self.line();
        line.waiting.push(outcome);
        !std::mem::replace(&mut line.draining, true)
    }

    /// The next batch; none ends the draining.
    fn next(&self) -> Option<Vec<Outcome>> {
        let mut line = self.line();
        if line.waiting.is_empty() {
            line.draining = false;
            return None;
        }
        if line.waiting.len() <= BATCH {
            return Some(std::mem::take(&mut line.waiting));
        }
        let later = line.waiting.split_off(BATCH);
        Some(std::mem::replace(&mut line.waiting, later))
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<H: Handler, P: RetryPolicy> Engine<H, P> {
    /// Settles an outcome: at once where the backend answers at once, else from a task.
    pub(super) fn settle(self: &Arc<Self>, outcome: Outcome) {
        if self.settling.add(outcome) {
            let mut draining = Box::pin(Arc::clone(self).drain());
            if draining.as_mut().now_or_never().is_none() {
                tokio::spawn(draining);
            }
        }
    }

    async fn drain(self: Arc<Self>) {
        while let Some(batch) = self.settling.next() {
            self.settle_batch(batch).await;
        }
    }

    /// Settles until each settlement holds, its lease is known to be lost, or the worker must stop.
    /// The leases are renewed meanwhile, so an outage of the backend costs nothing but time.
    async fn settle_batch(&self, mut batch: Vec<Outcome>) {
        let mut pause = FIRST_PAUSE;
        loop {
            let error = match self.try_settle(&batch).await {
                Ok(answers) => return self.finish(&batch, &answers),
                Err(error) => error,
            };
            if error.kind() == QueueErrorKind::Rejected && batch.len() > 1 {
                // One bad settlement must not fail its neighbours.
                for outcome in batch {
                    Box::pin(self.settle_batch(vec![outcome])).await;
                }
                return;
            }
            if error.kind() == QueueErrorKind::Rejected {
                // It will never be taken, and those behind it must not wait: the lease runs out.
                tracing::error!(queue = %self.queue, %error, "a settlement was rejected");
                Tally::add(&self.tally.abandoned, batch.len() as u64);
                return self.let_go(&batch);
            }
            tracing::warn!(queue = %self.queue, jobs = batch.len(), %error, "settlements were not stored");
            let (lost, kept): (Vec<_>, _) = batch
                .into_iter()
                .partition(|outcome| outcome.held.lost.is_set());
            self.finish(&lost, &vec![Settled::LeaseLost; lost.len()]);
            if kept.is_empty() {
                return;
            }
            if self.cut_off.is_set() {
                Tally::add(&self.tally.abandoned, kept.len() as u64);
                return self.let_go(&kept);
            }
            sleep(pause).await;
            pause = (pause * 2).min(LAST_PAUSE);
            batch = kept;
        }
    }

    async fn try_settle(&self, batch: &[Outcome]) -> Result<Vec<Settled>, QueueError> {
        let outcomes: Vec<_> = batch
            .iter()
            .map(|outcome| (outcome.held.lease.clone(), outcome.settlement.clone()))
            .collect();
        let settling = contained(self.backend.settle(&self.queue, &outcomes));
        let answers = timeout(TIMEOUT, settling).await.unwrap_or_else(|_| {
            let what = "the queue backend did not answer a settlement within 30 s";
            Err(QueueError::new(QueueErrorKind::Timeout, what))
        })?;
        if answers.len() == batch.len() {
            return Ok(answers);
        }
        Err(QueueError::new(
            QueueErrorKind::Internal,
            format!(
                "the queue backend gave {} answers to {} settlements",
                answers.len(),
                batch.len()
            ),
        ))
    }

    fn finish(&self, batch: &[Outcome], answers: &[Settled]) {
        for (outcome, answer) in batch.iter().zip(answers) {
            match answer {
                Settled::Applied => self.count(&outcome.settlement),
                Settled::LeaseLost => {
                    let job = outcome.held.job.id();
                    tracing::warn!(%job, "a settlement came too late: the lease was lost");
                    Tally::add(&self.tally.leases_lost, 1);
                }
            }
        }
        self.let_go(batch);
    }

    fn let_go(&self, batch: &[Outcome]) {
        self.pool.release(batch.iter().map(|outcome| outcome.key));
    }

    fn count(&self, settlement: &Settlement) {
        let counter = match settlement {
            Settlement::Bury { .. } => &self.tally.buried,
            Settlement::Complete => &self.tally.completed,
            Settlement::Release => &self.tally.released,
            Settlement::Retry { .. } => &self.tally.retried,
            Settlement::Snooze { .. } => &self.tally.snoozed,
        };
        Tally::add(counter, 1);
    }
}

const BATCH: usize = 256;
/// A backend that hangs must not hold up the line for ever.
const TIMEOUT: Duration = Duration::from_secs(30);
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LAST_PAUSE: Duration = Duration::from_secs(2);
