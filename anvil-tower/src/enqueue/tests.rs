use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anvil_memory::MemoryBackend;
use anvil_queue::{
    DeadLetters, DeadQuery, DeadReason, DedupeKey, Enqueued, ErrorText, FailureKind, FailureReport,
    QueueBackend, QueueBackendExt, QueueName, Settlement,
};
use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::BodyExt;
use tower::{Layer, Service, ServiceExt};

use super::*;
use crate::testing::{BODY, GITHUB, SECRET};
use crate::{Identity, Preset, Verified, VerifiedBody, VerifyLayer};

mod broken;
use broken::Broken;

fn queue() -> QueueName {
    QueueName::new("webhooks").unwrap()
}

fn delivery(part: impl Into<Option<&'static str>>) -> Request<VerifiedBody> {
    let verified = Verified::assumed("stripe", Identity::new().kind("invoice.paid"));
    let mut request = Request::new(VerifiedBody::assume_verified(BODY, verified));
    if let Some(part) = part.into() {
        request
            .extensions_mut()
            .insert(DedupeKey::derive("stripe", part.as_bytes()));
    }
    request
}

async fn send<A: Answer + Clone>(
    service: &EnqueueService<A>,
    request: Request<VerifiedBody>,
) -> (StatusCode, Option<String>, String) {
    let response = service.clone().oneshot(request).await.unwrap();
    let retry_after = response.headers().get(header::RETRY_AFTER);
    let retry_after = retry_after.map(|value| value.to_str().unwrap().to_owned());
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (
        status,
        retry_after,
        String::from_utf8(body.to_vec()).unwrap(),
    )
}

async fn bury_the_only_job(backend: &MemoryBackend) {
    let reserved = backend
        .reserve_one(&queue(), Duration::from_secs(60))
        .await
        .unwrap()
        .unwrap();
    let failure = FailureReport::new(FailureKind::Permanent, ErrorText::new("no"), "test".into());
    let bury = Settlement::Bury {
        reason: DeadReason::Permanent,
        failure,
    };
    backend
        .settle_one(&queue(), reserved.lease, bury)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_stored_delivery_is_202_with_the_id_of_its_job() {
    let backend = Arc::new(MemoryBackend::new());
    let service = EnqueueService::new(Arc::clone(&backend), queue());
    let mut request = delivery("1");
    request
        .headers_mut()
        .insert("content-type", "application/json".parse().unwrap());
    request
        .headers_mut()
        .insert("authorization", "hidden".parse().unwrap());

    let response = service.oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::ACCEPTED);
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
    let answer = response.into_body().collect().await.unwrap().to_bytes();

    let reserved = backend
        .reserve_one(&queue(), Duration::from_secs(60))
        .await
        .unwrap()
        .unwrap();
    let job = reserved.job;
    assert_eq!(
        answer,
        format!(r#"{{"jobId":"{}","replayed":false}}"#, job.id())
    );
    assert_eq!(job.payload(), BODY);
    assert_eq!((job.kind(), job.source()), ("invoice.paid", "stripe"));
    assert_eq!(
        job.data().dedupe_key(),
        Some(DedupeKey::derive("stripe", b"1"))
    );
    assert_eq!(
        job.metadata().get("content-type").unwrap(),
        "application/json"
    );
    assert_eq!(job.metadata().len(), 1);
}

#[tokio::test]
async fn a_duplicate_gets_the_id_of_the_first() {
    let service = EnqueueService::new(MemoryBackend::new(), queue());
    let (_, _, first) = send(&service, delivery("1")).await;
    let (status, retry_after, second) = send(&service, delivery("1")).await;
    assert_eq!((status, retry_after), (StatusCode::ACCEPTED, None));
    assert_eq!(second, first.replace("false", "true"));
    assert_ne!(send(&service, delivery("2")).await.2, first);
}

#[tokio::test]
async fn a_duplicate_is_answered_as_the_sender_wants_the_first_answered() {
    for (success, status, body) in [
        (Success::empty(StatusCode::OK), StatusCode::OK, ""),
        (
            Success::empty(StatusCode::NO_CONTENT),
            StatusCode::NO_CONTENT,
            "",
        ),
        (
            Success::text(StatusCode::OK, "[accepted]"),
            StatusCode::OK,
            "[accepted]",
        ),
    ] {
        let service = EnqueueService::new(MemoryBackend::new(), queue()).answer(success);
        for _ in 0..3 {
            let answer = send(&service, delivery("1")).await;
            assert_eq!(answer, (status, None, body.to_owned()));
        }
    }
}

#[tokio::test]
async fn deliveries_without_a_key_are_jobs_of_their_own() {
    let service = EnqueueService::new(MemoryBackend::new(), queue());
    let first = send(&service, delivery(None)).await.2;
    let second = send(&service, delivery(None)).await.2;
    assert!(first.contains("false") && second.contains("false"));
    assert_ne!(first, second);
}

#[tokio::test]
async fn a_full_queue_is_503_whatever_the_answer_for_success() {
    let full = || MemoryBackend::new().capacity(1);
    let plain = EnqueueService::new(full(), queue());
    assert_eq!(send(&plain, delivery("1")).await.0, StatusCode::ACCEPTED);
    let refused = (
        StatusCode::SERVICE_UNAVAILABLE,
        Some("5".into()),
        String::new(),
    );
    assert_eq!(send(&plain, delivery("2")).await, refused);

    let custom = EnqueueService::new(full(), queue()).answer(|_: &Enqueued| Response::default());
    assert_eq!(send(&custom, delivery("1")).await.0, StatusCode::OK);
    assert_eq!(send(&custom, delivery("2")).await, refused);
    assert_eq!(
        send(&custom, delivery("1")).await.0,
        StatusCode::OK,
        "a duplicate is success"
    );
}

#[tokio::test]
async fn a_delivery_larger_than_the_backend_takes_is_413() {
    let service = EnqueueService::new(MemoryBackend::new().max_job_bytes(64), queue());
    let expected = (StatusCode::PAYLOAD_TOO_LARGE, None, String::new());
    assert_eq!(send(&service, delivery("1")).await, expected);
}

#[tokio::test]
async fn a_failing_backend_is_503_and_its_message_stays_here() {
    let service = EnqueueService::new(Broken::Failing, queue());
    let expected = (
        StatusCode::SERVICE_UNAVAILABLE,
        Some("5".into()),
        String::new(),
    );
    assert_eq!(send(&service, delivery("1")).await, expected);
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_does_not_answer_is_503_at_the_time_out() {
    let service = EnqueueService::new(Broken::Silent, queue()).timeout(Duration::from_millis(700));
    let started = tokio::time::Instant::now();
    let expected = (
        StatusCode::SERVICE_UNAVAILABLE,
        Some("5".into()),
        String::new(),
    );
    assert_eq!(send(&service, delivery("1")).await, expected);
    assert_eq!(started.elapsed(), Duration::from_millis(700));
}

#[tokio::test]
async fn an_answer_outside_2xx_is_not_sent() {
    let service = EnqueueService::new(MemoryBackend::new(), queue()).answer(|_: &Enqueued| {
        let mut response = Response::new(Bytes::from("go away"));
        *response.status_mut() = StatusCode::NOT_FOUND;
        response
    });
    let expected = (StatusCode::ACCEPTED, None, String::new());
    assert_eq!(send(&service, delivery("1")).await, expected);
}

#[tokio::test]
async fn a_duplicate_of_a_dead_job_is_answered_and_left_dead() {
    let backend = Arc::new(MemoryBackend::new());
    let service = EnqueueService::new(Arc::clone(&backend), queue());
    let first = send(&service, delivery("1")).await.2;
    bury_the_only_job(&backend).await;
    assert_eq!(
        send(&service, delivery("1")).await.2,
        first.replace("false", "true")
    );
    let dead = backend.list_dead(&queue(), DeadQuery::new()).await.unwrap();
    assert_eq!(dead.letters.len(), 1);
}

#[tokio::test]
async fn a_duplicate_of_a_dead_job_is_replayed_where_that_was_asked_for() {
    let backend = Arc::new(MemoryBackend::new());
    let service = EnqueueService::new(Arc::clone(&backend), queue())
        .replay_dead_duplicates(Arc::clone(&backend) as _);
    let first = send(&service, delivery("1")).await.2;
    bury_the_only_job(&backend).await;
    assert_eq!(
        send(&service, delivery("1")).await.2,
        first.replace("false", "true")
    );
    let reserved = backend
        .reserve_one(&queue(), Duration::from_secs(60))
        .await
        .unwrap()
        .unwrap();
    assert!(first.contains(&reserved.job.id().to_string()));
    assert_eq!(reserved.job.counters().replays, 1);
}

#[tokio::test]
async fn a_replay_that_fails_is_503() {
    let backend = Arc::new(MemoryBackend::new());
    let service = EnqueueService::new(Arc::clone(&backend), queue())
        .replay_dead_duplicates(Arc::new(Broken::Failing));
    send(&service, delivery("1")).await;
    bury_the_only_job(&backend).await;
    let (status, retry_after, _) = send(&service, delivery("1")).await;
    assert_eq!(
        (status, retry_after),
        (StatusCode::SERVICE_UNAVAILABLE, Some("5".into()))
    );
}

#[tokio::test(start_paused = true)]
async fn a_replay_that_does_not_answer_is_503_at_the_time_out() {
    let backend = Arc::new(MemoryBackend::new());
    let service = EnqueueService::new(Arc::clone(&backend), queue())
        .replay_dead_duplicates(Arc::new(Broken::Silent));
    send(&service, delivery("1")).await;
    bury_the_only_job(&backend).await;
    assert_eq!(
        send(&service, delivery("1")).await.0,
        StatusCode::SERVICE_UNAVAILABLE
    );
}

#[tokio::test]
async fn the_name_of_the_key_is_stored_where_the_user_named_it() {
    let named = Preset::GITHUB.builder().named_secret("2026-03", SECRET);
    let unnamed = Preset::GITHUB.builder().secret(SECRET);
    let end = SystemTime::now() + Duration::from_secs(3600);
    let expiring = Preset::GITHUB.builder().expiring_secret("old", SECRET, end);
    for (builder, stored) in [
        (named, Some("2026-03")),
        (unnamed, None),
        (expiring, Some("old")),
    ] {
        let backend = Arc::new(MemoryBackend::new());
        let service = VerifyLayer::new("github", builder.build().unwrap())
            .layer(EnqueueService::new(Arc::clone(&backend), queue()));
        let request = Request::post("/")
            .header("x-hub-signature-256", GITHUB)
            .header(KEY_ID_METADATA, "what the sender says")
            .body(String::from(BODY))
            .unwrap();
        let response = service.oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::ACCEPTED);
        let reserved = backend
            .reserve_one(&queue(), Duration::from_secs(60))
            .await
            .unwrap()
            .unwrap();
        let metadata = reserved.job.metadata();
        assert_eq!(
            metadata.get("anvil-key-id").map(|id| &id[..]),
            stored.map(str::as_bytes)
        );
        assert_eq!(metadata.len(), usize::from(stored.is_some()));
    }
}

#[tokio::test]
async fn a_dropped_call_does_no_harm() {
    let backend = Arc::new(MemoryBackend::new());
    let mut service = EnqueueService::new(Arc::clone(&backend), queue());
    drop(service.call(delivery("1")));
    assert!(send(&service, delivery("1")).await.2.contains("false"));
    assert_eq!(backend.stats(&queue()).await.unwrap().ready, 1);
}

#[tokio::test]
async fn debug_shows_no_payload() {
    let mut service = EnqueueService::new(MemoryBackend::new(), queue());
    let future = service.call(delivery("1"));
    for text in [format!("{service:?}"), format!("{future:?}")] {
        assert!(
            text.contains("webhooks") && !text.contains("evt_1"),
            "{text}"
        );
    }
}
