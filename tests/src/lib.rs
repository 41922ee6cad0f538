//! What the tests of the whole chain share.

mod answer;
mod chain;
mod faulty;
mod redis;
mod seeded;
mod sender;
pub use answer::{Answer, send};
pub use chain::{Hooks, dead, dedupe_by, hooks, stats, work};
pub use faulty::{Fault, FaultyBackend, Verb};
pub use redis::{Census, RedisQueue, store, take};
pub use seeded::Seeded;
pub use sender::{Delivery, SIGNED_AT, Sender, event, now};

use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::{NewJob, QueueBackend, QueueBackendExt, QueueName};

/// A queue name.
///
/// # Panics
///
/// Where the name is not valid.
#[must_use]
pub fn queue(name: &str) -> QueueName {
    QueueName::new(name).expect("a valid queue name")
}

/// A fresh memory backend and a queue of it.
#[must_use]
pub fn memory() -> (Arc<MemoryBackend>, QueueName) {
    (Arc::new(MemoryBackend::new()), queue("hooks"))
}

/// Stores `count` jobs whose payloads are their numbers.
///
/// # Panics
///
/// Where the backend does not take one.
pub async fn fill(backend: &impl QueueBackend, queue: &QueueName, count: usize) {
    for n in 0..count {
        let job = NewJob::new(n.to_string());
        backend
            .enqueue_one(queue, job)
            .await
            .expect("an answer")
            .expect("no refusal");
    }
}

/// The Rust in the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
