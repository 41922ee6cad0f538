//! The chain behind a real server on the loopback, with clients that write their own bytes.

mod body;
mod client;
mod gone;
mod head;
mod http2;
mod server;

use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::{QueueBackend, QueueName};
use anvil_tests::{Delivery, Hooks, Sender, event};
use anvil_tower::{DedupeLayer, EnqueueService, Scheme, VerifyLayer};
use tower::Layer;

use client::Client;
use server::Server;

/// The sender of all deliveries here: it signs the body and nothing else.
const SENDER: Sender = Sender::GitHub;

fn verify() -> VerifyLayer<Box<dyn Scheme>> {
    VerifyLayer::new(SENDER.name(), SENDER.scheme())
}

fn stack(
    verify: &VerifyLayer<Box<dyn Scheme>>,
    backend: &Arc<impl QueueBackend>,
    queue: &QueueName,
) -> Hooks {
    let enqueue = EnqueueService::new(Arc::clone(backend), queue.clone());
    verify.layer(DedupeLayer::recommended().layer(enqueue))
}

/// A server with this verification, and what it stores in.
async fn serve(verify: &VerifyLayer<Box<dyn Scheme>>) -> (Server, Arc<MemoryBackend>, QueueName) {
    let (backend, queue) = anvil_tests::memory();
    let server = Server::start(stack(verify, &backend, &queue)).await;
    (server, backend, queue)
}

fn delivery() -> Delivery {
    SENDER.sign(event("evt_1"))
}

/// A whole request with its length declared.
fn whole(delivery: &Delivery) -> Vec<u8> {
    let length = format!("content-length: {}\r\n\r\n", delivery.body().len());
    [&delivery.head(), length.as_bytes(), delivery.body()].concat()
}

/// A whole request whose body comes in chunks of this size.
fn chunked(delivery: &Delivery, size: usize) -> Vec<u8> {
    let mut request = delivery.head();
    request.extend(b"transfer-encoding: chunked\r\n\r\n");
    for chunk in delivery.body().chunks(size) {
        request.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        request.extend([chunk, b"\r\n"].concat());
    }
    request.extend(b"0\r\n\r\n");
    request
}
