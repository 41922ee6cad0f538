use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use anvil_queue::DedupeKey;
use http::{Request, Response};
use pin_project_lite::pin_project;
use tower_layer::Layer;
use tower_service::Service;

use super::{Dedupe, DedupeLayer};
use crate::rejection::MISSING_KEY;

/// A [`DedupeLayer`] that refuses a delivery without a key, made by
/// [`require_key`](DedupeLayer::require_key).
#[must_use = "a layer does nothing until it wraps a service"]
pub struct RequireKeyLayer<E> {
    dedupe: DedupeLayer<E>,
}

impl<E> RequireKeyLayer<E> {
    pub(super) fn new(dedupe: DedupeLayer<E>) -> Self {
        Self { dedupe }
    }
}

impl<I, E> Layer<I> for RequireKeyLayer<E> {
    type Service = Dedupe<RequireKey<I>, E>;

    fn layer(&self, inner: I) -> Self::Service {
        self.dedupe.layer(RequireKey { inner })
    }
}

impl<E> Clone for RequireKeyLayer<E> {
    fn clone(&self) -> Self {
        Self {
            dedupe: self.dedupe.clone(),
        }
    }
}

impl<E> fmt::Debug for RequireKeyLayer<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequireKeyLayer").finish_non_exhaustive()
    }
}

/// The inner half of what [`RequireKeyLayer`] makes: passes on only what has a key.
#[derive(Clone, Debug)]
pub struct RequireKey<I> {
    inner: I,
}

impl<I, B, ResBody> Service<Request<B>> for RequireKey<I>
where
    I: Service<Request<B>, Response = Response<ResBody>>,
    ResBody: Default,
{
    type Response = Response<ResBody>;
    type Error = I::Error;
    type Future = ResponseFuture<I::Future>;

    #[inline]
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let has_key = request.extensions().get::<DedupeKey>().is_some();
        let state = if has_key {
            State::Calling {
                future: self.inner.call(request),
            }
        } else {
            State::Refused
        };
        ResponseFuture { state }
    }
}

pin_project! {
    /// The future of [`RequireKey`].
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<F> {
        #[pin]
        state: State<F>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<F> {
        Calling { #[pin] future: F },
        Refused,
    }
}

impl<F, B, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Response<B>, E>>,
    B: Default,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            StateProj::Calling { future } => future.poll(cx),
            StateProj::Refused => {
                let mut response = Response::new(B::default());
                *response.status_mut() = MISSING_KEY.status();
                response.extensions_mut().insert(MISSING_KEY);
                Poll::Ready(Ok(response))
            }
        }
    }
}

impl<F> fmt::Debug for ResponseFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}
