use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use anvil_memory::MemoryBackend;
use anvil_queue::{QueueBackend, QueueName};
use bytes::Bytes;
use http::{Request, Response};
use tonic::Status;
use tonic::body::Body;
use tonic::server::{Grpc, NamedService};
use tower::{Service, service_fn};

use crate::bytes_codec::BytesCodec;

/// `anvil.example.Queue`: an ordinary gRPC service, which tells how many jobs are where.
#[derive(Clone)]
pub(crate) struct Stats {
    backend: Arc<MemoryBackend>,
    queue: QueueName,
}

impl Stats {
    pub(crate) fn new(backend: Arc<MemoryBackend>, queue: QueueName) -> Self {
        Self { backend, queue }
    }

    async fn tell(self) -> Result<tonic::Response<Bytes>, Status> {
        let stats = self.backend.stats(&self.queue).await;
        let stats = stats.map_err(|error| Status::unavailable(error.to_string()))?;
        let text = format!(
            "ready={} scheduled={} leased={} dead={}",
            stats.ready, stats.scheduled, stats.leased, stats.dead
        );
        Ok(tonic::Response::new(text.into()))
    }
}

impl NamedService for Stats {
    const NAME: &'static str = "anvil.example.Queue";
}

impl Service<Request<Body>> for Stats {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let stats = self.clone();
        Box::pin(async move {
            if !request.uri().path().ends_with("/Stats") {
                return Ok(Status::unimplemented("no such method").into_http());
            }
            let method = service_fn(|_: tonic::Request<Bytes>| stats.clone().tell());
            Ok(Grpc::new(BytesCodec).unary(method, request).await)
        })
    }
}
