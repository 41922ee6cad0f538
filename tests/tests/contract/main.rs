//! The contract of tower, for every layer and for the whole stack: what was polled ready is what
//! is called, errors and extensions pass through, and a dropped future leaves nothing behind.

mod cancel;
mod mount;
mod pressure;
mod probe;

use std::convert::Infallible;
use std::future::poll_fn;

use anvil_queue::DedupeKey;
use anvil_tests::{Delivery, Sender, event, now};
use anvil_tower::{DedupeLayer, Scheme, Verified, VerifiedBody, VerifyLayer};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use tower::{Layer, Service, ServiceBuilder, ServiceExt, service_fn};

use probe::{Broken, NeverReady, Probe};

pub(crate) fn verify() -> VerifyLayer<Box<dyn Scheme>> {
    VerifyLayer::new("stripe", Sender::Stripe.scheme()).clock(now)
}

pub(crate) fn delivery() -> Delivery {
    Sender::Stripe.sign(event("evt_1"))
}

/// A request whose body is there.
pub(crate) type Whole = Request<Full<Bytes>>;

/// A request whose body stalls half-way.
pub(crate) type Stalled = Request<UnsyncBoxBody<Bytes, Infallible>>;

pub(crate) fn stalled() -> Stalled {
    let delivery = delivery();
    let half = Frame::data(delivery.body().slice(..10));
    let frames = stream::iter([Ok(half)]).chain(stream::pending());
    delivery.with(StreamBody::new(frames).boxed_unsync())
}

/// A request as verification hands it on.
fn verified() -> Request<VerifiedBody> {
    let verified = Verified::assumed("stripe", Default::default());
    Request::new(VerifiedBody::assume_verified("{}", verified))
}

/// Calls a service several times, with a clone taken before and after it was polled ready.
async fn call_between_clones<S, B, R>(mut service: S, request: impl Fn() -> Request<B>)
where
    S: Service<Request<B>, Response = Response<R>, Error = Broken> + Clone,
{
    for _ in 0..3 {
        let _before = service.clone();
        poll_fn(|cx| service.poll_ready(cx)).await.unwrap();
        let _after = service.clone();
        let response = service.call(request()).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn each_layer_and_the_stack_call_the_service_that_was_polled_ready() {
    let dedupe = DedupeLayer::recommended();
    let request = || delivery().request();
    call_between_clones(verify().layer(Probe::default()), request).await;
    let handshakes = verify().answer_handshakes();
    let in_bytes = ServiceExt::<Request<VerifiedBody>>::map_response(
        Probe::default(),
        |response: Response<String>| response.map(Bytes::from),
    );
    call_between_clones(handshakes.layer(in_bytes), request).await;
    call_between_clones(dedupe.layer(Probe::default()), verified).await;
    call_between_clones(
        dedupe.clone().require_key().layer(Probe::default()),
        verified,
    )
    .await;
    let stack = ServiceBuilder::new()
        .layer(verify())
        .layer(dedupe.clone())
        .service(Probe::default());
    call_between_clones(stack, request).await;
    let strict = ServiceBuilder::new()
        .layer(verify())
        .layer(dedupe.require_key())
        .service(Probe::default());
    call_between_clones(strict, request).await;
}

#[tokio::test]
async fn a_refused_delivery_does_not_use_up_the_readiness_of_others() {
    let probe = Probe::default();
    let mut service = verify().layer(probe.clone());
    for _ in 0..3 {
        let ready = ServiceExt::<Request<String>>::ready(&mut service);
        let refused = Request::post("/").body(String::new()).unwrap();
        let response = ready.await.unwrap().call(refused).await.unwrap();
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
        let ready = ServiceExt::<Whole>::ready(&mut service);
        let response = ready
            .await
            .unwrap()
            .call(delivery().request())
            .await
            .unwrap();
        assert_eq!(response.status(), StatusCode::OK);
    }
    assert_eq!(probe.calls(), 3);
}

#[tokio::test]
async fn errors_of_the_inner_service_pass_through_as_they_are() {
    let failing = service_fn(|_: Request<VerifiedBody>| async {
        Err::<Response<String>, _>(Broken("called"))
    });
    let stack = ServiceBuilder::new()
        .layer(verify())
        .layer(DedupeLayer::recommended().require_key())
        .service(failing);
    let error = stack.oneshot(delivery().request()).await.unwrap_err();
    assert_eq!(error, Broken("called"));

    let mut stack = ServiceBuilder::new()
        .layer(verify())
        .layer(DedupeLayer::recommended().require_key())
        .service(NeverReady);
    let ready = ServiceExt::<Request<String>>::ready(&mut stack).await;
    assert_eq!(ready.map(|_| ()), Err(Broken("not ready")));
}

#[tokio::test]
async fn extensions_pass_through_and_the_record_and_the_key_are_added() {
    let stack = ServiceBuilder::new()
        .layer(verify())
        .layer(DedupeLayer::recommended())
        .service(Probe::default());
    let mut request = delivery().request();
    request.extensions_mut().insert("from outside");
    let response = stack.oneshot(request).await.unwrap();
    let extensions = response.extensions();
    assert_eq!(extensions.get(), Some(&"from outside"));
    assert_eq!(
        extensions.get(),
        Some(&DedupeKey::derive("stripe", b"evt_1"))
    );
    let verified: &Verified = extensions.get().unwrap();
    assert_eq!(verified.timestamp(), Some(now()));
    assert_eq!(verified.delivery_id().unwrap().as_str(), "evt_1");
}
