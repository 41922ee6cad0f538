use std::time::Duration;

use anvil_queue::{
    Enqueued, Lease, LeaseState, NewJob, QueueBackend, QueueError, QueueName, QueueStats, Refusal,
    Reserve, Reserved, Settled, Settlement,
};
use async_trait::async_trait;
use tokio::time::Instant;

/// Logs each call of the backend it wraps: the verb, how many jobs went in or came out, and how
/// long it took.
#[derive(Debug)]
pub(crate) struct Logged<B>(B);

impl<B> Logged<B> {
    pub(crate) fn new(backend: B) -> Self {
        Self(backend)
    }
}

#[async_trait]
impl<B: QueueBackend> QueueBackend for Logged<B> {
    async fn enqueue(
        &self,
        queue: &QueueName,
        jobs: Vec<NewJob>,
    ) -> Result<Vec<Result<Enqueued, Refusal>>, QueueError> {
        let jobs_in = jobs.len();
        log("enqueue", |_| jobs_in, self.0.enqueue(queue, jobs)).await
    }

    async fn reserve(
        &self,
        queue: &QueueName,
        request: Reserve,
    ) -> Result<Vec<Reserved>, QueueError> {
        log("reserve", Vec::len, self.0.reserve(queue, request)).await
    }

    async fn wait(&self, queue: &QueueName, at_most: Duration) -> Result<(), QueueError> {
        // Waiting is what it is for; how long it took says nothing.
        self.0.wait(queue, at_most).await
    }

    async fn extend(
        &self,
        queue: &QueueName,
        leases: &[Lease],
        lease: Duration,
    ) -> Result<Vec<LeaseState>, QueueError> {
        log("extend", Vec::len, self.0.extend(queue, leases, lease)).await
    }

    async fn settle(
        &self,
        queue: &QueueName,
        outcomes: &[(Lease, Settlement)],
    ) -> Result<Vec<Settled>, QueueError> {
        log("settle", Vec::len, self.0.settle(queue, outcomes)).await
    }

    async fn stats(&self, queue: &QueueName) -> Result<QueueStats, QueueError> {
        log("stats", |_| 0, self.0.stats(queue)).await
    }
}

async fn log<T>(
    verb: &'static str,
    jobs: impl FnOnce(&T) -> usize,
    call: impl Future<Output = Result<T, QueueError>>,
) -> Result<T, QueueError> {
    let start = Instant::now();
    let answer = call.await;
    let took = start.elapsed();
    match &answer {
        Ok(answer) => tracing::info!(verb, jobs = jobs(answer), ?took, "called the backend"),
        Err(error) => tracing::warn!(verb, ?took, %error, "the backend failed"),
    }
    answer
}
