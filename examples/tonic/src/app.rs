use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::QueueName;
use anvil_tower::hmac::{Headers, HmacScheme};
use anvil_tower::{ConfigError, DedupeLayer, Preset, Rejection, VerifyLayer, ingress};
use axum::Router;
use http::{Response, StatusCode};
use tonic::body::Body;
use tonic::service::Routes;
use tonic::{Code, Status};
use tower::ServiceBuilder;

use crate::payments::Payments;
use crate::queue_stats::Stats;

pub(crate) struct Secrets {
    pub(crate) github: String,
    pub(crate) partner: String,
}

/// Everything on one port: gRPC services, a webhook beside them, and a gRPC method that takes
/// signed calls only.
pub(crate) fn app(
    backend: &Arc<MemoryBackend>,
    queue: &QueueName,
    secrets: &Secrets,
) -> Result<Router, ConfigError> {
    let grpc = Routes::new(Stats::new(Arc::clone(backend), queue.clone()));
    let hooks = ingress(
        Preset::github(&secrets.github)?,
        "github",
        Arc::clone(backend),
        queue.clone(),
    );

    // The signature covers the body as it comes over the wire: the frame of the one message of a
    // unary call. A stream has no end to sign, so this is for unary methods only.
    let partner = HmacScheme::builder(
        "partner",
        Headers::new("x-signature").timestamp("x-timestamp"),
    )
    .signed_content("{timestamp}.{body}")
    .secret(&secrets.partner)
    .build()?;
    let payments = ServiceBuilder::new()
        .layer(VerifyLayer::new("partner", partner).on_rejection(grpc_status))
        // The partner signs its retries anew and puts an id of its own into every message.
        .layer(DedupeLayer::payload_digest())
        .service(Payments::new(Arc::clone(backend), queue.clone()));

    Ok(grpc
        .into_axum_router()
        .route_service("/hooks/github", hooks)
        .route_service("/anvil.example.Payments/Confirm", payments))
}

/// A refusal in the words of gRPC, whose clients read `grpc-status` and not the status of HTTP.
fn grpc_status(rejection: &Rejection) -> Response<Body> {
    let code = match rejection.status() {
        StatusCode::UNAUTHORIZED => Code::Unauthenticated,
        StatusCode::PAYLOAD_TOO_LARGE => Code::ResourceExhausted,
        StatusCode::REQUEST_TIMEOUT => Code::DeadlineExceeded,
        _ => Code::InvalidArgument,
    };
    Status::new(code, "the call was refused").into_http()
}

#[cfg(test)]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use anvil_queue::QueueBackend;
    use bytes::{BufMut, Bytes, BytesMut};
    use hmac::{Hmac, KeyInit, Mac};
    use http::{HeaderMap, Request};
    use http_body_util::{BodyExt, Full};
    use sha2::Sha256;
    use tower::ServiceExt;

    use super::*;

    const PARTNER: &str = "the secret of the partner";
    const GITHUB: &str = "a secret of 16 bytes or more";

    struct Fixture {
        app: Router,
        backend: Arc<MemoryBackend>,
        queue: QueueName,
    }

    impl Fixture {
        fn new() -> Self {
            let backend = Arc::new(MemoryBackend::new());
            let queue = QueueName::new("webhooks").unwrap();
            let secrets = Secrets {
                github: GITHUB.to_owned(),
                partner: PARTNER.to_owned(),
            };
            let app = app(&backend, &queue, &secrets).unwrap();
            Self {
                app,
                backend,
                queue,
            }
        }

        /// The message and the status of a unary call.
        async fn call(&self, request: Request<Full<Bytes>>) -> (Option<Bytes>, Code) {
            let request = request.map(axum::body::Body::new);
            let response = self.app.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status(), StatusCode::OK);
            let (head, body) = response.into_parts();
            let body = body.collect().await.unwrap();
            let trailers = body.trailers().cloned().unwrap_or_default();
            let code = |headers: &HeaderMap| {
                let status = headers.get("grpc-status")?;
                Some(Code::from_bytes(status.as_bytes()))
            };
            let code = code(&trailers).or_else(|| code(&head.headers)).unwrap();
            let mut bytes = body.to_bytes();
            let message = (bytes.len() >= FRAME_HEAD).then(|| bytes.split_off(FRAME_HEAD));
            (message, code)
        }

        async fn accepted(&self) -> u64 {
            self.backend
                .stats(&self.queue)
                .await
                .unwrap()
                .totals
                .accepted
        }
    }

    fn frame(message: &str) -> Bytes {
        let mut frame = BytesMut::new();
        frame.put_u8(0);
        frame.put_u32(message.len() as u32);
        frame.put_slice(message.as_bytes());
        frame.freeze()
    }

    fn grpc(path: &str) -> http::request::Builder {
        Request::post(path)
            .header("content-type", "application/grpc")
            .header("te", "trailers")
    }

    fn signed(message: &str) -> Request<Full<Bytes>> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let timestamp = now.as_secs().to_string();
        let mut mac = Hmac::<Sha256>::new_from_slice(PARTNER.as_bytes()).unwrap();
        mac.update(timestamp.as_bytes());
        mac.update(b".");
        mac.update(&frame(message));
        grpc(CONFIRM)
            .header("x-timestamp", timestamp)
            .header("x-signature", hex::encode(mac.finalize().into_bytes()))
            .body(frame(message).into())
            .unwrap()
    }

    #[tokio::test]
    async fn a_signed_call_is_queued_once_and_answered_with_the_job() {
        let fixture = Fixture::new();
        let (first, code) = fixture.call(signed("pay_1")).await;
        assert_eq!(code, Code::Ok);
        let (again, code) = fixture.call(signed("pay_1")).await;
        assert_eq!(code, Code::Ok);
        assert!(first.as_ref().is_some_and(|id| id.len() == 36));
        assert_eq!(first, again);
        assert_eq!(fixture.accepted().await, 1);
    }

    #[tokio::test]
    async fn a_refusal_is_a_status_of_grpc() {
        let fixture = Fixture::new();
        let unsigned = grpc(CONFIRM).body(frame("pay_1").into()).unwrap();
        assert_eq!(fixture.call(unsigned).await, (None, Code::Unauthenticated));
        let tampered = signed("pay_1").map(|_| frame("pay_2").into());
        assert_eq!(fixture.call(tampered).await, (None, Code::Unauthenticated));
        let too_large = signed(&"x".repeat(2 * 1024 * 1024));
        assert_eq!(
            fixture.call(too_large).await,
            (None, Code::ResourceExhausted)
        );
        assert_eq!(fixture.accepted().await, 0);
    }

    #[tokio::test]
    async fn webhooks_and_grpc_share_the_port() {
        let fixture = Fixture::new();
        let delivery = Request::post("/hooks/github")
            .header("x-hub-signature-256", format!("sha256={PING}"))
            .body(axum::body::Body::from("{}"))
            .unwrap();
        let answer = fixture.app.clone().oneshot(delivery).await.unwrap();
        assert_eq!(answer.status(), StatusCode::ACCEPTED);

        let stats = grpc(STATS).body(frame("").into()).unwrap();
        let (message, code) = fixture.call(stats).await;
        assert_eq!(code, Code::Ok);
        assert_eq!(message.unwrap(), "ready=1 scheduled=0 leased=0 dead=0");
    }

    const CONFIRM: &str = "/anvil.example.Payments/Confirm";
    const STATS: &str = "/anvil.example.Queue/Stats";
    /// HMAC-SHA-256 of `{}` with the secret.
    const PING: &str = "78ca4d2bef8d7e9673891ed3e5a07cff9fbce956ff01b65038722be36d9bcf7b";
    const FRAME_HEAD: usize = 5;
}
