use std::time::Duration;

use anvil_queue::{
    DeadLetter, DeadLetters, DeadPage, DeadQuery, Enqueued, JobId, Lease, LeaseState, NewJob,
    QueueBackend, QueueError, QueueErrorKind, QueueName, QueueStats, Refusal, ReplayOptions,
    Replayed, Reserve, Reserved, Settled, Settlement,
};
use async_trait::async_trait;

/// A backend that never does what it is asked.
#[derive(Debug)]
pub(super) enum Broken {
    Failing,
    Silent,
}

impl Broken {
    async fn fail<T>(&self) -> Result<T, QueueError> {
        match self {
            Self::Failing => Err(QueueError::new(
                QueueErrorKind::Unavailable,
                "hidden: db-1.internal is down",
            )),
            Self::Silent => std::future::pending().await,
        }
    }
}

#[async_trait]
impl QueueBackend for Broken {
    async fn enqueue(
        &self,
        _: &QueueName,
        _: Vec<NewJob>,
    ) -> Result<Vec<Result<Enqueued, Refusal>>, QueueError> {
        self.fail().await
    }

    async fn reserve(&self, _: &QueueName, _: Reserve) -> Result<Vec<Reserved>, QueueError> {
        self.fail().await
    }

    async fn wait(&self, _: &QueueName, _: Duration) -> Result<(), QueueError> {
        self.fail().await
    }

    async fn extend(
        &self,
        _: &QueueName,
        _: &[Lease],
        _: Duration,
    ) -> Result<Vec<LeaseState>, QueueError> {
        self.fail().await
    }

    async fn settle(
        &self,
        _: &QueueName,
        _: &[(Lease, Settlement)],
    ) -> Result<Vec<Settled>, QueueError> {
        self.fail().await
    }

    async fn stats(&self, _: &QueueName) -> Result<QueueStats, QueueError> {
        self.fail().await
    }
}

#[async_trait]
impl DeadLetters for Broken {
    async fn list_dead(&self, _: &QueueName, _: DeadQuery) -> Result<DeadPage, QueueError> {
        self.fail().await
    }

    async fn get_dead(&self, _: &QueueName, _: JobId) -> Result<Option<DeadLetter>, QueueError> {
        self.fail().await
    }

    async fn replay(
        &self,
        _: &QueueName,
        _: &[JobId],
        _: ReplayOptions,
    ) -> Result<Vec<Replayed>, QueueError> {
        self.fail().await
    }

    async fn discard(&self, _: &QueueName, _: &[JobId]) -> Result<Vec<bool>, QueueError> {
        self.fail().await
    }
}
