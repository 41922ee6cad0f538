//! expect: `list_dead`
//! expect: dyn QueueBackend

use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::{DeadLetters, DeadQuery, QueueBackend, QueueName};

fn main() {
    let backend: Arc<dyn QueueBackend> = Arc::new(MemoryBackend::new());
    let _ = backend.list_dead(&QueueName::new("hooks").unwrap(), DeadQuery::new());
}
