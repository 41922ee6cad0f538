//! Much at once: whatever the backlog, each call of a script stays short.

use std::collections::HashSet;

use anvil_queue::{
    DeadFilter, DeadLetters, DeadLettersExt, DeadQuery, JobId, NewJob, QueueBackend, ReplayOptions,
};
use anvil_redis_fixture::Server;
use anvil_tests::{RedisQueue, stats, store, take};
use tokio::time::sleep;

use super::{SEC, bury};

/// The server notes every command that takes longer than this. A call that grows with the backlog
/// takes several times as long; a bounded one takes a millisecond or two.
const TOO_LONG_MICROS: &str = "100000";

fn watched() -> RedisQueue {
    RedisQueue::on(
        Server::builder()
            .config("slowlog-log-slower-than", TOO_LONG_MICROS)
            .start(),
    )
}

fn assert_all_short(queue: &RedisQueue) {
    let slow = queue.server().command(&["SLOWLOG", "GET", "10"]);
    let ours = slow.array().iter().filter(|entry| {
        let command = entry.array()[3].array()[0].text();
        command.starts_with("EVAL")
    });
    assert_eq!(ours.count(), 0, "{slow:?}");
}

#[tokio::test]
async fn ten_thousand_jobs_due_at_once_become_ready_in_order_and_in_short_calls() {
    let queue = watched();
    let backend = queue.backend().await;
    let mut ids = Vec::new();
    for _ in 0..40 {
        let jobs = (0..250).map(|_| NewJob::new("").delay(2 * SEC));
        ids.extend(store(&backend, queue.name(), jobs).await);
    }
    assert_eq!(ids.len(), 10_000);
    sleep(2 * SEC).await;
    let mut taken = Vec::new();
    loop {
        let batch = take(&backend, queue.name(), 250, 60 * SEC).await;
        if batch.is_empty() {
            break;
        }
        taken.extend(batch.iter().map(|reserved| reserved.job.id()));
    }
    assert_eq!(taken, ids);
    assert_eq!(queue.census().leased, HashSet::from_iter(ids));
    assert_all_short(&queue);
}

#[tokio::test]
async fn ten_thousand_leases_that_run_out_at_once_are_taken_back_in_short_calls() {
    let queue = watched();
    let backend = queue.backend().await;
    for _ in 0..40 {
        store(&backend, queue.name(), (0..250).map(|_| NewJob::new(""))).await;
    }
    for _ in 0..40 {
        // All of them are taken before the first runs out, or the count below is wrong.
        let taken = take(&backend, queue.name(), 250, 5 * SEC).await;
        assert_eq!(taken.len(), 250);
    }
    assert_eq!(queue.census().leased.len(), 10_000);
    sleep(5 * SEC).await;
    // Each call takes back what one step allows, and none of it is handed out.
    for _ in 0..100 {
        assert!(take(&backend, queue.name(), 0, SEC).await.is_empty());
    }
    let census = queue.census();
    assert_eq!((census.ready.len(), census.leased.len()), (10_000, 0));
    assert_eq!(stats(&backend, queue.name()).await.totals.reclaimed, 10_000);
    assert_all_short(&queue);
}

#[tokio::test]
async fn two_hundred_thousand_dead_are_listed_replayed_and_discarded_by_short_calls() {
    const DEAD: usize = 200_000;
    let queue = watched();
    let backend = queue.backend().await;
    let first = store(&backend, queue.name(), [NewJob::new("x")]).await[0];
    let reserved = take(&backend, queue.name(), 1, SEC).await.remove(0);
    let settled = backend
        .settle(queue.name(), &[(reserved.lease, bury())])
        .await;
    settled.unwrap();
    copy_dead(&queue, first, DEAD - 1);
    assert_eq!(stats(&backend, queue.name()).await.dead, DEAD);

    let mut query = DeadQuery::new().limit(200);
    for page in 0..DEAD / 2 / 200 {
        let found = backend
            .list_dead(queue.name(), query.clone())
            .await
            .unwrap();
        let ids: Vec<_> = found.letters.iter().map(|letter| letter.id()).collect();
        assert_eq!(ids.len(), 200, "page {page}");
        let gone = backend.discard(queue.name(), &ids).await.unwrap();
        assert!(gone.iter().all(|gone| *gone));
        query = query.after(found.next);
    }
    let report = backend
        .replay_matching(
            queue.name(),
            DeadFilter::default(),
            ReplayOptions::default(),
        )
        .await
        .unwrap();
    assert_eq!(report.replayed, DEAD / 2);
    let stats = stats(&backend, queue.name()).await;
    assert_eq!((stats.ready, stats.dead), (DEAD / 2, 0));
    assert_eq!(queue.census().ready.len(), DEAD / 2);
    assert_all_short(&queue);
}

/// Puts copies of a dead job beside it, each with an id and a position of its own.
fn copy_dead(queue: &RedisQueue, id: JobId, copies: usize) {
    let copy = "local body, record = redis.call('HGET', KEYS[1], ARGV[1]), redis.call('HGET', KEYS[2], ARGV[1]) \
        local at = redis.call('ZSCORE', KEYS[3], ARGV[1]) \
        for n = ARGV[2] + 0, ARGV[3] - 1 do \
          local id = string.sub(ARGV[1], 1, 8) .. struct.pack('>I8', n) \
          redis.call('HSET', KEYS[1], id, body) \
          redis.call('HSET', KEYS[2], id, record) \
          redis.call('ZADD', KEYS[3], at + 1 + n, id) \
        end \
        redis.call('HSET', KEYS[4], 'x', at + 1 + ARGV[3])";
    let keys = ["b", "m", "x", "c"].map(|letter| queue.key(letter));
    // Each call is shorter than what the test watches for.
    for from in (0..copies).step_by(2_000) {
        let to = (from + 2_000).min(copies);
        let mut words = vec![&b"EVAL"[..], copy.as_bytes(), b"4"];
        words.extend(keys.iter().map(String::as_bytes));
        let range = [from, to].map(|n| n.to_string());
        words.push(id.as_bytes());
        words.extend(range.iter().map(String::as_bytes));
        queue.server().command(&words);
    }
    queue.server().command(&["SLOWLOG", "RESET"]);
}
