//! expect: is not a handler of jobs
//! expect: its closure captures `Arc` and not `Rc`

use std::rc::Rc;
use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::{QueueName, Worker, handler_fn};

fn main() {
    let queue = QueueName::new("hooks").unwrap();
    let count = Rc::new(0);
    let handler = handler_fn(move |_, _| {
        let _count = Rc::clone(&count);
        async { Ok(()) }
    });
    let _ = Worker::new(Arc::new(MemoryBackend::new()), queue, handler).build();
}
