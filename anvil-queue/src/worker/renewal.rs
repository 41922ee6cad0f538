//! Keeps the leases of everything the process holds.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::held::{Held, Pool};
use super::report::RunError;
use super::settings::Settings;
use super::signal::Signal;
use crate::{Lease, LeaseState, QueueBackend, QueueName};

/// What renewal needs to know, whatever the handler is.
#[derive(Clone, Debug)]
pub(super) struct Renewal {
    pub(super) backend: Arc<dyn QueueBackend>,
    pub(super) queue: QueueName,
    pub(super) pool: Arc<Pool>,
    pub(super) settings: Settings,
}

impl Renewal {
    /// Renews from a thread and runtime of its own until the guard is dropped, so that a handler
    /// that never yields can't cost a lease.
    pub(super) fn on_a_thread(self) -> Result<StopOnDrop, RunError> {
        let stop = Arc::new(Signal::default());
        let guard = StopOnDrop(Arc::clone(&stop));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(RunError::Thread)?;
        std::thread::Builder::new()
            .name("anvil-lease".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    let stopped = std::pin::pin!(stop.wait());
                    let renewing = std::pin::pin!(self.run());
                    futures_util::future::select(stopped, renewing).await;
                });
            })
            .map_err(RunError::Thread)?;
        Ok(guard)
    }

    /// Renews for ever.
    pub(super) async fn run(&self) {
        let heartbeat = self.settings.heartbeat();
        loop {
            sleep(heartbeat).await;
            self.beat(heartbeat).await;
        }
    }

    async fn beat(&self, at_most: Duration) {
        let now = Instant::now();
        let due: Vec<_> = self
            .pool
            .held()
            .into_iter()
            .filter(|held| self.is_due(held, now))
            .collect();
        for batch in due.chunks(BATCH) {
            let leases: Vec<Lease> = batch.iter().map(|held| held.lease.clone()).collect();
            let extending = self
                .backend
                .extend(&self.queue, &leases, self.settings.lease);
            match timeout(at_most, extending).await {
                Ok(Ok(states)) => {
                    for (held, state) in batch.iter().zip(states) {
                        apply(held, state, now);
                    }
                }
                Ok(Err(error)) => {
                    tracing::warn!(queue = %self.queue, %error, "leases were not renewed");
                }
                Err(_) => {
                    tracing::warn!(queue = %self.queue, "renewing leases got no answer in time");
                }
            }
        }
    }

    /// A run is renewed until its timeout; what waits to run, for as long as it waits.
    fn is_due(&self, held: &Held, now: Instant) -> bool {
        let expired = held
            .started
            .get()
            .is_some_and(|started| now.duration_since(*started) > self.settings.timeout);
        !expired && !held.lost.is_set()
    }
}

fn apply(held: &Held, state: LeaseState, now: Instant) {
    match state {
        LeaseState::Held => held.renewed_at(now),
        LeaseState::CancelRequested => {
            held.renewed_at(now);
            held.cancelled.set();
        }
        LeaseState::Lost => {
            tracing::warn!(job = %held.job.id(), "the lease was lost");
            held.lose();
        }
    }
}

/// Ends a renewal thread.
#[derive(Debug)]
pub(super) struct StopOnDrop(Arc<Signal>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

const BATCH: usize = 256;
