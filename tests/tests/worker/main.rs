//! What a worker does with jobs: runs, failures, retries, leases.

mod backend;
mod failures;
mod leases;
mod outcomes;

use std::sync::Arc;
use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::{DeadLetters, DeadQuery, Handler, QueueName, Worker, WorkerReport};

pub(crate) const SEC: Duration = Duration::from_secs(1);

pub(crate) async fn drain(
    backend: &Arc<MemoryBackend>,
    queue: &QueueName,
    handler: impl Handler,
) -> WorkerReport {
    Worker::new(Arc::clone(backend), queue.clone(), handler)
        .build()
        .unwrap()
        .run_until_idle()
        .await
        .unwrap()
}

pub(crate) async fn dead(
    backend: &MemoryBackend,
    queue: &QueueName,
) -> Vec<anvil_queue::DeadLetter> {
    backend
        .list_dead(queue, DeadQuery::new())
        .await
        .unwrap()
        .letters
}
