//! A caller that sends one id twice, and not for the same delivery.

use std::sync::Arc;

use anvil_queue::{DedupeKey, Enqueued, NewJob, QueueBackend, QueueBackendExt, QueueName};
use anvil_tests::{RedisQueue, memory, store};

#[tokio::test]
async fn an_id_that_is_taken_claims_no_second_key() {
    let queue = RedisQueue::start();
    claims_no_second_key(&queue.backend().await, queue.name()).await;
    let (memory, queue) = memory();
    claims_no_second_key(&memory, &queue).await;
}

async fn claims_no_second_key(backend: &Arc<impl QueueBackend>, queue: &QueueName) {
    let keyed = |part: &[u8]| NewJob::new("").dedupe_key(DedupeKey::derive("test", part));
    let id = store(backend, queue, [keyed(b"one")]).await[0];
    let again = backend.enqueue_one(queue, keyed(b"two").id(id));
    assert_eq!(again.await.unwrap(), Ok(Enqueued::Accepted(id)));
    let other = keyed(b"two");
    let expected = Enqueued::Accepted(other.data().id());
    let answer = backend.enqueue_one(queue, other).await.unwrap();
    assert_eq!(answer, Ok(expected), "the key was locked without a job");
    assert_eq!(backend.stats(queue).await.unwrap().ready, 2);
}
