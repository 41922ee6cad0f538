//! GitHub webhooks in an axum application, with the layers of production around them.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::{Context, HandlerError, Job, QueueBackend, QueueName, Worker, handler_fn};
use anvil_tower::{ConfigError, DedupeLayer, EnqueueService, Preset, VerifyLayer};
use axum::Router;
use axum::error_handling::HandleErrorLayer;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::IntoResponse;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tower::{BoxError, ServiceBuilder};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::TraceLayer;
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt().with_env_filter(filter).init();
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "can't go on");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let secret = std::env::var("GITHUB_WEBHOOK_SECRET")
        .map_err(|_| "set GITHUB_WEBHOOK_SECRET to the secret of the webhook")?;

    let backend = Arc::new(MemoryBackend::new());
    let queue = QueueName::new("webhooks")?;
    let app = app(Arc::clone(&backend), queue.clone(), &secret)?;
    let worker = Worker::new(backend, queue, handler_fn(handle))
        .concurrency(20)
        .build()?;

    // The server stops first, so that nothing arrives that the worker would not see.
    let (stop, stopped) = oneshot::channel::<()>();
    let working = tokio::spawn(async move {
        let stopped = async { drop(stopped.await) };
        worker.run(stopped).await
    });
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    tracing::info!(address = %listener.local_addr()?, "listening");
    axum::serve(listener, app)
        .with_graceful_shutdown(async { drop(tokio::signal::ctrl_c().await) })
        .await?;
    drop(stop);
    tracing::info!(report = %working.await??, "stopped");
    Ok(())
}

/// The routes. Only `/hooks/github` takes deliveries; the rest of an application stands beside it.
fn app(backend: impl QueueBackend, queue: QueueName, secret: &str) -> Result<Router, ConfigError> {
    let hooks = ServiceBuilder::new()
        .layer(TraceLayer::new_for_http())
        .layer(CatchPanicLayer::new())
        .layer(HandleErrorLayer::new(overloaded))
        .load_shed()
        .concurrency_limit(MAX_REQUESTS)
        .layer(TimeoutLayer::with_status_code(
            StatusCode::SERVICE_UNAVAILABLE,
            REQUEST_TIMEOUT,
        ))
        .layer(VerifyLayer::new("github", Preset::github(secret)?).body_limit(BODY_LIMIT))
        .layer(DedupeLayer::recommended())
        .service(EnqueueService::new(backend, queue));
    Ok(Router::new()
        .route("/health", get(|| async { "ok" }))
        .route_service("/hooks/github", hooks))
}

/// What comes when all places are taken: the sender keeps the delivery and tries again.
async fn overloaded(_: BoxError) -> impl IntoResponse {
    (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "1")])
}

async fn handle(job: Job, _context: Context) -> Result<(), HandlerError> {
    let event = job.kind();
    tracing::info!(job = %job.id(), event, attempt = job.attempt(), "handling");
    if event == "issues" && !job.payload().starts_with(b"{") {
        return Err(HandlerError::permanent("the issue is not a JSON object"));
    }
    Ok(())
}

/// Requests under way times the body limit bounds the memory that strangers can take: 1 GiB.
const MAX_REQUESTS: usize = 256;
const BODY_LIMIT: usize = 4 * 1024 * 1024;
/// Longer than the ten seconds that a body may take and the second for the queue.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::body::{Body, Bytes};
    use axum::http::Request;
    use futures_util::future::join_all;
    use futures_util::{FutureExt, stream};
    use http_body_util::BodyExt;
    use tower::ServiceExt;

    use super::*;

    const SECRET: &str = "a secret of 16 bytes or more";
    const BODY: &str = r#"{"action":"opened","number":7}"#;
    const SIGNATURE: &str =
        "sha256=1b8761108fa9fdf2c7d59c94bf687cabcaa744dcf0c6ba1c7bfdb4ccfde6eb73";

    fn delivery(signature: &str, body: impl Into<Body>) -> Request<Body> {
        Request::post("/hooks/github")
            .header("x-github-event", "issues")
            .header("x-hub-signature-256", signature)
            .body(body.into())
            .unwrap()
    }

    fn fixture() -> (Router, Arc<MemoryBackend>, QueueName) {
        let backend = Arc::new(MemoryBackend::new());
        let queue = QueueName::new("webhooks").unwrap();
        let app = app(Arc::clone(&backend), queue.clone(), SECRET).unwrap();
        (app, backend, queue)
    }

    async fn send(app: &Router, request: Request<Body>) -> (StatusCode, Bytes) {
        let (head, body) = app.clone().oneshot(request).await.unwrap().into_parts();
        (head.status, body.collect().await.unwrap().to_bytes())
    }

    #[tokio::test(start_paused = true)]
    async fn a_signed_delivery_is_accepted_once_and_handled_once() {
        let (app, backend, queue) = fixture();
        let (status, first) = send(&app, delivery(SIGNATURE, BODY)).await;
        assert_eq!(status, StatusCode::ACCEPTED);
        let (status, again) = send(&app, delivery(SIGNATURE, BODY)).await;
        assert_eq!(status, StatusCode::ACCEPTED);
        assert!(first.ends_with(br#""replayed":false}"#));
        assert!(again.ends_with(br#""replayed":true}"#));
        assert_eq!(first[..47], again[..47], "the answer names the same job");

        let worker = Worker::new(backend, queue, handler_fn(handle)).build();
        let report = worker.unwrap().run_until_idle().await.unwrap();
        assert_eq!(report.completed, 1);
    }

    #[tokio::test]
    async fn what_is_not_signed_does_not_reach_the_queue() {
        let (app, backend, queue) = fixture();
        let tampered = delivery(SIGNATURE, BODY.replace('7', "8"));
        assert_eq!(
            send(&app, tampered).await,
            (StatusCode::UNAUTHORIZED, Bytes::new())
        );
        let unsigned = Request::post("/hooks/github")
            .body(Body::from(BODY))
            .unwrap();
        assert_eq!(send(&app, unsigned).await.0, StatusCode::UNAUTHORIZED);
        let get = Request::get("/hooks/github").body(Body::empty()).unwrap();
        assert_eq!(send(&app, get).await.0, StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(backend.stats(&queue).await.unwrap().totals.accepted, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_delivery_too_many_is_sent_away_at_once_and_a_stalled_one_in_time() {
        let (app, _, _) = fixture();
        let stalled = || {
            delivery(
                SIGNATURE,
                Body::from_stream(stream::pending::<Result<Bytes, Infallible>>()),
            )
        };
        let mut waiting: Vec<_> = (0..MAX_REQUESTS)
            .map(|_| app.clone().oneshot(stalled()))
            .collect();
        for request in &mut waiting {
            assert!(request.now_or_never().is_none());
        }
        let one_more = app
            .clone()
            .oneshot(delivery(SIGNATURE, BODY))
            .await
            .unwrap();
        assert_eq!(one_more.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(one_more.headers()[RETRY_AFTER], "1");
        for answer in join_all(waiting).await {
            assert_eq!(answer.unwrap().status(), StatusCode::REQUEST_TIMEOUT);
        }
        assert_eq!(
            send(&app, delivery(SIGNATURE, BODY)).await.0,
            StatusCode::ACCEPTED
        );
    }
}
