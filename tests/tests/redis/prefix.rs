//! Two applications in one database of Redis.

use std::sync::Arc;

use anvil_queue::{DedupeKey, NewJob, QueueBackend, Settled, Settlement};
use anvil_tests::{RedisQueue, stats, store, take};

use super::{SEC, bury};

#[tokio::test]
async fn queues_of_one_name_under_two_prefixes_share_nothing() {
    let queue = RedisQueue::start();
    let backends = ["billing", "shipping"]
        .map(|prefix| Arc::new(queue.builder().prefix(prefix).build().unwrap()));
    let key = DedupeKey::derive("test", b"one");
    for backend in &backends {
        // Each is new to its queue.
        store(backend, queue.name(), [NewJob::new("").dedupe_key(key)]).await;
    }
    let [one, other] = &backends;
    let lease = take(one, queue.name(), 9, 60 * SEC).await.remove(0).lease;
    let foreign = [(lease.clone(), Settlement::Complete)];
    let answers = other.settle(queue.name(), &foreign).await.unwrap();
    assert_eq!(answers, [Settled::LeaseLost]);
    one.settle(queue.name(), &[(lease, bury())]).await.unwrap();
    let (one, other) = (
        stats(one, queue.name()).await,
        stats(other, queue.name()).await,
    );
    assert_eq!((one.ready, one.dead), (0, 1));
    assert_eq!((other.ready, other.dead), (1, 0));
    for key in queue.keys() {
        let mine = key.starts_with("billing:{") || key.starts_with("shipping:{");
        assert!(mine, "{key}");
    }
}
