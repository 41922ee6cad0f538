//! expect: use of moved value

use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::{QueueBackendExt, QueueName, Settlement};

#[tokio::main]
async fn main() {
    let (backend, queue) = (MemoryBackend::new(), QueueName::new("hooks").unwrap());
    let reserved = backend.reserve_one(&queue, Duration::from_secs(30)).await.unwrap().unwrap();
    let lease = reserved.lease;
    backend.settle_one(&queue, lease, Settlement::Complete).await.unwrap();
    backend.settle_one(&queue, lease, Settlement::Release).await.unwrap();
}
