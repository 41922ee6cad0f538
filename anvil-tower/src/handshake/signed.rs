use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use tower_service::Service;

use super::ResponseFuture;
use crate::{Scheme, VerifiedRequestBody};

/// The inner half of what [`HandshakeLayer`](super::HandshakeLayer) makes: answers what is a
/// handshake and was verified, and passes everything else on.
pub struct SignedHandshake<I, S> {
    inner: I,
    scheme: Arc<S>,
}

impl<I, S> SignedHandshake<I, S> {
    pub(super) fn new(inner: I, scheme: Arc<S>) -> Self {
        Self { inner, scheme }
    }

    /// The inner service.
    #[must_use]
    pub fn get_ref(&self) -> &I {
        &self.inner
    }

    /// The inner service.
    pub fn get_mut(&mut self) -> &mut I {
        &mut self.inner
    }

    /// Gives the inner service back.
    #[must_use]
    pub fn into_inner(self) -> I {
        self.inner
    }
}

impl<I, S, B, ResBody> Service<Request<B>> for SignedHandshake<I, S>
where
    I: Service<Request<B>, Response = Response<ResBody>>,
    S: Scheme,
    B: VerifiedRequestBody,
    ResBody: From<Bytes>,
{
    type Response = Response<ResBody>;
    type Error = I::Error;
    type Future = ResponseFuture<I::Future>;

    #[inline]
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    #[inline]
    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (head, body) = request.into_parts();
        let delivery = body.verified_body();
        let verified = delivery.verified();
        let answer = self
            .scheme
            .signed_handshake(verified.key(), &head, delivery.as_bytes());
        match answer {
            None => ResponseFuture::calling(self.inner.call(Request::from_parts(head, body))),
            Some(response) => {
                let (source, scheme) = (&**verified.source(), verified.scheme());
                tracing::info!(source, scheme, "a signed handshake was answered");
                ResponseFuture::answered(response)
            }
        }
    }
}

impl<I: Clone, S> Clone for SignedHandshake<I, S> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            scheme: Arc::clone(&self.scheme),
        }
    }
}

impl<I, S: fmt::Debug> fmt::Debug for SignedHandshake<I, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedHandshake")
            .field("scheme", &self.scheme)
            .finish_non_exhaustive()
    }
}
