use async_trait::async_trait;

use crate::{
    Enqueued, Lease, NewJob, QueueBackend, QueueError, QueueErrorKind, QueueName, Refusal, Reserve,
    Reserved, Settled, Settlement,
};

/// The single-job forms of the verbs of [`QueueBackend`]. Implemented for every backend; there is
/// nothing to implement.
#[async_trait]
pub trait QueueBackendExt: QueueBackend {
    /// Stores one job; see [`QueueBackend::enqueue`].
    ///
    /// # Errors
    ///
    /// The outer error is the backend's, the inner one the refusal of this job.
    async fn enqueue_one(
        &self,
        queue: &QueueName,
        job: NewJob,
    ) -> Result<Result<Enqueued, Refusal>, QueueError> {
        only(self.enqueue(queue, vec![job]).await?)
    }

    /// Reserves one job, where one is ready; see [`QueueBackend::reserve`].
    ///
    /// # Errors
    ///
    /// [`QueueError`].
    async fn reserve_one(
        &self,
        queue: &QueueName,
        lease: std::time::Duration,
    ) -> Result<Option<Reserved>, QueueError> {
        Ok(self.reserve(queue, Reserve::new(1, lease)).await?.pop())
    }

    /// Settles one job and gives its lease up; see [`QueueBackend::settle`].
    ///
    /// # Errors
    ///
    /// [`QueueError`].
    async fn settle_one(
        &self,
        queue: &QueueName,
        lease: Lease,
        settlement: Settlement,
    ) -> Result<Settled, QueueError> {
        only(self.settle(queue, &[(lease, settlement)]).await?)
    }
}

impl<T: QueueBackend + ?Sized> QueueBackendExt for T {}

fn only<T>(mut answers: Vec<T>) -> Result<T, QueueError> {
    match (answers.pop(), answers.is_empty()) {
        (Some(answer), true) => Ok(answer),
        _ => Err(QueueError::new(
            QueueErrorKind::Internal,
            "the backend did not give one answer for one job",
        )),
    }
}
