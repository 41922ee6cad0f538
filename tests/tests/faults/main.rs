//! The whole chain on a backend that goes wrong.

mod answers;
mod random;
mod reply;

use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::QueueName;
use anvil_tests::FaultyBackend;

type Faulty = Arc<FaultyBackend<Arc<MemoryBackend>>>;

/// A memory backend, and the same one behind faults.
fn faulty() -> (Faulty, Arc<MemoryBackend>, QueueName) {
    let (memory, queue) = anvil_tests::memory();
    (
        Arc::new(FaultyBackend::new(Arc::clone(&memory))),
        memory,
        queue,
    )
}
