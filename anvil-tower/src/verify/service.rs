use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::CONTENT_LENGTH;
use http::request::Parts;
use http::{Request, Response};
use http_body::Body;
use tower_service::Service;

use super::buffer::Buffer;
use super::future::{Reading, ResponseFuture};
use super::layer::Config;
use super::{EmptyResponse, ResponseForRejection, VerifiedBody};
use crate::handshake::{HandshakesWith, NoHandshakes};
use crate::rejection::BODY_TOO_LARGE;
use crate::{Check, Rejection, Scheme};

/// The service made by [`VerifyLayer`](super::VerifyLayer).
///
/// The inner service that was polled ready is the one that is called; a clone takes its place.
pub struct Verify<I, S, R = EmptyResponse, H = NoHandshakes> {
    pub(super) inner: I,
    pub(super) config: Arc<Config<S, R>>,
    pub(super) handshakes: PhantomData<fn() -> H>,
}

impl<I, S, R, H> Verify<I, S, R, H> {
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

impl<I, S, R, H, B, ResBody> Service<Request<B>> for Verify<I, S, R, H>
where
    I: Service<Request<VerifiedBody>, Response = Response<ResBody>> + Clone,
    S: Scheme,
    R: ResponseForRejection<ResBody>,
    H: HandshakesWith<ResBody>,
    B: Body,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<ResBody>;
    type Error = I::Error;
    type Future = ResponseFuture<I, S, R, H, B>;

    #[inline]
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let clone = self.inner.clone();
        let inner = mem::replace(&mut self.inner, clone);
        let (head, body) = request.into_parts();
        let config = &self.config;
        if let Some(answer) = H::open(&*config.scheme, &head) {
            let (source, scheme) = (&*config.source, config.scheme.name());
            tracing::debug!(source, scheme, "an unsigned handshake was answered");
            return ResponseFuture::answered(answer, Arc::clone(config));
        }
        let limit = config.limit();
        match begin(config, &head, &body, limit) {
            Ok(check) => {
                let buffer = Buffer::new(limit, body.size_hint().lower());
                let reading = Reading {
                    head,
                    buffer,
                    check,
                    inner,
                };
                ResponseFuture::reading(body, reading, Arc::clone(config))
            }
            Err(rejection) => {
                let rejection = config.refuse(rejection, &head, None);
                ResponseFuture::refused(rejection, Arc::clone(config))
            }
        }
    }
}

/// Everything that can be said without a byte of the body.
fn begin<S: Scheme, R, B: Body>(
    config: &Config<S, R>,
    head: &Parts,
    body: &B,
    limit: usize,
) -> Result<Check, Rejection> {
    let methods = config.scheme.methods();
    if !methods.contains(&head.method) {
        return Err(Rejection::method_not_allowed(methods));
    }
    let check = config.scheme.begin(head, config.clock.now())?;
    let declared = declared_length(head, body);
    if usize::try_from(declared).is_ok_and(|declared| declared <= limit) {
        Ok(check)
    } else {
        Err(BODY_TOO_LARGE)
    }
}

/// What the body knows of its length, or else the head.
fn declared_length<B: Body>(head: &Parts, body: &B) -> u64 {
    let hint = body.size_hint();
    hint.exact().unwrap_or_else(|| {
        let length = head.headers.get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
        length.unwrap_or(0).max(hint.lower())
    })
}

impl<I: Clone, S, R, H> Clone for Verify<I, S, R, H> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            config: Arc::clone(&self.config),
            handshakes: PhantomData,
        }
    }
}

impl<I, S: fmt::Debug, R, H> fmt::Debug for Verify<I, S, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.config.fmt(f, "Verify")
    }
}
