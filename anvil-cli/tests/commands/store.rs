use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::{
    Cancelled, Control, DeadLetter, DeadLetters, DeadPage, DeadQuery, Enqueued, JobId, JobView,
    Lease, LeaseState, NewJob, PeekQuery, QueueBackend, QueueError, QueueErrorKind, QueueName,
    QueueStats, Refusal, ReplayOptions, Replayed, Reserve, Reserved, Settled, Settlement,
};
use async_trait::async_trait;

/// A store that answers some calls of people's verbs and can't be reached after that.
pub(crate) struct Failing {
    inner: Arc<MemoryBackend>,
    calls_left: AtomicUsize,
}

impl Failing {
    pub(crate) fn after(calls: usize, inner: &Arc<MemoryBackend>) -> Arc<Self> {
        Arc::new(Self {
            inner: Arc::clone(inner),
            calls_left: AtomicUsize::new(calls),
        })
    }

    fn call(&self) -> Result<&MemoryBackend, QueueError> {
        let one_less = |left: usize| left.checked_sub(1);
        let left = self
            .calls_left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
        match left {
            Ok(_) => Ok(&self.inner),
            Err(_) => {
                let error = QueueError::new(
                    QueueErrorKind::Unavailable,
                    "10.0.0.1:6379 can't be reached",
                );
                Err(error.with_source(std::io::Error::other("connection refused")))
            }
        }
    }
}

impl fmt::Debug for Failing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Failing")
    }
}

#[async_trait]
impl QueueBackend for Failing {
    async fn enqueue(
        &self,
        queue: &QueueName,
        jobs: Vec<NewJob>,
    ) -> Result<Vec<Result<Enqueued, Refusal>>, QueueError> {
        self.call()?.enqueue(queue, jobs).await
    }

    async fn reserve(
        &self,
        queue: &QueueName,
        request: Reserve,
    ) -> Result<Vec<Reserved>, QueueError> {
        self.call()?.reserve(queue, request).await
    }

    async fn wait(&self, queue: &QueueName, at_most: Duration) -> Result<(), QueueError> {
        self.call()?.wait(queue, at_most).await
    }

    async fn extend(
        &self,
        queue: &QueueName,
        leases: &[Lease],
        lease: Duration,
    ) -> Result<Vec<LeaseState>, QueueError> {
        self.call()?.extend(queue, leases, lease).await
    }

    async fn settle(
        &self,
        queue: &QueueName,
        outcomes: &[(Lease, Settlement)],
    ) -> Result<Vec<Settled>, QueueError> {
        self.call()?.settle(queue, outcomes).await
    }

    async fn stats(&self, queue: &QueueName) -> Result<QueueStats, QueueError> {
        self.call()?.stats(queue).await
    }
}

#[async_trait]
impl DeadLetters for Failing {
    async fn list_dead(&self, queue: &QueueName, query: DeadQuery) -> Result<DeadPage, QueueError> {
        self.call()?.list_dead(queue, query).await
    }

    async fn get_dead(
        &self,
        queue: &QueueName,
        id: JobId,
    ) -> Result<Option<DeadLetter>, QueueError> {
        self.call()?.get_dead(queue, id).await
    }

    async fn replay(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        options: ReplayOptions,
    ) -> Result<Vec<Replayed>, QueueError> {
        self.call()?.replay(queue, ids, options).await
    }

    async fn discard(&self, queue: &QueueName, ids: &[JobId]) -> Result<Vec<bool>, QueueError> {
        self.call()?.discard(queue, ids).await
    }
}

#[async_trait]
impl Control for Failing {
    async fn peek(&self, queue: &QueueName, query: PeekQuery) -> Result<Vec<JobView>, QueueError> {
        self.call()?.peek(queue, query).await
    }

    async fn get(&self, queue: &QueueName, id: JobId) -> Result<Option<JobView>, QueueError> {
        self.call()?.get(queue, id).await
    }

    async fn cancel(&self, queue: &QueueName, ids: &[JobId]) -> Result<Vec<Cancelled>, QueueError> {
        self.call()?.cancel(queue, ids).await
    }
}
