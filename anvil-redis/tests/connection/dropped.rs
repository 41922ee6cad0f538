//! Callers that go away.

use std::time::Duration;

use anvil_queue::{Enqueued, NewJob};
use anvil_redis_fixture::Server;

use crate::harness::verbs::{Verbs, until};

/// Each reply goes to the call it answers, whoever went away before.
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_dropped_enqueues_mix_up_no_answers() {
    let server = Server::start();
    let verbs = Verbs::lazy(&server.url());
    verbs.assert_works().await;
    let mut sent = Vec::new();
    for number in 0..1_000_u64 {
        let size = if number % 10 == 0 { 4_096 } else { 10 };
        let job = NewJob::new(vec![b'p'; size]);
        sent.push(job.data().id());
        // From never polled to most of a round trip.
        let patience = Duration::from_micros(number * 7_919 % 400);
        let answer = tokio::time::timeout(patience, verbs.enqueue(job.clone())).await;
        if let Ok(answer) = answer {
            assert_eq!(answer.unwrap(), Enqueued::Accepted(job.data().id()));
        }
        if number % 20 == 0 {
            sent.push(verbs.accept(NewJob::new("kept")).await);
            verbs.stats().await;
        }
    }
    // Whatever was on its way has arrived when a later call of its connection is answered.
    let mut ready = verbs.stats().await.ready;
    until("nothing more arrives", async || {
        std::mem::replace(&mut ready, verbs.stats().await.ready) == ready
    })
    .await;
    let mut taken = Vec::new();
    loop {
        let reserved = verbs.reserve(100).await.unwrap();
        if reserved.is_empty() {
            break;
        }
        taken.extend(reserved.iter().map(|reserved| reserved.job.id()));
    }
    assert_eq!(taken.len(), ready);
    let all = taken.len();
    taken.sort_unstable();
    taken.dedup();
    assert_eq!(taken.len(), all, "no job is there twice");
    assert!(taken.iter().all(|id| sent.contains(id)));
}
