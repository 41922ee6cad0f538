use std::sync::Arc;
use std::time::SystemTime;

use anvil_memory::MemoryBackend;
use anvil_queue::{QueueBackend, QueueName};
use bytes::Bytes;
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use tower::{Layer, Service, ServiceExt};

use crate::testing::{Echo, SECRET, Step, TestBody};
use crate::{Check, Preset, Rejection, RejectionKind, Scheme, VerifyLayer, ingress};

/// Answers GET to everybody and `ping` to whom it knows.
#[derive(Debug)]
struct Asks(Preset);

impl Asks {
    fn new() -> Self {
        let preset = Preset::GITHUB.builder().secret(SECRET);
        Self(
            preset
                .named_secret("old", "an older secret of 16 bytes")
                .build()
                .unwrap(),
        )
    }
}

impl Scheme for Asks {
    fn name(&self) -> &'static str {
        "asks"
    }

    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        self.0.begin(head, now)
    }

    fn open_handshake(&self, head: &Parts) -> Option<Response<Bytes>> {
        let is_known = head.uri.query() == Some("token");
        (head.method == Method::GET && is_known).then(|| Response::new("open".into()))
    }

    fn signed_handshake(&self, key: u32, head: &Parts, body: &[u8]) -> Option<Response<Bytes>> {
        assert!(head.headers.contains_key("x-hub-signature-256"));
        (body == b"ping").then(|| Response::new(format!("signed by {key}").into()))
    }
}

fn signed(secret: &str, body: &'static str) -> Request<String> {
    let preset = Preset::github(secret).unwrap();
    let (mut head, ()) = Request::post("/").body(()).unwrap().into_parts();
    let scheme = preset.hmac().unwrap();
    scheme
        .sign(&mut head, body.as_bytes(), "1", SystemTime::now())
        .unwrap();
    Request::from_parts(head, body.into())
}

/// Status and body of the answer, and how often the inner service was called.
async fn answer<B>(request: Request<B>) -> (u16, String, usize)
where
    B: http_body::Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let inner = Echo::default();
    let layer = VerifyLayer::new("asks", Asks::new()).answer_handshakes();
    let response = layer.layer(inner.clone()).oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = String::from_utf8(response.into_body()).unwrap();
    (status, body, inner.calls())
}

#[tokio::test]
async fn an_unsigned_handshake_is_answered_before_a_byte_is_read() {
    let request = Request::get("/?token")
        .body(TestBody::new([Step::Stall]))
        .unwrap();
    assert_eq!(answer(request).await, (200, "open".into(), 0));
}

#[tokio::test]
async fn an_unsigned_handshake_with_a_wrong_token_is_refused_by_verification() {
    let request = Request::get("/?wrong").body(String::new()).unwrap();
    assert_eq!(answer(request).await, (405, String::new(), 0));
}

#[tokio::test]
async fn a_signed_handshake_is_answered_only_where_its_signature_is_right() {
    assert_eq!(
        answer(signed(SECRET, "ping")).await,
        (200, "signed by 0".into(), 0)
    );
    assert_eq!(
        answer(signed("an older secret of 16 bytes", "ping")).await,
        (200, "signed by 1".into(), 0)
    );
    assert_eq!(
        answer(signed("a secret of somebody else", "ping")).await,
        (401, String::new(), 0)
    );
    let unsigned = Request::post("/").body(String::from("ping")).unwrap();
    assert_eq!(answer(unsigned).await, (401, String::new(), 0));
}

#[tokio::test]
async fn everything_else_goes_on() {
    assert_eq!(
        answer(signed(SECRET, "pong")).await,
        (200, "pong".into(), 1)
    );
}

#[tokio::test]
async fn without_the_layer_a_signed_handshake_is_a_delivery() {
    let service = VerifyLayer::new("asks", Asks::new()).layer(Echo::default());
    let response = service.oneshot(signed(SECRET, "ping")).await.unwrap();
    assert_eq!(response.body(), b"ping");
}

#[tokio::test]
async fn an_answered_handshake_gives_the_ready_service_back() {
    let layer = VerifyLayer::new("asks", Asks::new()).answer_handshakes();
    let inner = tower::limit::ConcurrencyLimit::new(Echo::default(), 1);
    let mut service = layer.layer(inner);
    let other = service.clone();
    for _ in 0..3 {
        let asked = Request::get("/?token").body(String::new()).unwrap();
        let ready = ServiceExt::<Request<String>>::ready(&mut service)
            .await
            .unwrap();
        assert_eq!(ready.call(asked).await.unwrap().body(), b"open");
        let delivered = other.clone().oneshot(signed(SECRET, "pong")).await;
        assert_eq!(delivered.unwrap().body(), b"pong");
    }
}

#[tokio::test]
async fn no_handshake_reaches_the_queue_and_a_delivery_does() {
    let (backend, queue) = (Arc::new(MemoryBackend::new()), QueueName::new("q").unwrap());
    let hooks = ingress(Asks::new(), "asks", Arc::clone(&backend), queue.clone());
    let open = Request::get("/?token").body(String::new()).unwrap();
    for (request, status) in [
        (open, StatusCode::OK),
        (signed(SECRET, "ping"), StatusCode::OK),
        (signed(SECRET, "pong"), StatusCode::ACCEPTED),
    ] {
        let response = hooks.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), status);
        response.into_body().collect().await.unwrap();
    }
    let stats = backend.stats(&queue).await.unwrap();
    assert_eq!((stats.ready, stats.totals.accepted), (1, 1));
}

#[tokio::test]
async fn a_refusal_of_the_chain_keeps_its_record() {
    let service = VerifyLayer::new("asks", Asks::new())
        .answer_handshakes()
        .layer(Echo::default());
    let unsigned = Request::post("/").body(String::from("ping")).unwrap();
    let response = service.oneshot(unsigned).await.unwrap();
    let rejection = response.extensions().get::<Rejection>().unwrap();
    assert_eq!(rejection.kind(), RejectionKind::Missing);
}
