//! Where the services can be mounted. What compiles here is what is tested.

use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::{HandlerError, Job, QueueBackend, RetryPolicy, Schedule, Worker, handler_fn};
use anvil_tests::{Sender, hooks, memory, queue, send};
use anvil_tower::dedupe::KeyExtractor;
use anvil_tower::{
    DedupeLayer, EnqueueService, Ingress, Preset, SignatureAndPayload, VerifyLayer, ingress,
};
use hyper_util::service::TowerToHyperService;
use tower::{Layer, ServiceExt};

use super::{delivery, verify};

fn paved() -> Ingress<Preset> {
    let scheme = Preset::github(Sender::GitHub.secret()).unwrap();
    ingress(scheme, "github", MemoryBackend::new(), queue("hooks"))
}

fn is_shared<T: Clone + Send + Sync + 'static>(_: &T) {}

fn is_send<T: Send>(_: T) {}

#[test]
fn layers_and_services_are_clone_send_and_sync() {
    let enqueue = EnqueueService::new(MemoryBackend::new(), queue("hooks"));
    is_shared(&verify());
    is_shared(&DedupeLayer::recommended());
    is_shared(&DedupeLayer::json_pointer("/id").unwrap().require_key());
    is_shared(&enqueue);
    is_shared(
        &DedupeLayer::signature_and_payload()
            .require_key()
            .layer(enqueue),
    );
    is_shared(&paved());
}

#[test]
fn hyper_serves_the_chain() {
    fn is_hyper_service<S>(_: &S)
    where
        S: hyper::service::Service<hyper::Request<hyper::body::Incoming>>,
        S::Future: Send + 'static,
        S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
    }
    is_hyper_service(&TowerToHyperService::new(paved()));
}

#[tokio::test]
async fn axum_routes_to_the_chain() {
    let (backend, queue) = memory();
    let app = axum::Router::new()
        .route_service("/hooks", hooks(Sender::Stripe, &backend, &queue))
        .route_service("/github", paved());
    let request = || delivery().request().map(axum::body::Body::new);
    let first = send(&app, request()).await;
    assert_eq!(send(&app, request()).await.job_id(), first.job_id());
}

#[tokio::test]
async fn what_is_chosen_at_run_time_can_be_moved_to_another_task() {
    let (backend, queue) = memory();
    let extractor: Arc<dyn KeyExtractor> = Arc::new(SignatureAndPayload::default());
    let dynamic: Arc<dyn QueueBackend> = Arc::new(MemoryBackend::new());
    let service = VerifyLayer::new("any", Sender::Stripe.scheme())
        .layer(DedupeLayer::new(extractor).layer(EnqueueService::new(dynamic, queue.clone())));
    let request = delivery().request();
    is_send(async move { service.oneshot(request).await });

    let policy: Arc<dyn RetryPolicy> = Arc::new(Schedule::default());
    let handler = handler_fn(|_: Job, _| async { Ok::<_, HandlerError>(()) });
    let worker = Worker::new(backend, queue, handler).retry_policy(policy);
    let worker = worker.build().unwrap();
    is_send(async move { worker.run_until_idle().await });
}
