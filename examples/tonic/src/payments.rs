use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use anvil_memory::MemoryBackend;
use anvil_queue::{DedupeKey, NewJob, QueueBackendExt, QueueName};
use anvil_tower::{Verified, VerifiedBody};
use bytes::Bytes;
use http::Response;
use tonic::body::Body;
use tonic::server::Grpc;
use tonic::{Request, Status};
use tower::{Service, service_fn};

use crate::bytes_codec::BytesCodec;

/// `anvil.example.Payments/Confirm`: queues a payment and answers with the id of its job.
///
/// Takes a verified body and nothing else, so that it can't be mounted without verification.
#[derive(Clone)]
pub(crate) struct Payments {
    backend: Arc<MemoryBackend>,
    queue: QueueName,
}

impl Payments {
    pub(crate) fn new(backend: Arc<MemoryBackend>, queue: QueueName) -> Self {
        Self { backend, queue }
    }

    async fn confirm(self, request: Request<Bytes>) -> Result<tonic::Response<Bytes>, Status> {
        let source = request
            .extensions()
            .get::<Verified>()
            .map(|verified| Arc::clone(verified.source()))
            .ok_or_else(|| Status::internal("not verified"))?;
        let key = request.extensions().get::<DedupeKey>().copied();
        let job = NewJob::new(request.into_inner())
            .kind("payment.confirmed")
            .source(source)
            .dedupe_key(key);
        let stored = self.backend.enqueue_one(&self.queue, job).await;
        let enqueued = stored
            .map_err(|error| Status::unavailable(error.to_string()))?
            .map_err(|refusal| Status::resource_exhausted(refusal.to_string()))?;
        Ok(tonic::Response::new(enqueued.id().to_string().into()))
    }
}

impl Service<http::Request<VerifiedBody>> for Payments {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<VerifiedBody>) -> Self::Future {
        let payments = self.clone();
        Box::pin(async move {
            let method = service_fn(|request| payments.clone().confirm(request));
            Ok(Grpc::new(BytesCodec).unary(method, request).await)
        })
    }
}
