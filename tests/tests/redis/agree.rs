//! Two processes that were told different things about one queue.

use anvil_queue::{DedupeKey, NewJob, QueueBackend, QueueErrorKind};
use anvil_redis::RedisBuilder;
use anvil_tests::{RedisQueue, store};

use super::SEC;

fn jobs() -> Vec<NewJob> {
    let key = |n: u8| DedupeKey::derive("test", &[n]);
    (0..20)
        .map(|n| NewJob::new("").dedupe_key(key(n)))
        .collect()
}

/// The second process is refused, with a sentence that has both values, and writes nothing.
async fn refused(first: RedisBuilder, second: RedisBuilder, queue: &RedisQueue, says: [&str; 2]) {
    let (first, second) = (first.build().unwrap(), second.build().unwrap());
    store(&first, queue.name(), jobs()).await;
    let (before, keys) = (dump(queue), queue.keys());
    let error = second.enqueue(queue.name(), jobs()).await.unwrap_err();
    assert_eq!(error.kind(), QueueErrorKind::Rejected);
    for value in says {
        assert!(error.to_string().contains(value), "{error}");
    }
    assert_eq!(queue.keys(), keys);
    assert_eq!(dump(queue), before);
}

/// Every value of every key.
fn dump(queue: &RedisQueue) -> Vec<anvil_redis_fixture::Reply> {
    let keys = queue.keys();
    keys.iter()
        .map(|key| queue.server().command(&["DUMP", key]))
        .collect()
}

#[tokio::test]
async fn a_process_with_another_window_is_refused_and_writes_nothing() {
    let queue = RedisQueue::start();
    let window = |seconds| queue.builder().dedupe_window(seconds * SEC);
    refused(window(60), window(61), &queue, ["60s", "61s"]).await;
}

#[tokio::test]
async fn a_process_with_more_partitions_is_refused_and_writes_nothing() {
    let queue = RedisQueue::start();
    let split = |partitions| queue.builder().partitions(partitions);
    refused(split(2), split(3), &queue, ["2 partition", "3"]).await;
}

#[tokio::test]
async fn a_process_with_partitions_is_refused_where_there_are_none_and_writes_nothing() {
    let queue = RedisQueue::start();
    let split = |partitions| queue.builder().partitions(partitions);
    refused(split(1), split(2), &queue, ["1 partition", "2"]).await;
}

#[tokio::test]
async fn a_process_without_partitions_is_refused_where_there_are_some_and_writes_nothing() {
    let queue = RedisQueue::start();
    let split = |partitions| queue.builder().partitions(partitions);
    refused(split(4), split(1), &queue, ["4 partition", "1"]).await;
}
