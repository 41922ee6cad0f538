//! expect: `Rc<MemoryBackend>` is not a queue backend
//! expect: pass a backend such as `Arc<MemoryBackend>` or `Arc<dyn QueueBackend>`

use std::rc::Rc;

use anvil_memory::MemoryBackend;
use anvil_queue::{QueueName, Worker, handler_fn};

fn main() {
    let queue = QueueName::new("hooks").unwrap();
    let _ = Worker::new(Rc::new(MemoryBackend::new()), queue, handler_fn(|_, _| async { Ok(()) }));
}
