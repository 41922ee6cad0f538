use std::error::Error;
use std::fmt;
use std::future::Future;
use std::iter;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::request::Parts;
use http::{Request, Response};
use http_body::Body;
use http_body_util::LengthLimitError;
use pin_project_lite::pin_project;
use tokio::time::{Sleep, sleep};
use tower_service::Service;

use super::buffer::Buffer;
use super::layer::Config;
use super::response::refuse;
use super::{ResponseForRejection, VerifiedBody};
use crate::rejection::{BODY_FAILED, BODY_TIMEOUT, BODY_TOO_LARGE};
use crate::{Check, Rejection, RejectionKind, Scheme, Verified};

pin_project! {
    /// The future of [`Verify`](super::Verify): reads and checks the body, then waits for the
    /// inner service.
    ///
    /// Dropping it drops what was read; nothing has reached the inner service before the whole body
    /// was checked.
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<I, S, R, B>
    where
        I: Service<Request<VerifiedBody>>,
    {
        #[pin]
        state: State<I, B, I::Future>,
        config: Arc<Config<S, R>>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<I, B, F> {
        Calling { #[pin] future: F },
        Reading {
            #[pin] body: B,
            #[pin] deadline: Option<Sleep>,
            reading: Option<Reading<I>>,
        },
        Refused { rejection: Rejection },
    }
}

/// What is put aside while the body comes in.
pub(super) struct Reading<I> {
    pub(super) head: Parts,
    pub(super) buffer: Buffer,
    pub(super) check: Check,
    /// The service that was polled ready.
    pub(super) inner: I,
}

impl<I, S, R, B> ResponseFuture<I, S, R, B>
where
    I: Service<Request<VerifiedBody>>,
{
    pub(super) fn reading(body: B, reading: Reading<I>, config: Arc<Config<S, R>>) -> Self {
        let state = State::Reading {
            body,
            deadline: None,
            reading: Some(reading),
        };
        Self { state, config }
    }

    pub(super) fn refused(rejection: Rejection, config: Arc<Config<S, R>>) -> Self {
        Self {
            state: State::Refused { rejection },
            config,
        }
    }
}

impl<I, S, R, B, ResBody> Future for ResponseFuture<I, S, R, B>
where
    I: Service<Request<VerifiedBody>, Response = Response<ResBody>>,
    S: Scheme,
    R: ResponseForRejection<ResBody>,
    B: Body,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Output = Result<Response<ResBody>, I::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let next = match this.state.as_mut().project() {
                StateProj::Calling { future } => return future.poll(cx),
                StateProj::Reading {
                    body,
                    deadline,
                    reading,
                } => {
                    let read = match reading {
                        Some(reading) => reading.poll_body(body, cx),
                        None => Poll::Ready(Err(BODY_FAILED)),
                    };
                    let read = match read {
                        Poll::Ready(read) => read,
                        Poll::Pending => Err(ready!(poll_deadline(
                            deadline,
                            this.config.read_timeout,
                            cx
                        ))),
                    };
                    match reading
                        .take()
                        .ok_or(BODY_FAILED)
                        .and_then(|reading| reading.decide(read, this.config))
                    {
                        Ok(future) => State::Calling { future },
                        Err(rejection) => State::Refused { rejection },
                    }
                }
                StateProj::Refused { rejection } => {
                    return Poll::Ready(Ok(refuse(&this.config.respond, *rejection)));
                }
            };
            this.state.set(next);
        }
    }
}

impl<I> Reading<I> {
    /// Reads until the body says that there is no more.
    fn poll_body<B>(
        &mut self,
        mut body: Pin<&mut B>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), Rejection>>
    where
        B: Body,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let Self { buffer, check, .. } = self;
        for _ in 0..FRAMES_PER_POLL {
            match ready!(body.as_mut().poll_frame(cx)) {
                Some(Ok(frame)) => {
                    // Whatever is not data is a trailer, and nobody has signed it.
                    if let Ok(data) = frame.into_data() {
                        buffer.push(data, |chunk| check.update(chunk))?;
                    }
                }
                Some(Err(error)) => return Poll::Ready(Err(body_error(&*error.into()))),
                None => return Poll::Ready(Ok(())),
            }
        }
        // A body that is never short of a frame, perhaps of empty ones, must not keep the thread,
        // nor escape its deadline.
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn decide<F, S, R>(
        self,
        read: Result<(), Rejection>,
        config: &Config<S, R>,
    ) -> Result<F, Rejection>
    where
        I: Service<Request<VerifiedBody>, Future = F>,
        S: Scheme,
    {
        let Self {
            mut head,
            buffer,
            check,
            mut inner,
        } = self;
        let scheme = &config.scheme;
        match read.and_then(|()| check.finish()) {
            Ok(proof) => {
                let bytes = buffer.finish();
                let identity = scheme.identify(&head, &bytes);
                let verified = Verified::new(Arc::clone(&config.source), scheme, &proof, identity);
                head.extensions.insert(verified.clone());
                let body = VerifiedBody::new(bytes, verified);
                Ok(inner.call(Request::from_parts(head, body)))
            }
            Err(rejection) => {
                report(&rejection, &config.source, scheme.name());
                Err(rejection)
            }
        }
    }
}

/// The deadline runs from the first time the body had to be waited for, so that a body that is
/// already there needs no timer.
fn poll_deadline(
    mut deadline: Pin<&mut Option<Sleep>>,
    read_timeout: Duration,
    cx: &mut Context<'_>,
) -> Poll<Rejection> {
    if deadline.is_none() {
        deadline.set(Some(sleep(read_timeout)));
    }
    match deadline.as_pin_mut() {
        Some(deadline) => deadline.poll(cx).map(|()| BODY_TIMEOUT),
        None => Poll::Pending,
    }
}

/// A limit that somebody put outside of ours is told from a broken connection.
fn body_error(error: &(dyn Error + 'static)) -> Rejection {
    let mut causes = iter::successors(Some(error), |&error| error.source());
    if causes.any(|cause| cause.is::<LengthLimitError>()) {
        BODY_TOO_LARGE
    } else {
        tracing::debug!(%error, "the body could not be read");
        BODY_FAILED
    }
}

/// Says in the log that a delivery was refused, and nothing of what it contained.
pub(super) fn report(rejection: &Rejection, source: &str, scheme: &str) {
    let cause = rejection.cause();
    match rejection.kind() {
        // Whoever gets this far speaks the sender's format: a wrong secret, a wrong clock or a
        // forger.
        RejectionKind::Future | RejectionKind::Mismatch | RejectionKind::Stale => {
            tracing::warn!(source, scheme, cause, "delivery refused");
        }
        _ => tracing::debug!(source, scheme, cause, "delivery refused"),
    }
}

impl<I, S, R, B> fmt::Debug for ResponseFuture<I, S, R, B>
where
    I: Service<Request<VerifiedBody>>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}

/// How many frames are taken before other tasks get their turn.
const FRAMES_PER_POLL: usize = 128;
