//! A long line of ready jobs.

use anvil_queue::{NewJob, QueueBackend, Settlement};
use anvil_tests::{RedisQueue, store, take};

use super::SEC;

#[tokio::test]
async fn a_backlog_of_a_hundred_thousand_jobs_makes_no_call_longer() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    let micros = async || {
        queue.server().command(&["CONFIG", "RESETSTAT"]);
        for _ in 0..200 {
            store(&backend, queue.name(), (0..10).map(|_| NewJob::new("x"))).await;
            let taken = take(&backend, queue.name(), 10, 60 * SEC).await;
            let complete = |lease| (lease, Settlement::Complete);
            let outcomes: Vec<_> = taken.into_iter().map(|job| complete(job.lease)).collect();
            assert_eq!(outcomes.len(), 10);
            backend.settle(queue.name(), &outcomes).await.unwrap();
        }
        micros_of_a_call(&queue)
    };
    let empty = micros().await;
    for _ in 0..400 {
        store(&backend, queue.name(), (0..250).map(|_| NewJob::new("x"))).await;
    }
    let long = micros().await;
    // A walk along the line would take some thousand microseconds.
    assert!(long < 4.0 * empty, "{empty} µs without, {long} µs with it");
}

/// What a script takes in the server, on average.
fn micros_of_a_call(queue: &RedisQueue) -> f64 {
    let info = queue.server().command(&["INFO", "commandstats"]);
    let scripts = info
        .text()
        .lines()
        .find_map(|line| line.strip_prefix("cmdstat_evalsha:"));
    let average = scripts
        .unwrap()
        .split(',')
        .find_map(|field| field.strip_prefix("usec_per_call="));
    average.unwrap().parse().unwrap()
}
