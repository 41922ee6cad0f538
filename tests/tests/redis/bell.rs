//! A worker that waits hears of work although its wake-up is lost.

use std::sync::Arc;

use anvil_queue::{NewJob, QueueBackend};
use anvil_tests::{RedisQueue, store, take};
use tokio::time::{sleep, timeout};

use super::{MS, SEC};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wake_up_that_is_lost_costs_no_more_than_the_next_look() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    // Redis wakes whoever has waited longest: one who takes the sign and does nothing about it.
    let mut thief = queue.server().client().unwrap();
    thief.send(&["BLPOP", &queue.key("w"), "0"]).unwrap();
    until_blocked(&queue, 1).await;
    let waiting = {
        let (backend, name) = (Arc::clone(&backend), queue.name().clone());
        tokio::spawn(async move { backend.wait(&name, 60 * SEC).await })
    };
    until_blocked(&queue, 2).await;
    let id = store(&backend, queue.name(), [NewJob::new("")]).await[0];
    assert_eq!(thief.receive().unwrap().array()[1].text(), "1");
    let woken = timeout(4 * SEC, waiting).await;
    woken.expect("it looks every two seconds").unwrap().unwrap();
    assert_eq!(take(&backend, queue.name(), 9, SEC).await[0].job.id(), id);
}

#[tokio::test]
async fn a_delayed_job_needs_no_wake_up() {
    let queue = RedisQueue::start();
    let (edge, worker) = (queue.backend().await, queue.backend().await);
    let id = store(&edge, queue.name(), [NewJob::new("").delay(500 * MS)]).await[0];
    queue.command::<&str>("DEL", "w", &[]);
    let waiting = worker.wait(queue.name(), 60 * SEC);
    let woken = timeout(2 * SEC, waiting).await;
    woken.expect("it knows when the job is due").unwrap();
    assert_eq!(take(&worker, queue.name(), 9, SEC).await[0].job.id(), id);
}

async fn until_blocked(queue: &RedisQueue, clients: usize) {
    let blocked = format!("blocked_clients:{clients}");
    let info = || queue.server().command(&["INFO", "clients"]);
    while !info().text().lines().any(|line| line == blocked) {
        sleep(5 * MS).await;
    }
}
