//! The backend that is measured.

use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::{QueueError, QueueName};

/// The backend that is measured.
pub type Store = MemoryBackend;

/// Connects to the Redis at `url`.
///
/// # Errors
///
/// [`QueueError`] where there is none.
#[expect(clippy::unused_async, reason = "stands in for Redis")]
pub async fn connect(_url: &str) -> Result<Arc<Store>, QueueError> {
    Ok(Arc::new(MemoryBackend::new()))
}

/// The queue of every run: each has a Redis of its own.
///
/// # Panics
///
/// Never: the name is valid.
#[must_use]
pub fn queue() -> QueueName {
    QueueName::new("bench").expect("a valid name")
}
