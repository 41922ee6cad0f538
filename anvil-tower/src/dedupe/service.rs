use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use anvil_queue::DedupeKey;
use http::Request;
use tower_service::Service;

use super::KeyExtractor;
use super::layer::Naming;
use crate::VerifiedRequestBody;

/// The service made by [`DedupeLayer`](super::DedupeLayer).
///
/// Its future is the inner service's own.
pub struct Dedupe<I, E> {
    inner: I,
    naming: Arc<Naming<E>>,
}

impl<I, E> Dedupe<I, E> {
    pub(super) fn new(inner: I, naming: Arc<Naming<E>>) -> Self {
        Self { inner, naming }
    }

    /// How many deliveries repeated the content of an earlier one under another id; see
    /// [`DedupeLayer::came_under_other_ids`](super::DedupeLayer::came_under_other_ids).
    #[must_use]
    pub fn came_under_other_ids(&self) -> u64 {
        self.naming.other_ids.count()
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

impl<I, E, B> Service<Request<B>> for Dedupe<I, E>
where
    I: Service<Request<B>>,
    E: KeyExtractor,
    B: VerifiedRequestBody,
{
    type Response = I::Response;
    type Error = I::Error;
    type Future = I::Future;

    #[inline]
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (mut head, body) = request.into_parts();
        let delivery = body.verified_body();
        let (verified, bytes) = (delivery.verified(), delivery.as_bytes());
        let Naming {
            extractor,
            other_ids,
        } = &*self.naming;
        match extractor
            .part(verified, &head, bytes)
            .filter(|part| !part.is_empty())
        {
            Some(part) => {
                let key = DedupeKey::derive(verified.source(), &part);
                if let Some(id) = verified.delivery_id()
                    && !id.is_signed()
                    && extractor.is_by_content()
                    && other_ids.is_other(&key, id.as_str())
                {
                    let (source, kind) = (&**verified.source(), verified.kind());
                    tracing::warn!(source, kind, "content came again under another id");
                }
                head.extensions.insert(key);
            }
            None => {
                let (source, kind) = (&**verified.source(), verified.kind());
                tracing::warn!(source, kind, "a delivery has nothing to name it by");
            }
        }
        self.inner.call(Request::from_parts(head, body))
    }
}

impl<I: Clone, E> Clone for Dedupe<I, E> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            naming: Arc::clone(&self.naming),
        }
    }
}

impl<I, E> fmt::Debug for Dedupe<I, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dedupe").finish_non_exhaustive()
    }
}
