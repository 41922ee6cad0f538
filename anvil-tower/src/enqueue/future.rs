use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use anvil_queue::{
    DeadLetters, EnqueueCall, EnqueueError, Enqueued, JobId, QueueError, QueueName, Refusal,
    ReplayOptions,
};
use http::Response;
use pin_project_lite::pin_project;
use tokio::time::{Sleep, sleep};

use super::answer::{accepted, too_large, try_again};
use super::service::Config;
use super::{Answer, ResponseBody};

pin_project! {
    /// The future of [`EnqueueService`](super::EnqueueService).
    ///
    /// Dropping it after its first poll loses the answer only: the job may be stored.
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<A> {
        step: Step,
        #[pin]
        deadline: Option<Sleep>,
        config: Arc<Config<A>>,
    }
}

enum Step {
    Replaying { replay: Replay, id: JobId },
    Storing { call: EnqueueCall },
}

type Replay = Pin<Box<dyn Future<Output = Result<(), QueueError>> + Send>>;

impl<A> ResponseFuture<A> {
    pub(super) fn new(call: EnqueueCall, config: Arc<Config<A>>) -> Self {
        Self {
            step: Step::Storing { call },
            deadline: None,
            config,
        }
    }
}

impl<A: Answer> Future for ResponseFuture<A> {
    type Output = Result<Response<ResponseBody>, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let Config {
            coalescer,
            timeout,
            dead_letters,
            answer,
            ..
        } = &**this.config;
        let queue = coalescer.queue();
        loop {
            let done = match this.step {
                Step::Replaying { replay, id } => {
                    replay.as_mut().poll(cx).map(|replayed| match replayed {
                        Ok(()) => Outcome::Stored(Enqueued::Duplicate(*id)),
                        Err(error) => Outcome::Failed(EnqueueError::Backend(error)),
                    })
                }
                Step::Storing { call } => Pin::new(call).poll(cx).map(|stored| match stored {
                    Ok(Enqueued::DuplicateOfDead(id)) => Outcome::Dead(id),
                    Ok(enqueued) => Outcome::Stored(enqueued),
                    Err(error) => Outcome::Failed(error),
                }),
            };
            let response = match done {
                Poll::Ready(Outcome::Dead(id)) => match dead_letters {
                    Some(dead_letters) => {
                        let replay = replay(Arc::clone(dead_letters), queue.clone(), id);
                        *this.step = Step::Replaying {
                            replay: Box::pin(replay),
                            id,
                        };
                        continue;
                    }
                    None => {
                        tracing::warn!(%queue, job = %id, "a delivery came again whose job is dead");
                        accepted(answer, &Enqueued::DuplicateOfDead(id))
                    }
                },
                Poll::Ready(Outcome::Failed(error)) => refused(&error, queue),
                Poll::Ready(Outcome::Stored(enqueued)) => accepted(answer, &enqueued),
                Poll::Pending => {
                    // The first poll usually stores the job; only then is no timer needed.
                    if this.deadline.is_none() {
                        this.deadline.set(Some(sleep(*timeout)));
                    }
                    if let Some(deadline) = this.deadline.as_mut().as_pin_mut() {
                        ready!(deadline.poll(cx));
                    }
                    tracing::warn!(%queue, "storing a delivery took too long");
                    try_again()
                }
            };
            return Poll::Ready(Ok(response));
        }
    }
}

enum Outcome {
    Dead(JobId),
    Failed(EnqueueError),
    Stored(Enqueued),
}

/// A job that is no longer dead, or whose key belongs to a newer job by now, needs no replay.
async fn replay(
    dead_letters: Arc<dyn DeadLetters>,
    queue: QueueName,
    id: JobId,
) -> Result<(), QueueError> {
    dead_letters
        .replay(&queue, &[id], ReplayOptions::default())
        .await?;
    tracing::info!(%queue, job = %id, "a delivery came again and its dead job was replayed");
    Ok(())
}

fn refused(error: &EnqueueError, queue: &QueueName) -> Response<ResponseBody> {
    if let EnqueueError::Refused(Refusal::TooLarge { limit }) = error {
        tracing::warn!(%queue, limit, "a delivery is larger than the backend takes");
        return too_large();
    }
    let cause = std::error::Error::source(error).map(tracing::field::display);
    tracing::warn!(%queue, %error, cause, "a delivery could not be stored");
    try_again()
}

impl<A> fmt::Debug for ResponseFuture<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture")
            .field("queue", self.config.coalescer.queue())
            .finish_non_exhaustive()
    }
}
