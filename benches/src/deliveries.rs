//! Jobs as a webhook makes them: a body of 300 bytes and a dedupe key.

use anvil_queue::{DedupeKey, NewJob, QueueBackend, QueueError, QueueName};

/// The job of the delivery with this number; no two are alike.
pub fn delivery(number: u64) -> NewJob {
    let body = format!("{{\"id\":{number:012},\"filler\":\"{:x>269}\"}}", "");
    let key = DedupeKey::derive("bench", body.as_bytes());
    NewJob::new(body).dedupe_key(key)
}

/// Stores the deliveries with these numbers.
///
/// # Errors
///
/// [`QueueError`]
///
/// # Panics
///
/// Where a delivery is refused or taken for another: the run would not count.
pub async fn store(
    backend: &impl QueueBackend,
    queue: &QueueName,
    numbers: std::ops::Range<u64>,
) -> Result<(), QueueError> {
    let mut first = numbers.start;
    while first < numbers.end {
        let end = numbers.end.min(first + BATCH);
        let jobs = (first..end).map(delivery).collect();
        for answer in backend.enqueue(queue, jobs).await? {
            let stored = answer.expect("room for the job");
            assert!(!stored.is_duplicate(), "a delivery was taken for another");
        }
        first = end;
    }
    Ok(())
}

/// As many as the coalescer gathers.
pub const BATCH: u64 = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_have_300_bytes_and_keys_of_their_own() {
        let (one, other) = (delivery(1), delivery(2));
        assert_eq!(one.data().payload().len(), 300);
        assert_ne!(one.data().dedupe_key(), other.data().dedupe_key());
    }
}
