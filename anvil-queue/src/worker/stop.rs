//! The end of a run, in order.

use std::future::Future;
use std::time::Duration;

use futures_util::future::join;
use tokio::time::{Instant, timeout_at};

use super::engine::{Batch, Engine};
use super::report::Tally;
use super::signal::Signal;
use crate::{Handler, Lease, QueueBackend, QueueError, RetryPolicy, Settled, Settlement};

impl<H: Handler, P: RetryPolicy> Engine<H, P> {
    /// Hands back what has not started, what a reserve under way still takes included; lets runs
    /// finish, asks them to end, cuts them off.
    pub(super) async fn stop(&self, late: impl Future<Output = Result<Batch, QueueError>>) {
        let deadline = Instant::now() + self.settings.grace;
        let unstarted = self.pool.take_unstarted();
        let unstarted = unstarted.iter().map(|held| held.lease.clone()).collect();
        let late = async {
            if let Ok(batch) = late.await {
                self.release(
                    batch
                        .jobs
                        .into_iter()
                        .map(|reserved| reserved.lease)
                        .collect(),
                )
                .await;
            }
        };
        let handing_back = join(self.release(unstarted), late);
        // What is not handed back in time is left to expire.
        let _ = timeout_at(deadline, handing_back).await;
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

    async fn release(&self, unstarted: Vec<Lease>) {
        for batch in unstarted.chunks(RELEASE_BATCH) {
            let outcomes: Vec<_> = batch
                .iter()
                .map(|lease| (lease.clone(), Settlement::Release))
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
            if self.pool.room().held > 0 && timeout_at(deadline, changed).await.is_err() {
                return false;
            }
        }
        true
    }
}

/// A run that is dropped half-way cuts its handlers off, and their jobs are handed back.
pub(super) struct CutOffOnDrop<'a>(pub(super) &'a Signal);

impl Drop for CutOffOnDrop<'_> {
    fn drop(&mut self) {
        self.0.set();
    }
}

const LAST_SETTLEMENT: Duration = Duration::from_secs(1);
const RELEASE_BATCH: usize = 256;
