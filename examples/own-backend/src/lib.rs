//! A queue backend of some 800 lines that keeps the whole contract.
//!
//! What a backend has to do is easier to see without what makes one fast; `docs/backend-guide.md`
//! walks through it.

use std::collections::HashMap;
use std::fmt;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use anvil_queue::{
    Cancelled, Control, DeadLetter, DeadLetters, DeadPage, DeadQuery, Enqueued, JobId, JobView,
    Lease, LeaseState, NewJob, PeekQuery, QueueBackend, QueueError, QueueName, QueueStats, Refusal,
    ReplayOptions, Replayed, Reserve, Reserved, Settled, Settlement,
};
use async_trait::async_trait;
use tokio::sync::Notify;
use tokio::time::Instant;

mod control;
mod dead;
mod enqueue;
mod queue;
mod reserve;
mod settle;
use queue::{Limits, Now, Queue};

/// Keeps everything in the memory of this process.
pub struct MapBackend {
    limits: Limits,
    started: Instant,
    started_wall: SystemTime,
    queues: Mutex<HashMap<QueueName, Queue>>,
    wake: Notify,
}

impl MapBackend {
    /// A backend whose queues hold `capacity` jobs, and whose dedupe keys stay claimed for
    /// `dedupe_window`.
    #[must_use]
    pub fn new(capacity: usize, dedupe_window: Duration) -> Self {
        Self {
            limits: Limits {
                capacity,
                dedupe_window,
            },
            started: Instant::now(),
            started_wall: SystemTime::now(),
            queues: Mutex::default(),
            wake: Notify::new(),
        }
    }

    /// Runs one verb on one queue as one step, then wakes those who wait for work.
    fn step<T>(&self, name: &QueueName, verb: impl FnOnce(&mut Queue, Now) -> T) -> T {
        let now = self.now();
        let mut queues = self.queues();
        let queue = queues
            .entry(name.clone())
            .or_insert_with(|| Queue::new(self.limits));
        let answer = verb(queue, now);
        drop(queues);
        self.wake.notify_waiters();
        answer
    }

    /// The one clock of this backend, as time since its start and as wall time.
    fn now(&self) -> Now {
        let elapsed = self.started.elapsed();
        Now {
            elapsed,
            wall: self.started_wall + elapsed,
        }
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<QueueName, Queue>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl QueueBackend for MapBackend {
    async fn enqueue(
        &self,
        queue: &QueueName,
        jobs: Vec<NewJob>,
    ) -> Result<Vec<Result<Enqueued, Refusal>>, QueueError> {
        Ok(self.step(queue, |queue, now| {
            jobs.into_iter()
                .map(|job| queue.enqueue(job, now))
                .collect()
        }))
    }

    async fn reserve(
        &self,
        queue: &QueueName,
        request: Reserve,
    ) -> Result<Vec<Reserved>, QueueError> {
        Ok(self.step(queue, |queue, now| queue.reserve(&request, now)))
    }

    async fn wait(&self, queue: &QueueName, at_most: Duration) -> Result<(), QueueError> {
        // A caller that finds only work it may not take calls again at once; let others run.
        tokio::task::yield_now().await;
        let mut woken = pin!(self.wake.notified());
        // From here on no wake-up is missed, whatever happens between the look and the wait.
        woken.as_mut().enable();
        let next = self.queues().get(queue).and_then(Queue::next_work);
        let pause = next.map_or(at_most, |at| at.saturating_sub(self.now().elapsed));
        if !pause.is_zero() {
            // Woken or timed out, the caller looks again.
            let _ = tokio::time::timeout(pause.min(at_most), woken).await;
        }
        Ok(())
    }

    async fn extend(
        &self,
        queue: &QueueName,
        leases: &[Lease],
        lease: Duration,
    ) -> Result<Vec<LeaseState>, QueueError> {
        Ok(self.step(queue, |queue, now| {
            leases
                .iter()
                .map(|held| queue.extend(held, lease, now))
                .collect()
        }))
    }

    async fn settle(
        &self,
        queue: &QueueName,
        outcomes: &[(Lease, Settlement)],
    ) -> Result<Vec<Settled>, QueueError> {
        Ok(self.step(queue, |queue, now| {
            outcomes
                .iter()
                .map(|(lease, settlement)| queue.settle(lease, settlement, now))
                .collect()
        }))
    }

    async fn stats(&self, queue: &QueueName) -> Result<QueueStats, QueueError> {
        Ok(self.step(queue, |queue, now| queue.stats(now)))
    }
}

#[async_trait]
impl DeadLetters for MapBackend {
    async fn list_dead(&self, queue: &QueueName, query: DeadQuery) -> Result<DeadPage, QueueError> {
        Ok(self.step(queue, |queue, now| queue.list_dead(&query, now)))
    }

    async fn get_dead(
        &self,
        queue: &QueueName,
        id: JobId,
    ) -> Result<Option<DeadLetter>, QueueError> {
        Ok(self.step(queue, |queue, _| queue.letter(id)))
    }

    async fn replay(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        options: ReplayOptions,
    ) -> Result<Vec<Replayed>, QueueError> {
        Ok(self.step(queue, |queue, now| {
            ids.iter()
                .map(|id| queue.replay(*id, options, now))
                .collect()
        }))
    }

    async fn discard(&self, queue: &QueueName, ids: &[JobId]) -> Result<Vec<bool>, QueueError> {
        Ok(self.step(queue, |queue, _| {
            ids.iter().map(|id| queue.discard(*id)).collect()
        }))
    }
}

#[async_trait]
impl Control for MapBackend {
    async fn peek(&self, queue: &QueueName, query: PeekQuery) -> Result<Vec<JobView>, QueueError> {
        Ok(self.step(queue, |queue, now| queue.peek(query, now)))
    }

    async fn get(&self, queue: &QueueName, id: JobId) -> Result<Option<JobView>, QueueError> {
        Ok(self.step(queue, |queue, now| queue.view(id, now)))
    }

    async fn cancel(&self, queue: &QueueName, ids: &[JobId]) -> Result<Vec<Cancelled>, QueueError> {
        Ok(self.step(queue, |queue, _| {
            ids.iter().map(|id| queue.cancel(*id)).collect()
        }))
    }
}

/// Shows how many jobs each queue holds and nothing of what is in them (G11).
impl fmt::Debug for MapBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queues = self.queues();
        let jobs = queues.iter().map(|(name, queue)| (name, queue.jobs.len()));
        f.debug_map().entries(jobs).finish()
    }
}
