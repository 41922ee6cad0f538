use std::error::Error;
use std::fmt;
use std::future::Future;
use std::iter;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
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
use crate::handshake::{Handshakes, HandshakesWith};
use crate::rejection::{BODY_FAILED, BODY_TIMEOUT, BODY_TOO_LARGE, KEY_UNAVAILABLE};
use crate::scheme::{Decision, PendingDecision, Proof};
use crate::{Check, Rejection, RejectionKind, Scheme, Verified};

pin_project! {
    /// The future of [`Verify`](super::Verify): reads and checks the body, then waits for the
    /// inner service.
    ///
    /// Dropping it drops what was read; nothing has reached the inner service before the whole body
    /// was checked.
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<I, S, R, H, B>
    where
        I: Service<Request<VerifiedBody>>,
        H: Handshakes,
    {
        #[pin]
        state: State<I, B, I::Future, H::Answer>,
        config: Arc<Config<S, R>>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<I, B, F, A> {
        Answered { answer: A },
        Calling { #[pin] future: F },
        Deciding {
            decision: PendingDecision,
            #[pin] deadline: Sleep,
            whole: Option<Whole<I>>,
        },
        Reading {
            #[pin] body: B,
            #[pin] deadline: Option<Sleep>,
            reading: Option<Reading<I>>,
        },
        Refused { rejection: Rejection },
    }
}

/// A delivery that has arrived and is not decided.
struct Whole<I> {
    head: Parts,
    bytes: Bytes,
    /// The service that was polled ready.
    inner: I,
}

/// What is put aside while the body comes in.
pub(super) struct Reading<I> {
    pub(super) head: Parts,
    pub(super) buffer: Buffer,
    pub(super) check: Check,
    /// The service that was polled ready.
    pub(super) inner: I,
}

impl<I, S, R, H, B> ResponseFuture<I, S, R, H, B>
where
    I: Service<Request<VerifiedBody>>,
    H: Handshakes,
{
    pub(super) fn answered(answer: H::Answer, config: Arc<Config<S, R>>) -> Self {
        Self {
            state: State::Answered { answer },
            config,
        }
    }

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

impl<I, S, R, H, B, ResBody> Future for ResponseFuture<I, S, R, H, B>
where
    I: Service<Request<VerifiedBody>, Response = Response<ResBody>>,
    S: Scheme,
    R: ResponseForRejection<ResBody>,
    H: HandshakesWith<ResBody>,
    B: Body,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Output = Result<Response<ResBody>, I::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let next = match this.state.as_mut().project() {
                StateProj::Answered { answer } => return Poll::Ready(Ok(H::respond(answer))),
                StateProj::Calling { future } => return future.poll(cx),
                StateProj::Deciding {
                    decision,
                    deadline,
                    whole,
                } => {
                    let decided = match decision.as_mut().poll(cx) {
                        Poll::Ready(decided) => decided,
                        Poll::Pending => {
                            ready!(deadline.poll(cx));
                            Err(KEY_UNAVAILABLE)
                        }
                    };
                    match whole.take() {
                        Some(whole) => whole.settle::<H, _, _, _>(decided, this.config),
                        None => State::Refused {
                            rejection: BODY_FAILED,
                        },
                    }
                }
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
                    match reading.take() {
                        Some(reading) => reading.decide::<H, _, _, _>(read, this.config),
                        None => State::Refused {
                            rejection: BODY_FAILED,
                        },
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

    fn decide<H, B, S, R>(
        self,
        read: Result<(), Rejection>,
        config: &Config<S, R>,
    ) -> State<I, B, I::Future, H::Answer>
    where
        I: Service<Request<VerifiedBody>>,
        H: Handshakes,
        S: Scheme,
    {
        let Self {
            head,
            buffer,
            check,
            inner,
        } = self;
        let bytes = buffer.finish();
        let whole = Whole { head, bytes, inner };
        match read.map(|()| check.finish(&whole.bytes)) {
            Ok(Decision::Made(decided)) => whole.settle::<H, _, _, _>(decided, config),
            Ok(Decision::Pending(decision)) => State::Deciding {
                decision,
                deadline: sleep(config.read_timeout),
                whole: Some(whole),
            },
            Err(rejection) => whole.settle::<H, _, _, _>(Err(rejection), config),
        }
    }
}

impl<I> Whole<I> {
    fn settle<H, B, S, R>(
        self,
        decided: Result<Proof, Rejection>,
        config: &Config<S, R>,
    ) -> State<I, B, I::Future, H::Answer>
    where
        I: Service<Request<VerifiedBody>>,
        H: Handshakes,
        S: Scheme,
    {
        let Self {
            mut head,
            bytes,
            mut inner,
        } = self;
        let scheme = &config.scheme;
        match decided {
            Ok(proof) => {
                if let Some(answer) = H::signed(&**scheme, proof.key, &head, &bytes) {
                    let (source, scheme) = (&*config.source, scheme.name());
                    tracing::info!(source, scheme, "a signed handshake was answered");
                    return State::Answered { answer };
                }
                let identity = scheme.identify(&head, &bytes);
                let verified = Verified::new(Arc::clone(&config.source), scheme, &proof, identity);
                head.extensions.insert(verified.clone());
                let body = VerifiedBody::new(bytes, verified);
                let future = inner.call(Request::from_parts(head, body));
                State::Calling { future }
            }
            Err(rejection) => {
                let was_read = !matches!(
                    rejection.kind(),
                    RejectionKind::BodyFailed
                        | RejectionKind::BodyTimeout
                        | RejectionKind::BodyTooLarge
                );
                let body = was_read.then_some(&bytes[..]);
                let rejection = config.refuse(rejection, &head, body);
                State::Refused { rejection }
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
        RejectionKind::Expired
        | RejectionKind::Future
        | RejectionKind::KeyUnavailable
        | RejectionKind::Mismatch
        | RejectionKind::Stale => {
            tracing::warn!(source, scheme, cause, "delivery refused");
        }
        _ => tracing::debug!(source, scheme, cause, "delivery refused"),
    }
}

impl<I, S, R, H, B> fmt::Debug for ResponseFuture<I, S, R, H, B>
where
    I: Service<Request<VerifiedBody>>,
    H: Handshakes,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}

/// How many frames are taken before other tasks get their turn.
const FRAMES_PER_POLL: usize = 128;
