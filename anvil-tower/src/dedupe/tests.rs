use std::collections::HashSet;

use anvil_queue::DedupeKey;
use http::{Request, Response, StatusCode};
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use tower::{Layer, ServiceExt, service_fn};

use super::*;
use crate::testing::{BODY, Echo, GITHUB, SECRET, STANDARD, STRIPE, STRIPE_RETRY, WHSEC, head};
use crate::{Identity, Preset, Rejection, Scheme, Verified, VerifiedBody};

/// A delivery as verification hands it on.
fn delivery(scheme: &impl Scheme, headers: &[(&str, &str)], body: &str) -> Request<VerifiedBody> {
    let head = head(headers);
    let identity = scheme.identify(&head, body.as_bytes());
    let body = body.to_owned();
    let body = VerifiedBody::assume_verified(body, Verified::assumed("source", identity));
    Request::from_parts(head, body)
}

fn stripe(signature: &str, body: &str) -> Request<VerifiedBody> {
    delivery(
        &Preset::stripe(SECRET).unwrap(),
        &[("stripe-signature", signature)],
        body,
    )
}

fn github(signature: &str, id: &str, body: &str) -> Request<VerifiedBody> {
    let headers = [
        ("x-hub-signature-256", signature),
        ("x-github-delivery", id),
    ];
    delivery(&Preset::github(SECRET).unwrap(), &headers, body)
}

async fn key<E: KeyExtractor>(
    layer: &DedupeLayer<E>,
    request: Request<VerifiedBody>,
) -> Option<DedupeKey> {
    let response = layer.layer(Echo::default()).oneshot(request).await.unwrap();
    response.extensions().get().copied()
}

#[tokio::test]
async fn signature_and_payload_is_the_digest_of_both_and_nothing_else() {
    let layer = DedupeLayer::signature_and_payload();
    let part = Sha256::digest([STRIPE, BODY].concat());
    let expected = DedupeKey::derive("source", &part);
    assert_eq!(key(&layer, stripe(STRIPE, BODY)).await, Some(expected));
    assert_eq!(
        signature_and_payload(STRIPE.as_bytes(), BODY.as_bytes()),
        part[..]
    );
}

#[tokio::test]
async fn with_signature_and_payload_another_body_or_signature_is_another_event() {
    let layer = DedupeLayer::signature_and_payload();
    let first = key(&layer, stripe(STRIPE, BODY)).await;
    assert!(first.is_some());
    assert_eq!(key(&layer, stripe(STRIPE, BODY)).await, first);
    assert_ne!(key(&layer, stripe(STRIPE, "{}")).await, first);
    assert_ne!(key(&layer, stripe(STRIPE_RETRY, BODY)).await, first);
}

#[tokio::test]
async fn the_recommended_key_knows_an_event_that_was_signed_again() {
    let layer = DedupeLayer::recommended();
    let first = key(&layer, stripe(STRIPE, BODY)).await;
    assert_eq!(first, Some(DedupeKey::derive("source", b"evt_1")));
    assert_eq!(key(&layer, stripe(STRIPE_RETRY, BODY)).await, first);
}

#[tokio::test]
async fn the_recommended_key_can_not_be_changed_through_an_unsigned_id() {
    let layer = DedupeLayer::recommended();
    let first = key(&layer, github(GITHUB, "1", BODY)).await;
    assert_eq!(key(&layer, github(GITHUB, "2", BODY)).await, first);
    assert_ne!(key(&layer, github(GITHUB, "1", "{}")).await, first);
}

#[tokio::test]
async fn the_signed_id_of_a_header_is_the_recommended_key() {
    let headers = [
        ("webhook-signature", STANDARD),
        ("webhook-timestamp", "1767225600"),
        ("webhook-id", "msg_1"),
    ];
    let scheme = Preset::standard_webhooks(WHSEC).unwrap();
    let found = key(
        &DedupeLayer::recommended(),
        delivery(&scheme, &headers, BODY),
    )
    .await;
    assert_eq!(found, Some(DedupeKey::derive("source", b"msg_1")));
}

#[tokio::test]
async fn events_without_an_id_are_named_by_what_was_signed() {
    let layer = DedupeLayer::recommended();
    let bodies = [
        "{}",
        r#"{"id":""}"#,
        r#"{"id":null}"#,
        r#"{"id":"a","id":"b"}"#,
        "not json",
    ];
    let mut keys = HashSet::new();
    for body in bodies {
        keys.insert(key(&layer, stripe(STRIPE, body)).await.unwrap());
    }
    assert_eq!(keys.len(), bodies.len());
}

#[tokio::test]
async fn a_header_a_pointer_a_digest_and_a_closure_name_a_delivery() {
    let request = || github(GITHUB, "72d3162e", BODY);
    let header = DedupeLayer::header("X-GitHub-Delivery").unwrap();
    let pointer = DedupeLayer::json_pointer("/id").unwrap();
    let digest = DedupeLayer::payload_digest();
    let closure = DedupeLayer::new(
        |verified: &Verified, _: &http::request::Parts, body: &[u8]| {
            Some([verified.kind().as_bytes(), body].concat())
        },
    );
    let derive = |part: &[u8]| Some(DedupeKey::derive("source", part));
    assert_eq!(key(&header, request()).await, derive(b"72d3162e"));
    assert_eq!(key(&pointer, request()).await, derive(b"evt_1"));
    assert_eq!(key(&digest, request()).await, derive(&Sha256::digest(BODY)));
    assert_eq!(
        key(&closure, request()).await,
        derive(&[b"webhook", BODY.as_bytes()].concat())
    );
}

#[tokio::test]
async fn a_missing_or_empty_field_is_no_key() {
    let header = DedupeLayer::header("x-github-delivery").unwrap();
    assert_eq!(key(&header, github(GITHUB, "", BODY)).await, None);
    assert_eq!(key(&header, stripe(STRIPE, BODY)).await, None);
    let pointer = DedupeLayer::json_pointer("/id").unwrap();
    assert_eq!(key(&pointer, stripe(STRIPE, r#"{"id":""}"#)).await, None);
    assert_eq!(key(&pointer, stripe(STRIPE, "not json")).await, None);
    let unsigned = Verified::assumed("source", Identity::new());
    let request = Request::new(VerifiedBody::assume_verified(BODY, unsigned));
    assert_eq!(
        key(&DedupeLayer::signature_and_payload(), request).await,
        None
    );
}

#[tokio::test]
async fn a_required_key_that_is_missing_is_400() {
    let inner = Echo::default();
    let layer = DedupeLayer::json_pointer("/id").unwrap().require_key();
    let refused = layer
        .layer(inner.clone())
        .oneshot(stripe(STRIPE, "{}"))
        .await
        .unwrap();
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    assert_eq!(
        refused.extensions().get::<Rejection>().unwrap().cause(),
        "missing_key"
    );
    assert_eq!(inner.calls(), 0);
    let accepted = layer
        .layer(inner.clone())
        .oneshot(stripe(STRIPE, BODY))
        .await
        .unwrap();
    assert_eq!(accepted.status(), StatusCode::OK);
    assert_eq!(inner.calls(), 1);
}

#[tokio::test]
async fn extensions_and_inner_errors_pass_through() {
    let inner = service_fn(|request: Request<VerifiedBody>| async move {
        Err::<Response<()>, _>(*request.extensions().get::<&str>().unwrap())
    });
    let mut request = stripe(STRIPE, BODY);
    request.extensions_mut().insert("from outside");
    let answer = DedupeLayer::recommended()
        .layer(inner)
        .oneshot(request)
        .await;
    assert_eq!(answer.unwrap_err(), "from outside");
}

#[test]
fn a_configuration_that_can_not_work_is_refused() {
    assert!(DedupeLayer::header("not a header").is_err());
    assert!(DedupeLayer::json_pointer("id").is_err());
}

proptest! {
    #[test]
    fn no_body_and_no_header_panic(body: Vec<u8>, signature: Vec<u8>) {
        let mut head = head(&[]);
        let Ok(value) = http::HeaderValue::from_bytes(&signature) else { return Ok(()) };
        head.headers.insert("stripe-signature", value);
        let verified = Verified::assumed("s", Preset::stripe(SECRET).unwrap().identify(&head, &body));
        Recommended.part(&verified, &head, &body);
        SignatureAndPayload.part(&verified, &head, &body);
        Pointer::new("/a/0").unwrap().part(&verified, &head, &body);
    }
}

/// Names `requests` one after another; gives how many came under another id by then.
async fn under_other_ids<E: KeyExtractor>(
    layer: &DedupeLayer<E>,
    requests: Vec<Request<VerifiedBody>>,
) -> Vec<u64> {
    let mut counts = Vec::new();
    for request in requests {
        let service = layer.layer(Echo::default());
        service.oneshot(request).await.unwrap();
        counts.push(layer.came_under_other_ids());
    }
    counts
}

#[tokio::test]
async fn content_that_comes_again_under_another_unsigned_id_is_counted() {
    let layer = DedupeLayer::recommended();
    let requests = vec![
        github(GITHUB, "a", BODY),
        github(GITHUB, "a", BODY),
        github(GITHUB, "b", BODY),
        github(GITHUB, "a", BODY),
        github(GITHUB, "c", "{}"),
        github(GITHUB, "d", BODY),
    ];
    assert_eq!(under_other_ids(&layer, requests).await, [0, 0, 1, 1, 1, 2]);
    assert_eq!(
        layer.clone().layer(Echo::default()).came_under_other_ids(),
        2
    );
}

#[tokio::test]
async fn an_id_that_is_signed_or_missing_or_is_the_key_is_never_counted() {
    let requests = || {
        vec![
            stripe(STRIPE, BODY),
            stripe(STRIPE_RETRY, BODY),
            delivery(
                &Preset::github(SECRET).unwrap(),
                &[("x-hub-signature-256", GITHUB)],
                BODY,
            ),
            github(GITHUB, "a", BODY),
        ]
    };
    let recommended = DedupeLayer::recommended();
    assert_eq!(under_other_ids(&recommended, requests()).await, [0; 4]);
    let by_id = DedupeLayer::header("x-github-delivery").unwrap();
    let requests = vec![github(GITHUB, "a", BODY), github(GITHUB, "b", BODY)];
    assert_eq!(under_other_ids(&by_id, requests).await, [0, 0]);
}

#[tokio::test]
async fn the_same_content_from_two_sources_is_not_counted() {
    let layer = DedupeLayer::recommended();
    for (source, id) in [("a", "1"), ("b", "2")] {
        let verified = Verified::assumed(source, Identity::new().delivery_id(id, false));
        let request = Request::new(VerifiedBody::assume_verified(BODY, verified));
        layer.layer(Echo::default()).oneshot(request).await.unwrap();
    }
    assert_eq!(layer.came_under_other_ids(), 0);
}
