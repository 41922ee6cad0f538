//! expect: a webhook body of type `Body` has not been verified
//! expect: put `VerifyLayer` in front

use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::QueueName;
use anvil_tower::{DedupeLayer, EnqueueService, Preset, VerifyLayer};
use tower::ServiceBuilder;

fn main() {
    let backend = Arc::new(MemoryBackend::new());
    let queue = QueueName::new("hooks").unwrap();
    let hooks = ServiceBuilder::new()
        .layer(DedupeLayer::recommended())
        .layer(VerifyLayer::new("github", Preset::github("a secret of 16 bytes or more").unwrap()))
        .service(EnqueueService::new(backend, queue));
    let _: axum::Router = axum::Router::new().route_service("/hooks", hooks);
}
