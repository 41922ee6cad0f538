use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::Response;
use pin_project_lite::pin_project;

pin_project! {
    /// The future of [`Handshake`](super::Handshake) and
    /// [`SignedHandshake`](super::SignedHandshake).
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<F> {
        #[pin]
        state: State<F>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<F> {
        Answered { response: Option<Response<Bytes>> },
        Calling { #[pin] future: F },
    }
}

impl<F> ResponseFuture<F> {
    pub(super) fn answered(response: Response<Bytes>) -> Self {
        let response = Some(response);
        Self {
            state: State::Answered { response },
        }
    }

    #[inline]
    pub(super) fn calling(future: F) -> Self {
        Self {
            state: State::Calling { future },
        }
    }
}

impl<F, B, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Response<B>, E>>,
    B: From<Bytes>,
{
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            StateProj::Answered { response } => {
                Poll::Ready(Ok(response.take().unwrap_or_default().map(B::from)))
            }
            StateProj::Calling { future } => future.poll(cx),
        }
    }
}

impl<F> fmt::Debug for ResponseFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}
