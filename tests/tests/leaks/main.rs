//! Nothing about a secret, a computed signature or a payload is in a log, a `Debug` or a response,
//! whatever a delivery looks like and whatever becomes of it.

mod hidden;
mod log;
mod shown;

use std::sync::Arc;
use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::{
    Context, DeadLetters, DeadQuery, HandlerError, Job, QueueBackend, QueueErrorKind, QueueName,
    Reserve, Worker, handler_fn, json_handler_fn,
};
use anvil_tests::{Delivery, Fault, FaultyBackend, SIGNED_AT, Sender, Verb, hooks, memory, send};
use anvil_tower::verify::RecentRejections;
use anvil_tower::{DedupeLayer, EnqueueService, VerifyLayer};
use bytes::Bytes;
use http::{Response, StatusCode};
use tower::ServiceBuilder;

use hidden::{Hidden, body};
use log::Log;

#[tokio::test(start_paused = true)]
async fn no_log_debug_or_response_shows_what_is_hidden() {
    let log = Log::start();
    for sender in Sender::ALL {
        let hidden = Hidden::of(sender);
        let mut shown = shown::of_configuration(sender);
        deliveries_of_all_kinds(sender, &mut shown).await;
        failing_stores(sender, &mut shown).await;
        shown::of_verified_parts(sender, &mut shown).await;
        shown.push(log.take());
        assert!(
            shown.iter().any(|text| text.contains("mismatch")),
            "the log is read"
        );
        for text in &shown {
            hidden.assert_not_in(text);
        }
    }
}

#[test]
fn what_is_hidden_would_be_found_in_every_form() {
    for sender in Sender::ALL {
        let hidden = Hidden::of(sender);
        let key = sender.key();
        for text in [
            format!("{key:?}"),
            format!("{:?}", Bytes::from(key.clone())),
            hex::encode_upper(&key),
            sender.secret().to_owned(),
            format!("{:?}", body("evt_1")),
            format!("{:?}", sender.mac(&body("evt_1"), SIGNED_AT)),
            hex::encode(sender.mac(&body("evt_1 "), SIGNED_AT)),
            format!("{:?}", delivery(sender, "evt_1").request().headers()),
        ] {
            assert!(hidden.is_in(&text), "{sender:?}: {text}");
        }
        assert!(!hidden.is_in("a text that shows nothing"));
    }
}

/// A delivery with something to hide in every part.
fn delivery(sender: Sender, id: &str) -> Delivery {
    hidden::in_headers(sender.sign(body(id)))
}

/// Good, repeated, refused, junk and dying deliveries, and the runs of their jobs.
async fn deliveries_of_all_kinds(sender: Sender, shown: &mut Vec<String>) {
    let (backend, queue) = memory();
    let enqueue = EnqueueService::new(Arc::clone(&backend), queue.clone())
        .replay_dead_duplicates(Arc::clone(&backend) as _);
    let rejections = RecentRejections::default();
    let verify = VerifyLayer::new(sender.name(), sender.scheme())
        .clock(anvil_tests::now)
        .recent_rejections(&rejections)
        .answer_handshakes();
    let hooks = ServiceBuilder::new()
        .layer(verify)
        .layer(DedupeLayer::json_pointer("/id").unwrap().require_key())
        .service(enqueue);
    let header = sender.signature_header();
    let good = delivery(sender, "evt_1");
    let deliveries = [
        good.clone(),
        good.clone(),
        delivery(sender, "evt_2"),
        good.clone().with_body(body("evt_1 ")),
        good.clone().without(header),
        good.clone().without(header).header(header, "junk"),
        good.clone().without(header).header(header, b"\xff\xfe"),
        good.clone().header(header, "another"),
        hidden::in_headers(sender.sign_at(body("evt_3"), SIGNED_AT - 4000)),
        hidden::in_headers(sender.sign_at(body("evt_3"), SIGNED_AT + 4000)),
        hidden::in_headers(sender.sign(hidden::body_without_id())),
    ];
    for delivery in deliveries {
        shown.push(format!("{:?}", send(&hooks, delivery.request()).await));
    }
    assert!(rejections.list().len() >= 5, "{rejections:?}");
    shown.push(format!(
        "{rejections:?} {:?} {:#?}",
        rejections.list(),
        rejections.list()
    ));
    shown.push(format!("{backend:?} {backend:#?} {hooks:?}"));
    lease_and_release(&backend, &queue, shown).await;

    // One run fails for good, one panics until it is dead, and then one can't be decoded.
    let handler = handler_fn(|job: Job, context: Context| async move {
        assert!(!job.payload().is_empty(), "{job:?} {context:?}");
        if job.payload() == &body("evt_1") {
            return Err(HandlerError::permanent(format!(
                "no: {job:?} {:?}",
                job.data()
            )));
        }
        panic!("{job:?}")
    });
    run(&backend, &queue, handler, shown).await;
    shown.push(format!("{:?}", send(&hooks, good.request()).await));
    let handler = json_handler_fn(|_: Vec<u32>, _, _| async { Ok(()) });
    run(&backend, &queue, handler, shown).await;
    let page = backend.list_dead(&queue, DeadQuery::new()).await.unwrap();
    assert!(page.letters.len() >= 2, "{page:?}");
    shown.push(format!("{page:?} {page:#?} {backend:?}"));
}

async fn run(
    backend: &Arc<MemoryBackend>,
    queue: &QueueName,
    handler: impl anvil_queue::Handler,
    shown: &mut Vec<String>,
) {
    let builder = Worker::new(Arc::clone(backend), queue.clone(), handler);
    shown.push(format!("{builder:?}"));
    let worker = builder.build().unwrap();
    let report = worker.run_until_idle().await.unwrap();
    shown.push(format!("{worker:?} {report:?} {report}"));
}

async fn lease_and_release(backend: &MemoryBackend, queue: &QueueName, shown: &mut Vec<String>) {
    let lease = Reserve::new(10, Duration::from_secs(1));
    shown.push(format!("{lease:?}"));
    let reserved = backend.reserve(queue, lease).await.unwrap();
    assert!(reserved.len() >= 2, "{reserved:?}");
    shown.push(format!("{reserved:?} {reserved:#?} {backend:?}"));
    for reserved in reserved {
        let release = [(reserved.lease, anvil_queue::Settlement::Release)];
        shown.push(format!("{release:?}"));
        let settled = backend.settle(queue, &release).await.unwrap();
        shown.push(format!("{settled:?}"));
    }
}

/// Stores that refuse, fail, hang and panic, and an answer that is none.
async fn failing_stores(sender: Sender, shown: &mut Vec<String>) {
    let (memory, queue) = memory();
    let faulty = Arc::new(FaultyBackend::new(memory));
    for fault in [
        Fault::Fail(QueueErrorKind::Unavailable),
        Fault::Refuse(anvil_queue::Refusal::Full),
        Fault::Refuse(anvil_queue::Refusal::TooLarge { limit: 1 }),
        Fault::Late(Duration::from_secs(5)),
        Fault::LoseReply,
        Fault::Panic,
        Fault::Shorten,
    ] {
        faulty.next(Verb::Enqueue, fault);
        let hooks = hooks(sender, &faulty, &queue);
        shown.push(format!(
            "{:?}",
            send(&hooks, delivery(sender, "evt_1").request()).await,
        ));
    }
    let enqueue = EnqueueService::new(faulty, queue).answer(|_: &anvil_queue::Enqueued| {
        let mut response = Response::<Bytes>::default();
        *response.status_mut() = StatusCode::NOT_FOUND;
        response
    });
    let hooks = ServiceBuilder::new()
        .layer(VerifyLayer::new(sender.name(), sender.scheme()).clock(anvil_tests::now))
        .service(enqueue);
    shown.push(format!(
        "{:?}",
        send(&hooks, delivery(sender, "evt_1").request()).await,
    ));
}
