//! The chain on real Redis, while things break: processes die, clocks are wrong, keys are damaged.
//! Whatever happens, no job is lost and none is in two places.

mod agree;
mod backlog;
mod bell;
mod bounds;
mod broken;
mod child;
mod clocks;
mod dead;
mod full;
mod http;
mod kill_redis;
mod kill_worker;
mod life;
mod outage;
mod prefix;
mod races;
mod same_id;
mod worker;
mod wrong_type;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use anvil_queue::{
    DeadReason, ErrorText, FailureKind, FailureReport, HandlerError, Job, QueueBackend, QueueName,
    Settlement, Worker, handler_fn,
};

/// Runs every job to success, beginning with those whose leases run out, until nothing is left;
/// gives the runs in order.
async fn drain(backend: &Arc<impl QueueBackend>, queue: &QueueName) -> Vec<Job> {
    let runs: Arc<Mutex<Vec<Job>>> = Arc::default();
    let seen = Arc::clone(&runs);
    let handler = handler_fn(move |job: Job, _| {
        seen.lock().unwrap().push(job);
        async { Ok::<_, HandlerError>(()) }
    });
    let worker = Worker::new(Arc::clone(backend), queue.clone(), handler)
        .concurrency(4)
        .prefetch(60);
    worker.build().unwrap().run_until_idle().await.unwrap();
    let mut runs = runs.lock().unwrap();
    std::mem::take(&mut *runs)
}

fn failure(text: &str) -> FailureReport {
    FailureReport::new(FailureKind::Transient, ErrorText::new(text), "test".into())
}

fn bury() -> Settlement {
    Settlement::Bury {
        reason: DeadReason::Exhausted,
        failure: failure("no"),
    }
}

const MS: Duration = Duration::from_millis(1);
const SEC: Duration = Duration::from_secs(1);
