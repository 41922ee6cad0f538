//! Compiles: what the other cases get wrong, done right.

use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::{QueueName, Worker, handler_fn};
use anvil_tower::{EnqueueService, Preset, VerifyLayer};
use tower::ServiceBuilder;

fn main() {
    let backend = Arc::new(MemoryBackend::new());
    let queue = QueueName::new("hooks").unwrap();
    let hooks = ServiceBuilder::new()
        .layer(VerifyLayer::new("github", Preset::github("a secret of 16 bytes or more").unwrap()))
        .service(EnqueueService::new(Arc::clone(&backend), queue.clone()));
    let _: axum::Router = axum::Router::new().route_service("/hooks", hooks);
    let _ = Worker::new(backend, queue, handler_fn(|_, _| async { Ok(()) })).build();
}
