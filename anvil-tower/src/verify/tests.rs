use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body::Body;
use sha2::{Digest, Sha256};
use tower::{Layer, Service, ServiceExt};

use super::*;
use crate::testing::{BODY, Echo, GITHUB, SECRET, STRIPE, Step, TestBody, signed_at};
use crate::{Preset, Rejection, RejectionKind, Unsigned, Verified};

mod body;

const SIGNATURE: &str = "x-hub-signature-256";

fn layer() -> VerifyLayer<Preset> {
    VerifyLayer::new("github", Preset::github(SECRET).unwrap())
}

fn signed<B>(body: B) -> Request<B> {
    Request::post("/hooks")
        .header(SIGNATURE, GITHUB)
        .body(body)
        .unwrap()
}

/// Status and cause of the answer; an accepted body must be the one that was signed.
async fn answer<B>(layer: VerifyLayer<Preset>, request: Request<B>) -> (u16, &'static str)
where
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let inner = Echo::default();
    let response = layer.layer(inner.clone()).oneshot(request).await.unwrap();
    let Some(rejection) = response.extensions().get::<Rejection>().copied() else {
        assert_eq!(response.body(), BODY.as_bytes());
        assert_eq!(inner.calls(), 1);
        return (response.status().as_u16(), "accepted");
    };
    assert_eq!(
        inner.calls(),
        0,
        "a refused delivery reached the inner service"
    );
    assert!(response.body().is_empty());
    (response.status().as_u16(), rejection.cause())
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
            .layer(Echo::default())
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
    let scheme = Preset::GITHUB
        .builder()
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
    let response = layer.layer(Echo::default()).oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
}

#[tokio::test]
async fn the_clock_of_the_layer_decides_what_is_fresh() {
    for (late, expected) in [(0, None), (300, None), (301, Some("stale"))] {
        let layer = VerifyLayer::new("stripe", Preset::stripe(SECRET).unwrap())
            .clock(move || signed_at() + Duration::from_secs(late));
        let request = Request::post("/")
            .header("stripe-signature", STRIPE)
            .body(String::from(BODY))
            .unwrap();
        let response = layer.layer(Echo::default()).oneshot(request).await.unwrap();
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
        .layer(Echo::default())
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
async fn an_answer_of_ones_own_keeps_the_cause_and_the_allowed_methods() {
    let layer = layer().on_rejection(|rejection: &Rejection| {
        let mut response = Response::new(rejection.cause().as_bytes().to_vec());
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        response
    });
    let request = Request::get("/").body(String::from("")).unwrap();
    let response = layer.layer(Echo::default()).oneshot(request).await.unwrap();
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
        Box::new(Preset::github(SECRET).unwrap()) as Box<dyn crate::Scheme>,
        Box::new(Unsigned::accept_unverified("test")),
    ] {
        let layer = VerifyLayer::new("any", scheme);
        let response = layer
            .layer(Echo::default())
            .oneshot(signed(String::from(BODY)))
            .await
            .unwrap();
        assert_eq!(response.status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn an_expired_secret_is_told_apart_from_a_wrong_one() {
    let answer = async |end: Duration, body: &str| {
        let scheme = Preset::STRIPE
            .builder()
            .named_secret("new", "whsec_the_new_endpoint_secret")
            .expiring_secret("old", SECRET, signed_at() + end)
            .build()
            .unwrap();
        let layer = VerifyLayer::new("stripe", scheme).clock(signed_at);
        let request = Request::post("/")
            .header("stripe-signature", STRIPE)
            .body(String::from(body))
            .unwrap();
        let response = layer.layer(Echo::default()).oneshot(request).await.unwrap();
        let rejection = response.extensions().get::<Rejection>().copied();
        let verified = response.extensions().get::<Verified>();
        let key = verified.map(|verified| verified.key_id().to_owned());
        (
            response.status().as_u16(),
            rejection.map(|rejection| rejection.kind()),
            key,
        )
    };
    let second = Duration::from_secs(1);
    assert_eq!(answer(second, BODY).await, (200, None, Some("old".into())));
    let expired = Some(RejectionKind::Expired);
    assert_eq!(answer(Duration::ZERO, BODY).await, (401, expired, None));
    let mismatch = Some(RejectionKind::Mismatch);
    assert_eq!(answer(Duration::ZERO, "{}").await, (401, mismatch, None));
}

#[tokio::test]
async fn the_scheme_says_how_the_unauthentic_are_refused_and_nobody_else_is() {
    /// A sender that takes a 4xx for good.
    #[derive(Debug)]
    struct Touchy(Preset);

    impl crate::Scheme for Touchy {
        fn name(&self) -> &'static str {
            "touchy"
        }

        fn begin(
            &self,
            head: &http::request::Parts,
            now: std::time::SystemTime,
        ) -> Result<crate::Check, Rejection> {
            self.0.begin(head, now)
        }

        fn refusal(&self) -> Option<StatusCode> {
            Some(StatusCode::SERVICE_UNAVAILABLE)
        }
    }

    let layer = VerifyLayer::new("touchy", Touchy(Preset::github(SECRET).unwrap())).body_limit(100);
    let mut put = signed(String::from(BODY));
    *put.method_mut() = Method::PUT;
    let unsigned = Request::post("/").body(String::from(BODY)).unwrap();
    let malformed = Request::post("/").header(SIGNATURE, "junk");
    for (request, status, cause) in [
        (unsigned, 503, "missing_signature"),
        (
            malformed.body(String::new()).unwrap(),
            503,
            "malformed_signature",
        ),
        (signed(String::from("{}")), 503, "mismatch"),
        (signed("x".repeat(101)), 413, "body_too_large"),
        (put, 405, "method_not_allowed"),
    ] {
        let response = layer.layer(Echo::default()).oneshot(request).await.unwrap();
        let rejection = response.extensions().get::<Rejection>().unwrap();
        assert_eq!(
            (response.status().as_u16(), rejection.cause()),
            (status, cause)
        );
    }
}

#[tokio::test]
async fn recent_rejections_tell_what_was_wrong_and_no_value() {
    let record = RecentRejections::default();
    let layer = layer()
        .recent_rejections(&record)
        .clock(signed_at)
        .body_limit(100);
    let unsigned = Request::post("/hooks").header("x-other", "1");
    for request in [
        unsigned.body(String::from(BODY)).unwrap(),
        signed(String::from("{}")),
        signed("x".repeat(101)),
        signed(String::from(BODY)),
    ] {
        layer.layer(Echo::default()).oneshot(request).await.unwrap();
    }
    let failing = signed(TestBody::new([Step::chunk("{"), Step::Fail]));
    layer.layer(Echo::default()).oneshot(failing).await.unwrap();

    let list = record.list();
    let causes: Vec<_> = list.iter().map(|entry| entry.cause()).collect();
    let expected = [
        "body_failed",
        "body_too_large",
        "mismatch",
        "missing_signature",
    ];
    assert_eq!(causes, expected);
    let bodies: Vec<_> = list.iter().map(|entry| entry.body_len()).collect();
    assert_eq!(bodies, [None, None, Some(2), None]);

    let mismatch = &list[2];
    assert_eq!(mismatch.kind(), RejectionKind::Mismatch);
    assert_eq!((mismatch.source(), mismatch.scheme()), ("github", "github"));
    assert_eq!(mismatch.at(), signed_at());
    assert_eq!(mismatch.header_names().collect::<Vec<_>>(), [SIGNATURE]);
    assert_eq!(
        mismatch.body_sha256().unwrap()[..],
        Sha256::digest("{}")[..]
    );
    let text = format!("{list:?} {record:?} {layer:?}");
    assert!(
        !text.contains(&GITHUB[7..]) && !text.contains(BODY),
        "{text}"
    );
}

#[tokio::test]
async fn what_is_refused_is_recorded_nowhere_unless_asked_for() {
    assert!(format!("{:?}", layer()).contains("recent_rejections: false"));
    let record = RecentRejections::default();
    assert_eq!(
        answer(layer(), signed(String::from("{}"))).await.1,
        "mismatch"
    );
    assert_eq!(record.total(), 0);
}

#[tokio::test]
async fn nothing_shows_a_secret_a_signature_or_a_payload() {
    let layer = layer();
    let service = layer.layer(Echo::default());
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

trait CallReady<B>: Service<Request<B>> {
    async fn call_ready(&mut self, request: Request<B>) -> Self::Future;
}

impl<B, S: Service<Request<B>>> CallReady<B> for S {
    async fn call_ready(&mut self, request: Request<B>) -> Self::Future {
        assert!(self.ready().await.is_ok());
        self.call(request)
    }
}
