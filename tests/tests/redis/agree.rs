//! Two processes that were told different things about one queue.

use anvil_queue::{DedupeKey, Enqueued, NewJob, QueueBackend, QueueBackendExt, QueueErrorKind};
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

#[tokio::test]
async fn a_process_that_adopts_the_settings_works_with_any_queue() {
    let queue = RedisQueue::start();
    let set_up = queue.builder().partitions(4).dedupe_window(60 * SEC);
    let services = set_up.build().unwrap();
    store(&services, queue.name(), jobs()).await;

    let operator = queue.builder().adopt_settings().build().unwrap();
    assert_eq!(operator.stats(queue.name()).await.unwrap().ready, 20);
    // The claims are where the services have put them.
    for job in jobs() {
        let answer = operator.enqueue_one(queue.name(), job).await.unwrap();
        assert!(matches!(answer, Ok(Enqueued::Duplicate(_))), "{answer:?}");
    }
    let other = queue.builder().partitions(4).dedupe_window(61 * SEC);
    let other = other.adopt_settings().build().unwrap();
    assert!(other.enqueue(queue.name(), jobs()).await.is_ok());
    assert_eq!(services.stats(queue.name()).await.unwrap().ready, 20);
}

#[tokio::test]
async fn a_process_that_adopts_the_settings_finds_a_queue_that_is_made_later() {
    let queue = RedisQueue::start();
    let operator = queue.builder().adopt_settings().build().unwrap();
    assert_eq!(operator.stats(queue.name()).await.unwrap().ready, 0);
    assert!(queue.keys().is_empty(), "looking made {:?}", queue.keys());

    let services = queue.builder().partitions(3).dedupe_window(60 * SEC);
    store(&services.build().unwrap(), queue.name(), jobs()).await;
    assert_eq!(operator.stats(queue.name()).await.unwrap().ready, 20);
}

#[tokio::test]
async fn a_process_that_adopts_the_settings_brings_its_own_to_a_new_queue() {
    let queue = RedisQueue::start();
    let settings = || queue.builder().partitions(2).dedupe_window(60 * SEC);
    let first = settings().adopt_settings().build().unwrap();
    store(&first, queue.name(), jobs()).await;
    let second = settings().build().unwrap();
    assert_eq!(second.stats(queue.name()).await.unwrap().ready, 20);
}

#[tokio::test]
async fn settings_that_can_not_be_read_are_refused_with_the_name_of_the_key() {
    let queue = RedisQueue::start();
    for (window, partitions) in [("soon", "1"), ("60000000", "0"), ("60000000", "many")] {
        queue.command("HSET", "c", &["w", window, "n", partitions]);
        let operator = queue.builder().adopt_settings().build().unwrap();
        let error = operator.stats(queue.name()).await.unwrap_err();
        assert_eq!(error.kind(), QueueErrorKind::Internal);
        assert!(error.to_string().contains(&queue.key("c")), "{error}");
    }
}
