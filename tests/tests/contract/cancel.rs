//! A sender that goes away.

use std::sync::Arc;

use anvil_tests::Sender;
use anvil_tests::{Fault, FaultyBackend, Verb, hooks, memory, send, stats};
use bytes::Bytes;
use futures_util::FutureExt;
use tokio::sync::Semaphore;
use tower::{Service, ServiceExt};

use super::{Stalled, delivery, stalled};

#[tokio::test]
async fn a_future_dropped_before_the_body_is_there_stores_nothing() {
    let (backend, queue) = memory();
    let mut hooks = hooks(Sender::Stripe, &backend, &queue);
    let service = ServiceExt::<Stalled>::ready(&mut hooks).await.unwrap();
    let mut reading = Box::pin(service.call(stalled()));
    assert!((&mut reading).now_or_never().is_none());
    drop(reading);
    assert_eq!(stats(&backend, &queue).await, Default::default());
    assert!(!send(&hooks, delivery().request()).await.replayed());
}

#[tokio::test]
async fn a_future_that_is_never_polled_stores_nothing() {
    let (backend, queue) = memory();
    let mut hooks = hooks(Sender::Stripe, &backend, &queue);
    drop(hooks.call(delivery().request()));
    assert_eq!(stats(&backend, &queue).await, Default::default());
}

#[tokio::test]
async fn a_future_dropped_while_the_job_is_being_stored_loses_its_answer_only() {
    let (memory, queue) = memory();
    let backend = Arc::new(FaultyBackend::new(Arc::clone(&memory)));
    let gate = Arc::new(Semaphore::new(0));
    backend.next(Verb::Enqueue, Fault::Hold(Arc::clone(&gate)));
    let mut hooks = hooks(Sender::Stripe, &backend, &queue);
    let mut storing = Box::pin(hooks.call(delivery().request()));
    assert!((&mut storing).now_or_never().is_none());
    drop(storing);
    gate.add_permits(1);

    let again = send(&hooks, delivery().request()).await;
    assert!(again.replayed(), "the first was stored");
    let stats = stats(&memory, &queue).await;
    assert_eq!((stats.ready, stats.totals.accepted), (1, 1));
}

#[tokio::test]
async fn a_future_dropped_in_the_line_fails_none_of_its_neighbours() {
    let (memory, queue) = memory();
    let backend = Arc::new(FaultyBackend::new(Arc::clone(&memory)));
    let gate = Arc::new(Semaphore::new(0));
    backend.next(Verb::Enqueue, Fault::Hold(Arc::clone(&gate)));
    let hooks = hooks(Sender::GitHub, &backend, &queue);
    let mut calls: Vec<_> = (0..5)
        .map(|n| {
            let body = Bytes::from(n.to_string());
            Box::pin(hooks.clone().call(Sender::GitHub.sign(body).request()))
        })
        .collect();
    for call in &mut calls {
        assert!(call.now_or_never().is_none());
    }
    drop(calls.remove(2));
    gate.add_permits(1);
    for call in calls {
        let Ok(response) = call.await;
        assert_eq!(response.status(), 202);
    }
    assert_eq!(stats(&memory, &queue).await.ready, 5);
}
