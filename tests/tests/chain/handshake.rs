//! What a sender is told that asks whether somebody is here: nothing of it is enqueued.

use std::sync::Arc;

use anvil_queue::QueueBackend;
use anvil_tests::{Sender, event, memory, now, send, stats, work};
use anvil_tower::{DedupeLayer, EnqueueService, Preset, Scheme, VerifyLayer, ingress};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use tower::{Service, ServiceBuilder};

type Whole = Request<Full<Bytes>>;

/// The chain of the paved path, on the clock of the tests.
fn slack(
    backend: &Arc<impl QueueBackend + ?Sized>,
    queue: &anvil_queue::QueueName,
) -> impl Service<
    Whole,
    Response = Response<anvil_tower::enqueue::ResponseBody>,
    Error = std::convert::Infallible,
> + Clone {
    let scheme = Preset::slack(Sender::Slack.secret()).unwrap();
    let enqueue = EnqueueService::new(Arc::clone(backend), queue.clone()).answer(scheme.success());
    ServiceBuilder::new()
        .layer(
            VerifyLayer::new("slack", scheme)
                .clock(now)
                .answer_handshakes(),
        )
        .layer(DedupeLayer::recommended())
        .service(enqueue)
}

#[tokio::test(start_paused = true)]
async fn the_verification_of_a_url_by_slack_is_answered_and_not_enqueued() {
    let (backend, queue) = memory();
    let hooks = slack(&backend, &queue);
    let body = r#"{"token":"t","challenge":"3eZbrw1aB","type":"url_verification"}"#;
    let answer = send(&hooks, Sender::Slack.sign(body).request()).await;
    assert_eq!((answer.status, &answer.body[..]), (200, &b"3eZbrw1aB"[..]));
    assert_eq!(answer.headers["content-type"], "text/plain");
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    assert!(work(&backend, &queue, |_| Ok(())).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_verification_that_slack_did_not_sign_is_401() {
    let (backend, queue) = memory();
    let hooks = slack(&backend, &queue);
    let signed = Sender::Slack.sign(r#"{"type":"url_verification","challenge":"a"}"#);
    let forged = signed.with_body(r#"{"type":"url_verification","challenge":"b"}"#);
    let answer = send(&hooks, forged.request()).await;
    assert_eq!((answer.status, answer.cause), (401, Some("mismatch")));
    assert!(answer.body.is_empty());
    assert_eq!(stats(&backend, &queue).await, Default::default());
}

#[tokio::test(start_paused = true)]
async fn an_event_that_merely_holds_a_challenge_is_enqueued() {
    let (backend, queue) = memory();
    let hooks = slack(&backend, &queue);
    let body = r#"{"type":"event_callback","challenge":"3eZbrw1aB","event_id":"Ev1","event":{"type":"message","text":"url_verification"}}"#;
    let answer = send(&hooks, Sender::Slack.sign(body).request()).await;
    let runs = work(&backend, &queue, |_| Ok(())).await;
    assert_eq!((runs.len(), runs[0].id()), (1, answer.job_id()));
    assert_eq!(&runs[0].payload()[..], body.as_bytes());
}

#[tokio::test(start_paused = true)]
async fn a_duplicate_is_answered_as_the_sender_wants_the_first_answered() {
    // Whatever the preset says, the first and its copy are told the same.
    let secret = Sender::GitHub.secret();
    let (backend, queue) = memory();
    let scheme = Preset::github(secret).unwrap();
    let status = scheme.success().status().as_u16();
    let paved = ingress(scheme, "github", Arc::clone(&backend), queue.clone());
    let delivery = Sender::GitHub.sign(event("1"));
    let first = send(&paved, delivery.request()).await;
    let copy = send(&paved, delivery.request()).await;
    assert_eq!((first.status, copy.status), (status, status));
    assert_eq!(first.headers, copy.headers);
    assert_eq!(copy.job_id(), first.job_id());
    assert_eq!(work(&backend, &queue, |_| Ok(())).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_replay_under_another_id_is_one_job_and_is_counted() {
    let (backend, queue) = memory();
    let dedupe = DedupeLayer::recommended();
    let hooks = ServiceBuilder::new()
        .layer(VerifyLayer::new("github", Sender::GitHub.scheme()).answer_handshakes())
        .layer(dedupe.clone())
        .service(EnqueueService::new(Arc::clone(&backend), queue.clone()));
    let delivery = Sender::GitHub.sign(event("1"));
    for (id, count) in [("a", 0), ("a", 0), ("b", 1)] {
        let copy = delivery.clone().header("x-github-delivery", id);
        assert_eq!(send(&hooks, copy.request()).await.status, 202);
        assert_eq!(dedupe.came_under_other_ids(), count);
    }
    assert_eq!(work(&backend, &queue, |_| Ok(())).await.len(), 1);
}
