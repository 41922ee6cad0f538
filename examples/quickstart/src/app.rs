use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anvil_queue::{
    DeadLetters, QueueBackend, QueueName, QueueStats, Schedule, Worker, WorkerReport,
};
use anvil_tower::{DedupeLayer, EnqueueService, Preset, Rejection, Scheme, VerifyLayer};
use axum::Router;
use http::Response;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tower::ServiceBuilder;

use crate::BoxError;
use crate::deliveries::{GITHUB_SECRET, STANDARD_SECRET, STRIPE_SECRET};
use crate::handler::{Bank, Pay, Run};
use crate::store::Store;

/// The receiver: routes, queue and worker in one process.
pub(crate) struct App {
    address: SocketAddr,
    store: Store,
    bank: Arc<Bank>,
    refusals: Refusals,
    runs: mpsc::Receiver<Run>,
    /// Dropping it stops the server and the worker.
    stop: watch::Sender<()>,
    server: JoinHandle<Result<(), BoxError>>,
    worker: JoinHandle<Result<WorkerReport, BoxError>>,
}

impl App {
    /// Serves on `listener`, and queues in `store`.
    pub(crate) fn start(listener: TcpListener, store: Store) -> Result<Self, BoxError> {
        let address = listener.local_addr()?;
        let bank = Arc::new(Bank::default());
        let refusals = Refusals::default();
        let (stop, stopped) = watch::channel(());
        let (told, runs) = mpsc::channel(RUNS_KEPT);

        let routes = routes(&store, &refusals)?;
        let ended = until_dropped(stopped.clone());
        let server = tokio::spawn(async move {
            let serving = axum::serve(listener, routes).with_graceful_shutdown(ended);
            Ok(serving.await?)
        });

        let handler = Pay::new(Arc::clone(&bank), told);
        // Short delays, so that nobody has to wait for a job to die.
        let worker = Worker::new(Arc::clone(&store.backend), store.queue.clone(), handler)
            .retry_policy(Schedule::new(DELAYS)?.max_attempts(4))
            .build()?;
        let worker = tokio::spawn(async move { Ok(worker.run(until_dropped(stopped)).await?) });

        Ok(Self {
            address,
            store,
            bank,
            refusals,
            runs,
            stop,
            server,
            worker,
        })
    }

    /// The next run of the handler.
    pub(crate) async fn next_run(&mut self) -> Run {
        match self.runs.recv().await {
            Some(run) => run,
            // The worker has ended; there is none.
            None => std::future::pending().await,
        }
    }

    /// Takes no more deliveries, then lets the worker finish what it has begun.
    pub(crate) async fn stop(self) -> Result<WorkerReport, BoxError> {
        drop(self.stop);
        // A client that keeps its connection open is not waited for.
        let _ = tokio::time::timeout(SERVER_GRACE, self.server).await;
        self.worker.await?
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn backend(&self) -> &Arc<dyn DeadLetters> {
        &self.store.backend
    }

    pub(crate) fn queue(&self) -> &QueueName {
        &self.store.queue
    }

    pub(crate) fn bank(&self) -> &Bank {
        &self.bank
    }

    pub(crate) fn refusals(&self) -> &Refusals {
        &self.refusals
    }

    pub(crate) async fn stats(&self) -> Result<QueueStats, BoxError> {
        Ok(self.store.backend.stats(&self.store.queue).await?)
    }
}

fn routes(store: &Store, refusals: &Refusals) -> Result<Router, BoxError> {
    let enqueue = EnqueueService::new(Arc::clone(&store.backend), store.queue.clone());
    Ok(Router::new()
        .merge(route(
            "github",
            Preset::github(GITHUB_SECRET)?,
            &enqueue,
            refusals,
        ))
        .merge(route(
            "stripe",
            Preset::stripe(STRIPE_SECRET)?,
            &enqueue,
            refusals,
        ))
        .merge(route(
            "standard",
            Preset::standard_webhooks(STANDARD_SECRET)?,
            &enqueue,
            refusals,
        )))
}

/// One sender: verify, name, enqueue.
fn route(
    source: &str,
    scheme: impl Scheme + 'static,
    enqueue: &EnqueueService,
    refusals: &Refusals,
) -> Router {
    let refusals = refusals.clone();
    let service = ServiceBuilder::new()
        .map_response(move |response| refusals.note(response))
        .layer(VerifyLayer::new(source, scheme))
        .layer(DedupeLayer::recommended())
        .service(enqueue.clone());
    Router::new().route_service(&format!("/hooks/{source}"), service)
}

/// What was refused before it reached the queue. The sender learns the status; the cause stays
/// here.
#[derive(Clone, Default)]
pub(crate) struct Refusals(Arc<Mutex<Vec<&'static str>>>);

impl Refusals {
    fn note<B>(&self, response: Response<B>) -> Response<B> {
        if let Some(rejection) = response.extensions().get::<Rejection>() {
            self.causes().push(rejection.cause());
        }
        response
    }

    pub(crate) fn count(&self) -> u64 {
        self.causes().len() as u64
    }

    pub(crate) fn last_cause(&self) -> &'static str {
        self.causes().last().copied().unwrap_or("none")
    }

    fn causes(&self) -> MutexGuard<'_, Vec<&'static str>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn until_dropped(mut stopped: watch::Receiver<()>) {
    while stopped.changed().await.is_ok() {}
}

const DELAYS: [Duration; 3] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
];
const RUNS_KEPT: usize = 64;
const SERVER_GRACE: Duration = Duration::from_secs(2);
