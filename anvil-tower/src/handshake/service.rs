use std::error::Error;
use std::fmt;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use tower_service::Service;

use super::{ResponseFuture, SignedHandshake};
use crate::Scheme;
use crate::verify::{self, EmptyResponse, ResponseForRejection, VerifiedBody, Verify};

/// The service made by [`HandshakeLayer`](super::HandshakeLayer).
///
/// The inner service that was polled ready is the one that is called. An answered handshake gives
/// it back unused.
pub struct Handshake<I, S, R = EmptyResponse> {
    verify: Verify<SignedHandshake<I, S>, S, R>,
}

impl<I, S, R> Handshake<I, S, R> {
    pub(super) fn new(verify: Verify<SignedHandshake<I, S>, S, R>) -> Self {
        Self { verify }
    }

    /// The inner service.
    #[must_use]
    pub fn get_ref(&self) -> &I {
        self.verify.get_ref().get_ref()
    }

    /// The inner service.
    pub fn get_mut(&mut self) -> &mut I {
        self.verify.get_mut().get_mut()
    }

    /// Gives the inner service back.
    #[must_use]
    pub fn into_inner(self) -> I {
        self.verify.into_inner().into_inner()
    }
}

impl<I, S, R, B, ResBody> Service<Request<B>> for Handshake<I, S, R>
where
    I: Service<Request<VerifiedBody>, Response = Response<ResBody>> + Clone,
    S: Scheme,
    R: ResponseForRejection<ResBody>,
    B: Body,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
    ResBody: From<Bytes>,
{
    type Response = Response<ResBody>;
    type Error = I::Error;
    type Future = ResponseFuture<verify::ResponseFuture<SignedHandshake<I, S>, S, R, B>>;

    #[inline]
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Service::<Request<B>>::poll_ready(&mut self.verify, cx)
    }

    #[inline]
    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (head, body) = request.into_parts();
        match self.verify.scheme().open_handshake(&head) {
            None => ResponseFuture::calling(self.verify.call_parts(head, body)),
            Some(response) => {
                let (source, scheme) = (self.verify.source(), self.verify.scheme().name());
                tracing::debug!(source, scheme, "an unsigned handshake was answered");
                self.verify.give_back_ready();
                ResponseFuture::answered(response)
            }
        }
    }
}

impl<I: Clone, S, R> Clone for Handshake<I, S, R> {
    fn clone(&self) -> Self {
        Self {
            verify: self.verify.clone(),
        }
    }
}

impl<I, S: fmt::Debug, R> fmt::Debug for Handshake<I, S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handshake").field(&self.verify).finish()
    }
}
