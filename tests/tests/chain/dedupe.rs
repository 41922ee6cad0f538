//! Which deliveries are one job.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_tests::{SIGNED_AT, Sender, dedupe_by, event, hooks, memory, queue, send, stats, work};
use anvil_tower::{
    DedupeLayer, EnqueueService, SignatureAndPayload, Unsigned, VerifyLayer, signature_and_payload,
};
use tower::{Layer, ServiceBuilder};

#[tokio::test(start_paused = true)]
async fn five_copies_are_one_job_and_every_answer_has_its_id() {
    for sender in Sender::ALL {
        let (backend, queue) = memory();
        let hooks = hooks(sender, &backend, &queue);
        let delivery = sender.sign(event("evt_1"));
        let first = send(&hooks, delivery.request()).await;
        assert!(!first.replayed());
        for _ in 0..4 {
            let copy = send(&hooks, delivery.request()).await;
            assert_eq!((copy.status, copy.job_id()), (202, first.job_id()));
            assert!(copy.replayed());
        }
        assert_eq!(work(&backend, &queue, |_| Ok(())).await.len(), 1);
        let afterwards = send(&hooks, delivery.request()).await;
        assert_eq!(
            afterwards.job_id(),
            first.job_id(),
            "a done job keeps its key"
        );
        let totals = stats(&backend, &queue).await.totals;
        assert_eq!((totals.accepted, totals.duplicates), (1, 5));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_copies_at_once_on_two_instances_are_one_job() {
    for sender in Sender::ALL {
        let (backend, queue) = memory();
        let instances = [0, 1].map(|_| hooks(sender, &backend, &queue));
        let delivery = sender.sign(event("evt_1"));
        let sending: Vec<_> = (0..64)
            .map(|n| {
                let (hooks, request) = (instances[n % 2].clone(), delivery.request());
                tokio::spawn(async move { send(&hooks, request).await })
            })
            .collect();
        let mut ids = HashSet::new();
        let mut firsts = 0;
        for answer in sending {
            let answer = answer.await.unwrap();
            firsts += usize::from(!answer.replayed());
            ids.insert(answer.job_id());
        }
        assert_eq!((ids.len(), firsts), (1, 1), "{sender:?}");
        let stats = stats(&backend, &queue).await;
        assert_eq!((stats.ready, stats.totals.duplicates), (1, 63));
    }
}

#[tokio::test(start_paused = true)]
async fn with_the_recommended_key_a_retry_with_a_renewed_signature_is_the_same_job() {
    // Slack and Stripe name the event in the signed body, Standard Webhooks in a signed header.
    for sender in Sender::ALL {
        let (backend, queue) = memory();
        let hooks = hooks(sender, &backend, &queue);
        let first = send(
            &hooks,
            sender.sign_at(event("evt_1"), SIGNED_AT - 60).request(),
        )
        .await;
        let retry = send(&hooks, sender.sign_at(event("evt_1"), SIGNED_AT).request()).await;
        assert_eq!(retry.job_id(), first.job_id(), "{sender:?}");
        assert_eq!(work(&backend, &queue, |_| Ok(())).await.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn with_signature_and_payload_a_copy_is_one_job_and_a_renewed_signature_another() {
    let sender = Sender::Stripe;
    let (backend, queue) = memory();
    let hooks = dedupe_by(
        &DedupeLayer::signature_and_payload(),
        sender,
        &backend,
        &queue,
    );
    let original = sender.sign_at(event("evt_1"), SIGNED_AT - 60);
    let first = send(&hooks, original.request()).await;
    let copy = send(&hooks, original.request()).await;
    let renewed = send(&hooks, sender.sign(event("evt_1")).request()).await;
    assert_eq!((copy.job_id(), copy.replayed()), (first.job_id(), true));
    assert_ne!(renewed.job_id(), first.job_id());
    assert!(!renewed.replayed());
    assert_eq!(work(&backend, &queue, |_| Ok(())).await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn with_signature_and_payload_the_same_signature_over_another_body_is_refused_or_another_job()
{
    let sender = Sender::Stripe;
    let (backend, queue) = memory();
    let verified = dedupe_by(
        &DedupeLayer::signature_and_payload(),
        sender,
        &backend,
        &queue,
    );
    let delivery = sender.sign(event("evt_1"));
    assert_eq!(send(&verified, delivery.request()).await.status, 202);
    let swapped = delivery.clone().with_body(event("evt_2"));
    assert_eq!(
        send(&verified, swapped.request()).await.cause,
        Some("mismatch")
    );

    // Where nothing verifies, both halves still count.
    let name_by_both = DedupeLayer::new(|_: &_, head: &http::request::Parts, body: &[u8]| {
        let signature = head.headers.get("stripe-signature")?;
        Some(signature_and_payload(signature.as_bytes(), body).to_vec())
    });
    let unverified = VerifyLayer::new("open", Unsigned::accept_unverified("test"))
        .layer(name_by_both.layer(EnqueueService::new(Arc::clone(&backend), queue.clone())));
    let first = send(&unverified, delivery.request()).await;
    let copy = send(&unverified, delivery.request()).await;
    let other = send(&unverified, swapped.request()).await;
    assert_eq!(copy.job_id(), first.job_id());
    assert_ne!(other.job_id(), first.job_id());
}

#[tokio::test(start_paused = true)]
async fn without_a_signature_header_signature_and_payload_names_nothing() {
    let (backend, queue) = memory();
    let hooks = ServiceBuilder::new()
        .layer(VerifyLayer::new(
            "open",
            Unsigned::accept_unverified("test"),
        ))
        .layer(DedupeLayer::<SignatureAndPayload>::signature_and_payload())
        .service(EnqueueService::new(Arc::clone(&backend), queue.clone()));
    let delivery = Sender::GitHub.sign("{}");
    let first = send(&hooks, delivery.request()).await;
    let second = send(&hooks, delivery.request()).await;
    assert_ne!(
        first.job_id(),
        second.job_id(),
        "no key, so never taken for one another"
    );
}

#[tokio::test(start_paused = true)]
async fn two_bodies_without_the_id_that_would_name_them_are_two_jobs() {
    let (backend, queue) = memory();
    let by_header = DedupeLayer::header("x-delivery-id").unwrap();
    let by_header = dedupe_by(&by_header, Sender::GitHub, &backend, &queue);
    let by_pointer = DedupeLayer::json_pointer("/id").unwrap();
    let by_pointer = dedupe_by(&by_pointer, Sender::GitHub, &backend, &queue);
    let recommended = hooks(Sender::GitHub, &backend, &queue);
    for body in [r#"{"n":1}"#, r#"{"n":2}"#] {
        let delivery = Sender::GitHub.sign(body);
        assert!(!send(&by_header, delivery.request()).await.replayed());
        let blank = delivery.clone().header("x-delivery-id", "");
        assert!(!send(&by_header, blank.request()).await.replayed());
        assert!(!send(&by_pointer, delivery.request()).await.replayed());
        assert!(!send(&recommended, delivery.request()).await.replayed());
    }
    assert_eq!(work(&backend, &queue, |_| Ok(())).await.len(), 8);
}

#[tokio::test(start_paused = true)]
async fn the_same_id_from_two_sources_is_two_jobs() {
    let (backend, queue) = memory();
    let account = |source: &'static str| {
        VerifyLayer::new(source, Sender::Stripe.scheme())
            .clock(anvil_tests::now)
            .layer(
                DedupeLayer::recommended()
                    .layer(EnqueueService::new(Arc::clone(&backend), queue.clone())),
            )
    };
    let delivery = Sender::Stripe.sign(event("evt_1"));
    let first = send(&account("stripe-eu"), delivery.request()).await;
    let second = send(&account("stripe-us"), delivery.request()).await;
    assert!(!second.replayed());
    assert_ne!(first.job_id(), second.job_id());
}

#[tokio::test(start_paused = true)]
async fn an_unsigned_id_can_not_make_a_captured_delivery_new() {
    let (backend, queue) = memory();
    let hooks = hooks(Sender::GitHub, &backend, &queue);
    let delivery = Sender::GitHub.sign(event("evt_1"));
    let first = delivery.clone().header("x-github-delivery", "72d3162e");
    let again = delivery.header("x-github-delivery", "ffffffff");
    let first = send(&hooks, first.request()).await;
    assert_eq!(send(&hooks, again.request()).await.job_id(), first.job_id());
}

#[tokio::test(start_paused = true)]
async fn after_the_window_a_re_delivery_is_a_new_job() {
    let window = Duration::from_secs(3600);
    let (backend, queue) = (
        Arc::new(MemoryBackend::new().dedupe_window(window)),
        queue("hooks"),
    );
    let hooks = hooks(Sender::Stripe, &backend, &queue);
    let delivery = Sender::Stripe.sign(event("evt_1"));
    let first = send(&hooks, delivery.request()).await;
    work(&backend, &queue, |_| Ok(())).await;
    tokio::time::advance(window - Duration::from_millis(1)).await;
    assert!(send(&hooks, delivery.request()).await.replayed());
    tokio::time::advance(Duration::from_millis(1)).await;
    let later = send(&hooks, delivery.request()).await;
    assert!(!later.replayed());
    assert_ne!(later.job_id(), first.job_id());
    assert_eq!(work(&backend, &queue, |_| Ok(())).await.len(), 1);
}
