//! What never reaches the queue.

use anvil_queue::{QueueStats, QueueTotals};
use anvil_tests::{
    Delivery, SIGNED_AT, Sender, dedupe_by, event, hooks, memory, send, stats, work,
};
use anvil_tower::DedupeLayer;
use anvil_tower::dedupe::KeyExtractor;
use bytes::Bytes;

/// What a queue that nobody touched holds.
fn untouched() -> QueueStats {
    QueueStats::default()
}

#[tokio::test(start_paused = true)]
async fn a_tampered_or_unsigned_delivery_is_401_and_nothing_is_stored() {
    for sender in Sender::ALL {
        let (backend, queue) = memory();
        let hooks = hooks(sender, &backend, &queue);
        let good = sender.sign(event("evt_1"));
        let other = sender.sign(event("evt_2"));
        let mut flipped = good.body().to_vec();
        flipped[20] ^= 1;
        let cases: [(Delivery, &str); 5] = [
            (good.clone().with_body(flipped), "mismatch"),
            (good.clone().with_body(Bytes::new()), "mismatch"),
            (good.clone().with_body(other.body().clone()), "mismatch"),
            (
                good.clone().without(sender.signature_header()),
                "missing_signature",
            ),
            (
                good.clone()
                    .without(sender.signature_header())
                    .header(sender.signature_header(), ""),
                "missing_signature",
            ),
        ];
        for (delivery, cause) in cases {
            let answer = send(&hooks, delivery.request()).await;
            assert_eq!(
                (answer.status, answer.cause),
                (401, Some(cause)),
                "{sender:?}"
            );
            assert!(answer.body.is_empty());
        }
        assert_eq!(stats(&backend, &queue).await, untouched(), "{sender:?}");
        assert!(
            !send(&hooks, good.request()).await.replayed(),
            "no key was claimed"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_stale_or_future_delivery_is_401_and_nothing_is_stored() {
    for sender in Sender::ALL.into_iter().filter(|sender| sender.signs_time()) {
        let (backend, queue) = memory();
        let hooks = hooks(sender, &backend, &queue);
        for (at, cause) in [(SIGNED_AT - 301, "stale"), (SIGNED_AT + 301, "future")] {
            let answer = send(&hooks, sender.sign_at(event("evt_1"), at).request()).await;
            assert_eq!(
                (answer.status, answer.cause),
                (401, Some(cause)),
                "{sender:?}"
            );
        }
        assert_eq!(stats(&backend, &queue).await, untouched(), "{sender:?}");
        for at in [SIGNED_AT - 300, SIGNED_AT + 300] {
            let id = at.to_string();
            let answer = send(&hooks, sender.sign_at(event(&id), at).request()).await;
            assert!(!answer.replayed());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_signature_counts_whatever_names_the_delivery() {
    async fn check<E: KeyExtractor>(dedupe: &DedupeLayer<E>) {
        for sender in Sender::ALL {
            let (backend, queue) = memory();
            let hooks = dedupe_by(dedupe, sender, &backend, &queue);
            let good = sender.sign(event("evt_1")).header("x-id", "1");
            let tampered = good.clone().with_body(event("evt_2"));
            assert_eq!(send(&hooks, tampered.request()).await.status, 401);
            assert_eq!(stats(&backend, &queue).await.totals, QueueTotals::default());
            let first = send(&hooks, good.request()).await;
            assert_eq!(send(&hooks, good.request()).await.job_id(), first.job_id());
            assert_eq!(work(&backend, &queue, |_| Ok(())).await.len(), 1);
        }
    }
    check(&DedupeLayer::recommended()).await;
    check(&DedupeLayer::signature_and_payload()).await;
    check(&DedupeLayer::payload_digest()).await;
    check(&DedupeLayer::header("x-id").unwrap()).await;
    check(&DedupeLayer::json_pointer("/id").unwrap()).await;
    check(&DedupeLayer::new(
        |_: &_, _: &http::request::Parts, body: &[u8]| Some(body.to_vec()),
    ))
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_signature_of_one_sender_is_worth_nothing_to_another() {
    for sender in Sender::ALL {
        for other in Sender::ALL.into_iter().filter(|other| *other != sender) {
            let (backend, queue) = memory();
            let hooks = hooks(sender, &backend, &queue);
            let answer = send(&hooks, other.sign(event("evt_1")).request()).await;
            assert_eq!(answer.status, 401, "{other:?} at {sender:?}");
            assert_eq!(stats(&backend, &queue).await, untouched());
        }
    }
}
