//! With the limits of tower inside the stack and around it.

use std::sync::Arc;

use anvil_tests::{Sender, event, memory, send, stats};
use anvil_tower::{DedupeLayer, EnqueueService, VerifiedBody};
use futures_util::FutureExt;
use http::{Request, StatusCode};
use tower::buffer::Buffer;
use tower::limit::ConcurrencyLimit;
use tower::load_shed::LoadShed;
use tower::load_shed::error::Overloaded;
use tower::{Layer, Service, ServiceBuilder, ServiceExt};

use super::{Probe, Stalled, Whole, delivery, stalled, verify};

#[tokio::test]
async fn a_concurrency_limit_inside_counts_each_delivery_once() {
    let limited = ConcurrencyLimit::new(Probe::default(), 1);
    let mut stack = verify().layer(DedupeLayer::recommended().layer(limited));
    for _ in 0..3 {
        let service = ServiceExt::<Whole>::ready(&mut stack).await.unwrap();
        let answering = service.call(delivery().request());
        let mut waiting = stack.clone();
        let second = ServiceExt::<Whole>::ready(&mut waiting).now_or_never();
        assert!(second.is_none(), "the first delivery holds the only permit");
        assert_eq!(answering.await.unwrap().status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn a_concurrency_limit_around_the_stack_holds_until_the_answer() {
    let (backend, queue) = memory();
    let stack = verify().layer(
        DedupeLayer::recommended().layer(EnqueueService::new(Arc::clone(&backend), queue.clone())),
    );
    let mut limited = ConcurrencyLimit::new(stack, 1);
    let service = ServiceExt::<Stalled>::ready(&mut limited).await.unwrap();
    let mut reading = Box::pin(service.call(stalled()));
    assert!((&mut reading).now_or_never().is_none());
    assert!(
        ServiceExt::<Whole>::ready(&mut limited)
            .now_or_never()
            .is_none()
    );
    drop(reading);
    assert!(
        ServiceExt::<Whole>::ready(&mut limited)
            .now_or_never()
            .is_some(),
        "dropping it gave the permit back"
    );
}

#[tokio::test]
async fn a_buffer_inside_gets_the_slot_it_reserved() {
    let (backend, queue) = memory();
    let enqueue = EnqueueService::new(Arc::clone(&backend), queue.clone());
    let buffered = Buffer::new(DedupeLayer::recommended().layer(enqueue), 1);
    let mut stack = verify().layer(buffered);
    for n in 0..3 {
        let request = Sender::Stripe.sign(event(&n.to_string())).request();
        let service = ServiceExt::<Whole>::ready(&mut stack).await.unwrap();
        assert_eq!(
            service.call(request).await.unwrap().status(),
            StatusCode::ACCEPTED
        );
    }
    assert_eq!(stats(&backend, &queue).await.ready, 3);
}

#[tokio::test]
async fn a_buffer_around_the_stack_changes_no_answer() {
    let (backend, queue) = memory();
    let stack = ServiceBuilder::new()
        .buffer::<Whole>(4)
        .layer(verify())
        .layer(DedupeLayer::recommended())
        .service(EnqueueService::new(Arc::clone(&backend), queue.clone()));
    let first = send(&stack, delivery().request()).await;
    assert_eq!(
        send(&stack, delivery().request()).await.job_id(),
        first.job_id()
    );
    let tampered = delivery().with_body("{}").request();
    assert_eq!(send(&stack, tampered).await.cause, Some("mismatch"));
}

#[tokio::test]
async fn load_shedding_inside_sheds_only_what_is_really_too_much() {
    let shedding = LoadShed::new(ConcurrencyLimit::new(Probe::default(), 1));
    let mut stack = verify().layer(DedupeLayer::recommended().layer(shedding));
    for _ in 0..3 {
        let service = ServiceExt::<Whole>::ready(&mut stack).await.unwrap();
        let first = service.call(delivery().request());
        let mut second = stack.clone();
        let service = ServiceExt::<Whole>::ready(&mut second).await.unwrap();
        let error = service.call(delivery().request()).await.unwrap_err();
        assert!(error.is::<Overloaded>(), "{error}");
        assert_eq!(first.await.unwrap().status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn load_shedding_around_the_stack_never_stores_what_it_sheds() {
    let (backend, queue) = memory();
    let stack = ServiceBuilder::new()
        .load_shed()
        .concurrency_limit(0)
        .layer(verify())
        .layer(DedupeLayer::recommended())
        .service(EnqueueService::new(Arc::clone(&backend), queue.clone()));
    let error = stack.oneshot(delivery().request()).await.unwrap_err();
    assert!(error.is::<Overloaded>(), "{error}");
    assert_eq!(stats(&backend, &queue).await, Default::default());
}

#[tokio::test]
async fn a_delivery_is_always_taken_in_by_the_last_service() {
    let (backend, queue) = memory();
    let mut enqueue = EnqueueService::new(backend, queue);
    let ready = ServiceExt::<Request<VerifiedBody>>::ready(&mut enqueue).now_or_never();
    assert!(ready.is_some(), "back-pressure is an answer, not a wait");
}
