//! Secrets that are rotated: both are accepted, and each job knows by which.

use std::sync::Arc;
use std::time::Duration;

use anvil_queue::{DeadLetters, HandlerError, ReplayOptions};
use anvil_tests::{Sender, dead, event, memory, now, send, work};
use anvil_tower::enqueue::KEY_ID_METADATA;
use anvil_tower::{DedupeLayer, EnqueueService, Preset, VerifyLayer};
use tower::ServiceBuilder;

#[tokio::test(start_paused = true)]
async fn the_name_of_the_key_survives_to_the_handler_the_dead_letter_and_the_replay() {
    let (backend, queue) = memory();
    let scheme = Preset::STRIPE
        .builder()
        .named_secret("2026-03", "whsec_the_new_endpoint_secret")
        .named_secret("2025-11", Sender::Stripe.secret())
        .build()
        .unwrap();
    let hooks = ServiceBuilder::new()
        .layer(VerifyLayer::new("stripe", scheme).clock(now))
        .layer(DedupeLayer::recommended())
        .service(EnqueueService::new(Arc::clone(&backend), queue.clone()));
    let answer = send(&hooks, Sender::Stripe.sign(event("1")).request()).await;

    let failed = work(&backend, &queue, |_| Err(HandlerError::permanent("no"))).await;
    let letters = dead(&backend, &queue).await;
    let replay = ReplayOptions::default();
    backend
        .replay(&queue, &[answer.job_id()], replay)
        .await
        .unwrap();
    let replayed = work(&backend, &queue, |_| Ok(())).await;
    for data in [failed[0].data(), &letters[0].data, replayed[0].data()] {
        assert_eq!(data.metadata().get(KEY_ID_METADATA).unwrap(), "2025-11");
    }
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_accepted_until_its_end_and_then_refused_as_expired() {
    let (backend, queue) = memory();
    for (end, status, cause) in [(1, 202, None), (0, 401, Some("expired"))] {
        let scheme = Preset::STRIPE
            .builder()
            .named_secret("2026-03", "whsec_the_new_endpoint_secret")
            .expiring_secret(
                "2025-11",
                Sender::Stripe.secret(),
                now() + Duration::from_secs(end),
            )
            .build()
            .unwrap();
        let hooks = ServiceBuilder::new()
            .layer(VerifyLayer::new("stripe", scheme).clock(now))
            .layer(DedupeLayer::recommended())
            .service(EnqueueService::new(Arc::clone(&backend), queue.clone()));
        let answer = send(&hooks, Sender::Stripe.sign(event("1")).request()).await;
        assert_eq!((answer.status, answer.cause), (status, cause));
    }
    assert_eq!(work(&backend, &queue, |_| Ok(())).await.len(), 1);
}
