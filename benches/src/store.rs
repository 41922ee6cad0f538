//! The backend that is measured.

use std::sync::Arc;

use anvil_queue::{QueueError, QueueName};
use anvil_redis::RedisBackend;

/// Connects to the Redis at `url`, with every setting at its default.
///
/// # Errors
///
/// [`QueueError`] where there is none.
pub async fn connect(url: &str) -> Result<Arc<RedisBackend>, QueueError> {
    RedisBackend::connect(url).await.map(Arc::new)
}

/// The queue of most runs: each has a Redis of its own.
///
/// # Panics
///
/// Never: the name is valid.
#[must_use]
pub fn queue() -> QueueName {
    queue_of("bench")
}

/// A queue with this name.
///
/// # Panics
///
/// Where the name is not valid.
#[must_use]
pub fn queue_of(name: &str) -> QueueName {
    QueueName::new(name).expect("a valid name")
}
