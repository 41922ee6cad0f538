//! expect: `{integer}` is not a handler of jobs
//! expect: wrap an async closure in `handler_fn(|job, context| async move { … Ok(()) })`

use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::{QueueName, Worker};

fn main() {
    let queue = QueueName::new("hooks").unwrap();
    let _ = Worker::new(Arc::new(MemoryBackend::new()), queue, 42).build();
}
