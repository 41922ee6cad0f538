//! The whole chain from the request on.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anvil_queue::{DedupeKey, Enqueued, NewJob, QueueBackend};
use anvil_tests::{RedisQueue, Sender, event, hooks, send, stats, work};
use tokio::time::sleep;

use super::{MS, SEC};

#[tokio::test]
async fn a_duplicate_inside_a_batch_gets_the_id_of_the_first() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    let job = |part: &[u8]| NewJob::new("").dedupe_key(DedupeKey::derive("test", part));
    let batch = vec![job(b"K"), job(b"K"), job(b"L"), job(b"K")];
    let ids: Vec<_> = batch.iter().map(|job| job.data().id()).collect();
    let answers = backend.enqueue(queue.name(), batch).await.unwrap();
    let (first, third) = (Enqueued::Accepted(ids[0]), Enqueued::Accepted(ids[2]));
    let duplicate = Enqueued::Duplicate(ids[0]);
    assert_eq!(answers, [first, duplicate, third, duplicate].map(Ok));
    assert_eq!(queue.census().ready.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_64_posts_of_one_delivery_to_two_instances_one_is_a_job() {
    let queue = RedisQueue::start();
    let instances = [queue.backend().await, queue.backend().await];
    let hooks = instances
        .each_ref()
        .map(|backend| hooks(Sender::Stripe, backend, queue.name()));
    for round in 0..5 {
        let delivery = Sender::Stripe.sign(event(&format!("evt_{round}")));
        let posts: Vec<_> = (0..64)
            .map(|n| {
                let (hooks, request) = (hooks[n % 2].clone(), delivery.request());
                tokio::spawn(async move { send(&hooks, request).await })
            })
            .collect();
        let mut ids = HashSet::new();
        let mut duplicates = 0;
        for post in posts {
            let answer = post.await.unwrap();
            ids.insert(answer.job_id());
            duplicates += u32::from(answer.replayed());
        }
        assert_eq!((ids.len(), duplicates), (1, 63));
    }
    let stats = stats(&instances[0], queue.name()).await;
    assert_eq!((stats.ready, stats.totals.duplicates), (5, 5 * 63));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_redis_stopped_for_three_seconds_every_202_is_delivered_and_the_rest_is_told_to_retry()
{
    let queue = Arc::new(RedisQueue::durable());
    let backend = queue.backend().await;
    let hooks = hooks(Sender::GitHub, &backend, queue.name());
    let over = Arc::new(AtomicBool::new(false));
    let senders: Vec<_> = (0..8)
        .map(|sender| {
            let (hooks, over) = (hooks.clone(), Arc::clone(&over));
            tokio::spawn(async move {
                let (mut accepted, mut refused) = (HashMap::new(), Vec::new());
                for n in 0.. {
                    if over.load(Ordering::SeqCst) {
                        break;
                    }
                    let body = event(&format!("evt_{sender}_{n}"));
                    let answer = send(&hooks, Sender::GitHub.sign(body.clone()).request()).await;
                    if answer.status == 202 {
                        accepted.insert(answer.job_id(), body);
                    } else {
                        assert!(answer.is_try_again(), "{answer:?}");
                        refused.push(body);
                    }
                    sleep(2 * MS).await;
                }
                (accepted, refused)
            })
        })
        .collect();
    sleep(300 * MS).await;
    let server = Arc::clone(queue.server());
    tokio::task::spawn_blocking(move || server.stop())
        .await
        .unwrap();
    sleep(3 * SEC).await;
    let server = Arc::clone(queue.server());
    tokio::task::spawn_blocking(move || server.restart())
        .await
        .unwrap();
    sleep(1_500 * MS).await;
    over.store(true, Ordering::SeqCst);

    let (mut accepted, mut refused) = (HashMap::new(), Vec::new());
    for sender in senders {
        let (more, turned_away) = sender.await.unwrap();
        accepted.extend(more);
        refused.extend(turned_away);
    }
    assert!(accepted.len() > 100, "{} accepted", accepted.len());
    assert!(refused.len() >= 8, "{} refused", refused.len());
    // The senders try again, as they were told to; what was stored all the same is found.
    for body in refused {
        let answer = send(&hooks, Sender::GitHub.sign(body.clone()).request()).await;
        accepted.insert(answer.job_id(), body);
    }
    let runs = work(&backend, queue.name(), |_| Ok(())).await;
    assert_eq!(runs.len(), accepted.len());
    for job in runs {
        assert_eq!(accepted.remove(&job.id()).as_ref(), Some(job.payload()));
    }
}
