//! Redis has reached its memory limit, seen from the HTTP edge and from the workers.

use anvil_queue::HandlerError;
use anvil_tests::{RedisQueue, Sender, event, hooks, send, stats, work};

#[tokio::test]
async fn at_the_memory_limit_senders_are_told_to_try_again_while_workers_empty_the_queue() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    for (n, sender) in Sender::ALL.into_iter().enumerate() {
        let hooks = hooks(sender, &backend, queue.name());
        for id in ["succeeds", "dies"] {
            let stored = send(&hooks, sender.sign(event(id)).request()).await;
            assert!(!stored.replayed());
        }
        limit_memory(&queue, "1");
        let keys = queue.keys();
        let refused = sender.sign(event("refused"));
        let answer = send(&hooks, refused.request()).await;
        assert!(answer.is_try_again(), "{sender:?}: {answer:?}");
        assert_eq!(queue.keys(), keys);

        let runs = work(&backend, queue.name(), |job| {
            if *job.payload() == event("dies") {
                return Err(HandlerError::permanent("no"));
            }
            Ok(())
        });
        assert_eq!(runs.await.len(), 2);
        let stats = stats(&backend, queue.name()).await;
        assert_eq!((stats.open(), stats.dead), (0, n + 1), "{sender:?}");

        limit_memory(&queue, "0");
        let answer = send(&hooks, refused.request()).await;
        assert!(!answer.replayed(), "{sender:?}: the refusal claimed a key");
        let runs = work(&backend, queue.name(), |_| Ok(())).await;
        assert_eq!(runs[0].id(), answer.job_id());
    }
}

fn limit_memory(queue: &RedisQueue, bytes: &str) {
    let words = ["CONFIG", "SET", "maxmemory", bytes];
    assert_eq!(queue.server().command(&words).text(), "OK");
}
