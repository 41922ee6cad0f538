use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::{BodyExt, Limited};
use tower::{Layer, Service, ServiceExt};

use super::*;
use crate::testing::{BODY, GITHUB, Probe, SECRET, STRIPE, Step, TestBody, signed_at};
use crate::{GitHub, Rejection, Stripe, Unsigned, Verified};

const SIGNATURE: &str = "x-hub-signature-256";

fn layer() -> VerifyLayer<GitHub> {
    VerifyLayer::new("github", GitHub::new(SECRET).unwrap())
}

fn signed<B>(body: B) -> Request<B> {
    Request::post("/hooks")
        .header(SIGNATURE, GITHUB)
        .body(body)
        .unwrap()
}

/// Status and cause of the answer; an accepted body must be the one that was signed.
async fn answer<B>(layer: VerifyLayer<GitHub>, request: Request<B>) -> (u16, &'static str)
where
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let probe = Probe::default();
    let response = layer.layer(probe.clone()).oneshot(request).await.unwrap();
    let Some(rejection) = response.extensions().get::<Rejection>().copied() else {
        assert_eq!(response.body(), BODY.as_bytes());
        assert_eq!(probe.calls(), 1);
        return (response.status().as_u16(), "accepted");
    };
    assert_eq!(
        probe.calls(),
        0,
        "a refused delivery reached the inner service"
    );
    assert!(response.body().is_empty());
    (response.status().as_u16(), rejection.cause())
}

#[tokio::test]
async fn a_body_is_the_same_however_it_is_cut_into_frames() {
    let (first, second) = BODY.split_at(10);
    let bytes = |text: &str| Bytes::copy_from_slice(text.as_bytes());
    for body in [
        TestBody::chunks([BODY]),
        TestBody::chunks([first, "", second]),
        TestBody::chunks(BODY.split_inclusive(' ')),
        TestBody::new([Step::Chunks(bytes(first), bytes(second))]),
        TestBody::new([
            Step::Later,
            Step::chunk(first),
            Step::Later,
            Step::chunk(second),
            Step::Trailers,
        ]),
        TestBody::new(
            BODY.bytes()
                .map(|byte| Step::Chunk(Bytes::from(vec![byte]))),
        ),
    ] {
        assert_eq!(answer(layer(), signed(body)).await, (200, "accepted"));
    }
}

#[tokio::test]
async fn many_tiny_frames_are_read_to_the_end() {
    let steps = (0..10_000)
        .map(|_| Step::Chunk(Bytes::new()))
        .chain([Step::chunk(BODY)]);
    assert_eq!(
        answer(layer(), signed(TestBody::new(steps))).await,
        (200, "accepted")
    );
}

#[tokio::test]
async fn a_body_that_fails_is_400() {
    let body = TestBody::new([Step::chunk(BODY), Step::Fail]);
    assert_eq!(answer(layer(), signed(body)).await, (400, "body_failed"));
}

#[tokio::test]
async fn a_limit_outside_of_ours_is_413() {
    let body = Limited::new(TestBody::chunks([BODY]), 5);
    assert_eq!(answer(layer(), signed(body)).await, (413, "body_too_large"));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_stalls_is_408_at_the_deadline() {
    let layer = layer().read_timeout(Duration::from_secs(3));
    let started = tokio::time::Instant::now();
    let body = TestBody::new([Step::chunk(&BODY[..5]), Step::Later, Step::Stall]);
    assert_eq!(answer(layer, signed(body)).await, (408, "body_timeout"));
    assert_eq!(started.elapsed(), Duration::from_secs(3));
}

#[tokio::test(start_paused = true)]
async fn empty_frames_without_end_neither_keep_the_thread_nor_escape_the_deadline() {
    let reading = tokio::spawn(answer(layer(), signed(TestBody::new([Step::Endless]))));
    tokio::task::yield_now().await;
    tokio::time::advance(Duration::from_secs(10)).await;
    assert_eq!(reading.await.unwrap(), (408, "body_timeout"));
}

#[tokio::test]
async fn a_body_exactly_at_the_limit_passes_and_a_byte_more_is_413() {
    let at = layer().body_limit(BODY.len());
    assert_eq!(
        answer(at, signed(TestBody::chunks([BODY]))).await,
        (200, "accepted")
    );
    let under = layer().body_limit(BODY.len() - 1);
    assert_eq!(
        answer(under, signed(TestBody::chunks([BODY]))).await,
        (413, "body_too_large")
    );
}

#[tokio::test]
async fn a_declared_length_over_the_limit_is_413_before_a_byte_is_read() {
    let layer = layer().body_limit(100);
    for request in [
        signed(Unread::default()).with_length("101"),
        signed(Unread::default()).with_length("18446744073709551615"),
        signed(Unread {
            declared: 101,
            ..Unread::default()
        }),
    ] {
        let was_read = Arc::clone(&request.body().was_read);
        assert_eq!(
            answer(layer.clone(), request).await,
            (413, "body_too_large")
        );
        assert!(!was_read.load(Ordering::SeqCst));
    }
}

#[tokio::test]
async fn a_declared_length_that_lies_or_is_junk_changes_nothing() {
    for length in ["5", "0", "many", "-1", ""] {
        let request = signed(TestBody::chunks([BODY])).with_length(length);
        assert_eq!(
            answer(layer(), request).await,
            (200, "accepted"),
            "{length:?}"
        );
    }
    let declaring = TestBody::chunks([BODY]).declaring(1024 * 1024);
    assert_eq!(answer(layer(), signed(declaring)).await, (200, "accepted"));
}

#[tokio::test]
async fn a_head_that_can_not_pass_is_refused_before_a_byte_is_read() {
    for (signature, expected) in [
        (None, (401, "missing_signature")),
        (Some("junk"), (400, "malformed_signature")),
    ] {
        let mut request = Request::post("/hooks");
        if let Some(signature) = signature {
            request = request.header(SIGNATURE, signature);
        }
        let request = request.body(Unread::default()).unwrap();
        let was_read = Arc::clone(&request.body().was_read);
        assert_eq!(answer(layer(), request).await, expected);
        assert!(!was_read.load(Ordering::SeqCst));
    }
}

#[tokio::test]
async fn a_method_the_sender_never_uses_is_405_with_the_one_it_does() {
    for method in [Method::GET, Method::HEAD, Method::PUT, Method::OPTIONS] {
        let mut request = signed(String::from(BODY));
        *request.method_mut() = method;
        let response = layer()
            .layer(Probe::default())
            .oneshot(request)
            .await
            .unwrap();
        assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(response.headers()[header::ALLOW], "POST");
    }
}

#[tokio::test]
async fn a_tampered_body_is_401() {
    assert_eq!(
        answer(layer(), signed(String::from("{}"))).await,
        (401, "mismatch")
    );
    assert_eq!(
        answer(layer(), signed(String::from(""))).await,
        (401, "mismatch")
    );
}

#[tokio::test]
async fn a_signed_empty_body_passes() {
    let scheme = GitHub::builder()
        .secret("secret")
        .allow_short_secret()
        .build()
        .unwrap();
    let request = Request::post("/")
        .header(
            SIGNATURE,
            "sha256=f9e66e179b6747ae54108f82f8ade8b3c25d76fd30afde6c395822c530196169",
        )
        .body(TestBody::default())
        .unwrap();
    let layer = VerifyLayer::new("github", scheme).body_limit(0);
    let response = layer
        .layer(Probe::default())
        .oneshot(request)
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::OK);
}

#[tokio::test]
async fn the_clock_of_the_layer_decides_what_is_fresh() {
    for (late, expected) in [(0, None), (300, None), (301, Some("stale"))] {
        let layer = VerifyLayer::new("stripe", Stripe::new(SECRET).unwrap())
            .clock(move || signed_at() + Duration::from_secs(late));
        let request = Request::post("/")
            .header("stripe-signature", STRIPE)
            .body(String::from(BODY))
            .unwrap();
        let response = layer
            .layer(Probe::default())
            .oneshot(request)
            .await
            .unwrap();
        let cause = response
            .extensions()
            .get::<Rejection>()
            .map(Rejection::cause);
        assert_eq!(cause, expected);
    }
}

#[tokio::test]
async fn the_extensions_of_the_request_are_kept_and_the_record_is_added() {
    let mut request = signed(String::from(BODY));
    request.extensions_mut().insert("from outside");
    let response = layer()
        .layer(Probe::default())
        .oneshot(request)
        .await
        .unwrap();
    assert_eq!(response.extensions().get::<&str>(), Some(&"from outside"));
    let verified = response.extensions().get::<Verified>().unwrap();
    assert_eq!(&**verified.source(), "github");
    assert_eq!(
        (verified.scheme(), verified.key_id(), verified.kind()),
        ("github", "0", "webhook")
    );
}

#[tokio::test]
async fn the_service_that_was_polled_ready_is_the_one_that_is_called() {
    let mut service = layer().layer(Probe::default());
    for _ in 0..3 {
        let ready = ServiceExt::<Request<String>>::ready(&mut service)
            .await
            .unwrap();
        let clone = ready.clone();
        assert_eq!(
            ready
                .call(signed(String::from(BODY)))
                .await
                .unwrap()
                .status(),
            StatusCode::OK
        );
        drop(clone);
    }
}

#[tokio::test]
async fn an_answer_of_ones_own_keeps_the_cause_and_the_allowed_methods() {
    let layer = layer().on_rejection(|rejection: &Rejection| {
        let mut response = Response::new(rejection.cause().as_bytes().to_vec());
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        response
    });
    let request = Request::get("/").body(String::from("")).unwrap();
    let response = layer
        .layer(Probe::default())
        .oneshot(request)
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(response.body(), b"method_not_allowed");
    assert_eq!(response.headers()[header::ALLOW], "POST");
    assert_eq!(
        response.extensions().get::<Rejection>().unwrap().cause(),
        "method_not_allowed"
    );
}

#[tokio::test]
async fn an_inner_error_passes_through() {
    let inner = tower::service_fn(|_: Request<VerifiedBody>| async {
        Err::<Response<Vec<u8>>, _>("inner error")
    });
    let answer = layer()
        .layer(inner)
        .oneshot(signed(String::from(BODY)))
        .await;
    assert_eq!(answer.unwrap_err(), "inner error");
}

#[tokio::test]
async fn the_scheme_may_be_chosen_at_run_time() {
    for scheme in [
        Box::new(GitHub::new(SECRET).unwrap()) as Box<dyn crate::Scheme>,
        Box::new(Unsigned::accept_unverified("test")),
    ] {
        let layer = VerifyLayer::new("any", scheme);
        let response = layer
            .layer(Probe::default())
            .oneshot(signed(String::from(BODY)))
            .await
            .unwrap();
        assert_eq!(response.status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn a_verified_body_is_one_frame_of_known_length() {
    let mut body =
        VerifiedBody::assume_verified(BODY, Verified::assumed("test", Default::default()));
    assert_eq!(body.size_hint().exact(), Some(BODY.len() as u64));
    assert!(!body.is_end_stream());
    assert_eq!(
        body.frame().await.unwrap().unwrap().into_data().unwrap(),
        BODY
    );
    assert!(body.is_end_stream());
    assert!(body.frame().await.is_none());
}

#[tokio::test]
async fn nothing_shows_a_secret_a_signature_or_a_payload() {
    let layer = layer();
    let service = layer.layer(Probe::default());
    let body = VerifiedBody::assume_verified(BODY, Verified::assumed("test", Default::default()));
    let mut checked = service.clone();
    let future = checked.call_ready(signed(String::from(BODY))).await;
    for text in [
        format!("{layer:?}"),
        format!("{service:?}"),
        format!("{body:?}"),
        format!("{future:?}"),
    ] {
        for hidden in [SECRET, &GITHUB[7..], "evt_1", "caf"] {
            assert!(!text.contains(hidden), "{text}");
        }
    }
}

/// A body that notes whether anybody asked it for a byte.
#[derive(Default)]
struct Unread {
    declared: u64,
    was_read: Arc<AtomicBool>,
}

impl Body for Unread {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        self.was_read.store(true, Ordering::SeqCst);
        std::task::Poll::Ready(None)
    }

    fn size_hint(&self) -> http_body::SizeHint {
        let mut hint = http_body::SizeHint::default();
        hint.set_lower(self.declared);
        hint
    }
}

trait WithLength {
    fn with_length(self, length: &str) -> Self;
}

impl<B> WithLength for Request<B> {
    fn with_length(mut self, length: &str) -> Self {
        self.headers_mut()
            .insert(header::CONTENT_LENGTH, length.parse().unwrap());
        self
    }
}

trait CallReady<B>: Service<Request<B>> {
    async fn call_ready(&mut self, request: Request<B>) -> Self::Future;
}

impl<B, S: Service<Request<B>>> CallReady<B> for S {
    async fn call_ready(&mut self, request: Request<B>) -> Self::Future {
        assert!(self.ready().await.is_ok());
        self.call(request)
    }
}
