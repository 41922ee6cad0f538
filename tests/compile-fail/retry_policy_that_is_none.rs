//! expect: `Duration` is not a retry policy
//! expect: use `Schedule`, `Exponential`, `policy_fn(|failure| …)`

use std::sync::Arc;
use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::{QueueName, Worker, handler_fn};

fn main() {
    let queue = QueueName::new("hooks").unwrap();
    let handler = handler_fn(|_, _| async { Ok(()) });
    let _ = Worker::new(Arc::new(MemoryBackend::new()), queue, handler)
        .retry_policy(Duration::from_secs(1))
        .build();
}
