//! From the request to the handler: the whole chain in one process, on a paused clock.

mod dead;
mod dedupe;
mod handshake;
mod load;
mod refused;
mod rotation;

use std::sync::Arc;

use anvil_queue::{DeadLetters, HandlerError, Job, QueueBackend, ReplayOptions};
use anvil_tests::{Sender, dead, event, hooks, memory, send, stats, work};
use anvil_tower::{EnqueueService, ingress};
use sha2::{Digest, Sha256};

#[tokio::test(start_paused = true)]
async fn a_signed_delivery_of_each_sender_reaches_the_handler_as_it_was_sent() {
    for sender in Sender::ALL {
        let (backend, queue) = memory();
        let delivery = sender
            .sign(event("evt_1"))
            .header("traceparent", "00-1-2-00");
        let answer = send(&hooks(sender, &backend, &queue), delivery.request()).await;

        let runs = work(&backend, &queue, |_| Ok(())).await;
        let [job] = runs.as_slice() else {
            panic!("{sender:?}: {runs:?}")
        };
        assert_eq!(job.id(), answer.job_id());
        assert!(!answer.replayed());
        assert_eq!(job.payload(), delivery.body());
        assert_eq!((job.kind(), job.source()), ("invoice.paid", sender.name()));
        assert_eq!(job.attempt(), 1);
        let metadata: Vec<_> = job
            .metadata()
            .iter()
            .map(|(name, value)| (name, &value[..]))
            .collect();
        assert_eq!(
            metadata,
            [
                ("content-type", &b"application/json"[..]),
                ("traceparent", b"00-1-2-00")
            ]
        );
        assert_eq!(stats(&backend, &queue).await.totals.completed, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn every_byte_value_survives_to_the_handler_the_dead_letter_and_the_replay() {
    let payload: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
    let digest = Sha256::digest(&payload);
    let header: Vec<u8> = (0x80..=0xff).collect();
    for sender in Sender::ALL {
        let (backend, queue) = memory();
        let delivery = sender.sign(payload.clone()).without("content-type");
        let delivery = delivery.header("content-type", &header);
        let answer = send(&hooks(sender, &backend, &queue), delivery.request()).await;

        let failed = work(&backend, &queue, |_| Err(HandlerError::permanent("no"))).await;
        let letters = dead(&backend, &queue).await;
        let replay = ReplayOptions::default();
        backend
            .replay(&queue, &[answer.job_id()], replay)
            .await
            .unwrap();
        let replayed = work(&backend, &queue, |_| Ok(())).await;

        assert_eq!((failed.len(), letters.len(), replayed.len()), (1, 1, 1));
        for data in [failed[0].data(), &letters[0].data, replayed[0].data()] {
            assert_eq!(Sha256::digest(data.payload()), digest, "{sender:?}");
            assert_eq!(data.metadata().get("content-type").unwrap(), &header[..]);
            assert_eq!(
                data.kind(),
                if sender.signs_time() {
                    "webhook"
                } else {
                    "invoice.paid"
                }
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_paved_path_does_what_the_layers_do_by_hand() {
    // No clock can be set on the paved path, so the sender is one that signs no time.
    let sender = Sender::GitHub;
    let (backend, queue) = memory();
    let by_hand = hooks(sender, &backend, &queue);
    let paved = ingress(
        sender.scheme(),
        sender.name(),
        Arc::clone(&backend),
        queue.clone(),
    );

    let first = send(&paved, sender.sign(event("1")).request()).await;
    let again = send(&by_hand, sender.sign(event("1")).request()).await;
    assert_eq!(again.job_id(), first.job_id(), "the key is the same");
    assert!(again.replayed());
    let other = send(&by_hand, sender.sign(event("2")).request()).await;
    let tampered = sender.sign(event("1")).with_body("{}");
    assert_eq!(other.headers, first.headers);
    assert_eq!(
        send(&paved, tampered.request()).await.cause,
        send(&by_hand, tampered.request()).await.cause
    );

    let runs = work(&backend, &queue, |_| Ok(())).await;
    let shape = |job: &Job| (job.kind().to_owned(), job.source().to_owned());
    assert_eq!(shape(&runs[0]), shape(&runs[1]));
    assert_eq!(runs[0].metadata(), runs[1].metadata());
}

#[tokio::test(start_paused = true)]
async fn an_event_of_slack_that_holds_a_challenge_is_an_event_like_any_other() {
    let (backend, queue) = memory();
    let body = r#"{"type":"event_callback","challenge":"3eZbrw1aB","event_id":"Ev1","event":{"type":"message"}}"#;
    let hooks = hooks(Sender::Slack, &backend, &queue);
    let answer = send(&hooks, Sender::Slack.sign(body).request()).await;
    assert!(!String::from_utf8_lossy(&answer.body).contains("3eZbrw1aB"));
    let runs = work(&backend, &queue, |_| Ok(())).await;
    assert_eq!((runs.len(), runs[0].id()), (1, answer.job_id()));
    assert_eq!(
        (runs[0].kind(), &runs[0].payload()[..]),
        ("message", body.as_bytes())
    );
}

#[tokio::test(start_paused = true)]
async fn only_listed_headers_are_stored_and_other_names_change_nothing() {
    let (backend, queue) = memory();
    let enqueue = EnqueueService::new(Arc::clone(&backend), queue.clone());
    let enqueue = enqueue.store_headers(["X-Tenant"]).unwrap();
    let hooks = tower::ServiceBuilder::new()
        .layer(anvil_tower::VerifyLayer::new(
            "github",
            Sender::GitHub.scheme(),
        ))
        .layer(anvil_tower::DedupeLayer::recommended())
        .service(enqueue);
    let delivery = Sender::GitHub.sign(event("1"));
    let first = send(
        &hooks,
        delivery
            .clone()
            .header("x-tenant", "a")
            .header("cookie", "session=1")
            .header("x-unknown", "1")
            .request(),
    )
    .await;
    let second = send(&hooks, delivery.header("x-unknown", "2").request()).await;
    assert_eq!(second.job_id(), first.job_id());
    let runs = work(&backend, &queue, |_| Ok(())).await;
    let names: Vec<_> = runs[0].metadata().iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["X-Tenant"]);
}

#[tokio::test(start_paused = true)]
async fn a_backend_chosen_at_run_time_serves_the_whole_chain() {
    let (memory, queue) = memory();
    let backend: Arc<dyn QueueBackend> = Arc::<anvil_memory::MemoryBackend>::clone(&memory);
    let hooks = hooks(Sender::Stripe, &backend, &queue);
    let answer = send(&hooks, Sender::Stripe.sign(event("evt_1")).request()).await;
    let runs = work(&backend, &queue, |_| Ok(())).await;
    assert_eq!(runs[0].id(), answer.job_id());
    assert_eq!(stats(&memory, &queue).await.open(), 0);
}
