//! What a sender is told while the store does not work: to try again, and never that it is safe.

use std::sync::Arc;
use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::{Enqueued, QueueErrorKind, Refusal};
use anvil_tests::{Fault, Sender, Verb, event, hooks, memory, send, stats};
use anvil_tower::{DedupeLayer, EnqueueService, VerifyLayer};
use bytes::Bytes;
use http::Response;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tower::ServiceBuilder;

use super::faulty;

/// Everything that can be wrong with storing a delivery, other than its size.
fn faults() -> [Fault; 9] {
    [
        Fault::Refuse(Refusal::Full),
        Fault::Fail(QueueErrorKind::Internal),
        Fault::Fail(QueueErrorKind::Rejected),
        Fault::Fail(QueueErrorKind::Timeout),
        Fault::Fail(QueueErrorKind::Unavailable),
        Fault::Hold(Arc::new(Semaphore::new(0))),
        Fault::LoseReply,
        Fault::Panic,
        Fault::Shorten,
    ]
}

#[tokio::test(start_paused = true)]
async fn whatever_goes_wrong_the_answer_is_to_try_again_within_a_second() {
    for sender in Sender::ALL {
        for fault in faults() {
            let (backend, _, queue) = faulty();
            let hooks = hooks(sender, &backend, &queue);
            backend.next(Verb::Enqueue, fault.clone());
            let start = Instant::now();
            let answer = send(&hooks, sender.sign(event("evt_1")).request()).await;
            assert!(answer.is_try_again(), "{sender:?} {fault:?}: {answer:?}");
            assert!(start.elapsed() <= Duration::from_secs(1), "{fault:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_ones_own_is_for_stored_deliveries_only() {
    for fault in faults() {
        let (backend, _, queue) = faulty();
        let enqueue = EnqueueService::new(Arc::clone(&backend), queue.clone())
            .answer(|_: &Enqueued| Response::new(Bytes::from_static(b"[accepted]")));
        let hooks = ServiceBuilder::new()
            .layer(VerifyLayer::new("github", Sender::GitHub.scheme()))
            .layer(DedupeLayer::recommended())
            .service(enqueue);
        let delivery = Sender::GitHub.sign(event("evt_1"));
        backend.next(Verb::Enqueue, fault.clone());
        let failed = send(&hooks, delivery.request()).await;
        assert!(failed.is_try_again(), "{fault:?}: {failed:?}");

        if let Fault::Hold(gate) = fault {
            gate.add_permits(1);
        }
        let stored = send(&hooks, delivery.request()).await;
        assert_eq!((stored.status, &stored.body[..]), (200, &b"[accepted]"[..]));
    }
}

#[tokio::test(start_paused = true)]
async fn a_delivery_larger_than_the_store_takes_is_413_and_leaves_no_record() {
    let (_, queue) = memory();
    let small = Arc::new(MemoryBackend::new().max_job_bytes(512));
    for sender in Sender::ALL {
        let hooks = hooks(sender, &small, &queue);
        let large = sender.sign(vec![b'x'; 512]);
        for _ in 0..2 {
            let answer = send(&hooks, large.request()).await;
            assert_eq!((answer.status, answer.body.len()), (413, 0), "{sender:?}");
        }
        assert_eq!(stats(&small, &queue).await.ready, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_answers_just_in_time_is_heard_and_one_that_does_not_is_given_up() {
    for (delay, in_time) in [(999, true), (1001, false)] {
        let (backend, memory, queue) = faulty();
        let hooks = hooks(Sender::Stripe, &backend, &queue);
        backend.next(Verb::Enqueue, Fault::Late(Duration::from_millis(delay)));
        let answer = send(&hooks, Sender::Stripe.sign(event("evt_1")).request()).await;
        assert_eq!(answer.status == 202, in_time, "{delay} ms: {answer:?}");
        assert_eq!(answer.is_try_again(), !in_time);
        // The batch goes on without its caller, and the retry finds its job.
        let retry = send(&hooks, Sender::Stripe.sign(event("evt_1")).request()).await;
        assert!(retry.replayed());
        assert_eq!(stats(&memory, &queue).await.totals.accepted, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_keeps_no_delivery_waiting_beyond_its_time_out() {
    let (backend, memory, queue) = faulty();
    let gate = Arc::new(Semaphore::new(0));
    backend.always(Verb::Enqueue, Fault::Hold(Arc::clone(&gate)));
    let hooks = hooks(Sender::GitHub, &backend, &queue);
    let start = Instant::now();
    let sending: Vec<_> = (0..64)
        .map(|n| {
            let request = Sender::GitHub.sign(event(&n.to_string())).request();
            let hooks = hooks.clone();
            tokio::spawn(async move { send(&hooks, request).await })
        })
        .collect();
    for answer in sending {
        let answer = answer.await.unwrap();
        assert!(answer.is_try_again(), "{answer:?}");
    }
    assert_eq!(start.elapsed(), Duration::from_secs(1));

    backend.always(Verb::Enqueue, None);
    gate.add_permits(64);
    for n in 0..64 {
        let request = Sender::GitHub.sign(event(&n.to_string())).request();
        assert_eq!(send(&hooks, request).await.status, 202);
    }
    assert_eq!(
        stats(&memory, &queue).await.ready,
        64,
        "what was in the line is one job each"
    );
}
