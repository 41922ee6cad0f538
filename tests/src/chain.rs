use std::sync::{Arc, Mutex, PoisonError};

use anvil_queue::{
    DeadLetter, DeadLetters, DeadQuery, HandlerError, Job, QueueBackend, QueueName, QueueStats,
    Worker, handler_fn,
};
use anvil_tower::dedupe::{Dedupe, KeyExtractor, Recommended};
use anvil_tower::verify::Verify;
use anvil_tower::{DedupeLayer, EnqueueService, Scheme, VerifyLayer};
use tower::Layer;

use crate::{Sender, now};

/// The three layers, put together.
pub type Hooks<E = Recommended> = Verify<Dedupe<EnqueueService, E>, Box<dyn Scheme>>;

/// The whole chain for one sender, with the recommended key, at the time of [`now`].
pub fn hooks(
    sender: Sender,
    backend: &Arc<impl QueueBackend + ?Sized>,
    queue: &QueueName,
) -> Hooks {
    dedupe_by(&DedupeLayer::recommended(), sender, backend, queue)
}

/// The whole chain for one sender, with a key of one's own, at the time of [`now`].
pub fn dedupe_by<E: KeyExtractor>(
    dedupe: &DedupeLayer<E>,
    sender: Sender,
    backend: &Arc<impl QueueBackend + ?Sized>,
    queue: &QueueName,
) -> Hooks<E> {
    let enqueue = EnqueueService::new(Arc::clone(backend), queue.clone());
    VerifyLayer::new(sender.name(), sender.scheme())
        .clock(now)
        .layer(dedupe.layer(enqueue))
}

/// Runs every job with `outcome` until nothing is left to run; gives the runs in order.
///
/// # Panics
///
/// Where the worker can't run.
pub async fn work<F>(
    backend: &Arc<impl QueueBackend + ?Sized>,
    queue: &QueueName,
    outcome: F,
) -> Vec<Job>
where
    F: Fn(&Job) -> Result<(), HandlerError> + Send + Sync + 'static,
{
    let runs = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&runs);
    let handler = handler_fn(move |job: Job, _| {
        let result = outcome(&job);
        let mut runs = seen.lock().unwrap_or_else(PoisonError::into_inner);
        runs.push(job);
        async move { result }
    });
    let worker = Worker::new(Arc::clone(backend), queue.clone(), handler).build();
    let report = worker.expect("a worker").run_until_idle().await;
    report.expect("a report");
    std::mem::take(&mut runs.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The dead letters of `queue`, oldest first.
///
/// # Panics
///
/// Where the backend fails.
pub async fn dead(backend: &impl DeadLetters, queue: &QueueName) -> Vec<DeadLetter> {
    let page = backend.list_dead(queue, DeadQuery::new()).await;
    page.expect("a page").letters
}

/// What `queue` holds.
///
/// # Panics
///
/// Where the backend fails.
pub async fn stats(backend: &impl QueueBackend, queue: &QueueName) -> QueueStats {
    backend.stats(queue).await.expect("stats")
}
