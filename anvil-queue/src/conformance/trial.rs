use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use super::Harness;
use crate::{
    Cancelled, Control, DeadLetter, DeadLetters, DeadQuery, DeadReason, DedupeKey, Enqueued,
    ErrorText, FailureKind, FailureReport, JobId, JobView, Lease, LeaseState, NewJob, PeekQuery,
    QueueBackend, QueueBackendExt, QueueName, QueueStats, Refusal, ReplayOptions, Replayed,
    Reserve, Reserved, Settled, Settlement,
};

/// One fresh backend under test, with short forms of the verbs for one queue. An error of the
/// backend ends the test.
pub(super) struct Trial<'h, H: Harness> {
    pub(super) harness: &'h H,
    pub(super) backend: Arc<H::Backend>,
    pub(super) queue: QueueName,
}

impl<'h, H: Harness> Trial<'h, H> {
    pub(super) async fn fresh(harness: &'h H) -> Self {
        Self::of(harness, harness.fresh().await)
    }

    pub(super) async fn with_capacity(harness: &'h H, jobs: usize) -> Self {
        Self::of(harness, harness.with_capacity(jobs).await)
    }

    fn of(harness: &'h H, backend: H::Backend) -> Self {
        Self {
            harness,
            backend: Arc::new(backend),
            queue: ok(QueueName::new("conformance")),
        }
    }

    /// The same backend seen through another queue.
    pub(super) fn queue(&self, name: &str) -> Self {
        let backend = Arc::clone(&self.backend);
        Self {
            harness: self.harness,
            backend,
            queue: ok(QueueName::new(name)),
        }
    }

    pub(super) async fn offer(&self, job: NewJob) -> Result<Enqueued, Refusal> {
        ok(self.backend.enqueue_one(&self.queue, job).await)
    }

    pub(super) async fn offer_all(&self, jobs: Vec<NewJob>) -> Vec<Result<Enqueued, Refusal>> {
        ok(self.backend.enqueue(&self.queue, jobs).await)
    }

    /// Stores a job that has to be new.
    pub(super) async fn enqueue(&self, job: NewJob) -> JobId {
        let id = job.data().id();
        assert_eq!(self.offer(job).await, Ok(Enqueued::Accepted(id)));
        id
    }

    /// Stores this many jobs without a key, in batches.
    pub(super) async fn enqueue_many(&self, count: usize, delay: Duration) -> Vec<JobId> {
        let mut ids = Vec::with_capacity(count);
        while ids.len() < count {
            let batch = (count - ids.len()).min(BATCH);
            let jobs = (0..batch).map(|_| NewJob::new("x").delay(delay)).collect();
            ids.extend(
                self.offer_all(jobs)
                    .await
                    .into_iter()
                    .map(|answer| ok(answer).id()),
            );
        }
        ids
    }

    pub(super) async fn reserve(&self, request: Reserve) -> Vec<Reserved> {
        ok(self.backend.reserve(&self.queue, request).await)
    }

    /// Reserves up to `jobs` jobs under a lease that does not run out.
    pub(super) async fn reserve_up_to(&self, jobs: usize) -> Vec<Reserved> {
        self.reserve(Reserve::new(jobs, LONG)).await
    }

    /// Reserves this many jobs, in as many calls as it takes, under leases that do not run out.
    pub(super) async fn take_many(&self, count: usize) -> Vec<Reserved> {
        let mut taken = Vec::new();
        while taken.len() < count {
            let reserved = self.reserve_up_to(count - taken.len()).await;
            assert!(
                !reserved.is_empty(),
                "{} jobs are missing",
                count - taken.len()
            );
            taken.extend(reserved);
        }
        taken
    }

    /// Reserves the one job that has to be first, under a lease that does not run out.
    pub(super) async fn take(&self) -> Reserved {
        one(self.reserve_up_to(1).await)
    }

    /// Reserves the one job that has to be first, under a lease that runs out soon.
    pub(super) async fn take_shortly(&self) -> Reserved {
        one(self.reserve(Reserve::new(1, self.short())).await)
    }

    pub(super) async fn assert_nothing_ready(&self) {
        assert!(
            self.reserve_up_to(1).await.is_empty(),
            "a job is ready that should not be"
        );
    }

    /// Reserves until nothing is ready and gives the ids in order.
    pub(super) async fn take_all(&self) -> Vec<JobId> {
        let mut ids = Vec::new();
        loop {
            let reserved = self.reserve_up_to(100).await;
            if reserved.is_empty() {
                return ids;
            }
            ids.extend(reserved.iter().map(|reserved| reserved.job.id()));
        }
    }

    pub(super) async fn settle(&self, lease: &Lease, settlement: Settlement) -> Settled {
        ok(self
            .backend
            .settle_one(&self.queue, lease.clone(), settlement)
            .await)
    }

    /// Settles a lease that has to hold.
    pub(super) async fn apply(&self, lease: &Lease, settlement: Settlement) {
        assert_eq!(
            self.settle(lease, settlement.clone()).await,
            Settled::Applied,
            "{settlement:?}"
        );
    }

    pub(super) async fn complete(&self, lease: &Lease) {
        self.apply(lease, Settlement::Complete).await;
    }

    pub(super) async fn extend(&self, lease: &Lease, time: Duration) -> LeaseState {
        one(ok(self
            .backend
            .extend(&self.queue, std::slice::from_ref(lease), time)
            .await))
    }

    pub(super) async fn wait(&self, at_most: Duration) {
        ok(self.backend.wait(&self.queue, at_most).await);
    }

    pub(super) async fn stats(&self) -> QueueStats {
        ok(self.backend.stats(&self.queue).await)
    }

    /// Stores a job that has to be new, and buries it.
    pub(super) async fn kill(&self, job: NewJob) -> JobId {
        let id = self.enqueue(job).await;
        self.kill_next().await;
        id
    }

    /// Buries the one job that has to be first.
    pub(super) async fn kill_next(&self) {
        self.apply(&self.take().await.lease, bury("killed")).await;
    }

    pub(super) async fn dead(&self, id: JobId) -> Option<DeadLetter> {
        ok(self.backend.get_dead(&self.queue, id).await)
    }

    /// The letter of a job that has to be dead.
    pub(super) async fn letter(&self, id: JobId) -> DeadLetter {
        self.dead(id)
            .await
            .expect("the job is not among the dead letters")
    }

    pub(super) async fn dead_ids(&self, query: DeadQuery) -> Vec<JobId> {
        let page = ok(self.backend.list_dead(&self.queue, query).await);
        page.letters.iter().map(DeadLetter::id).collect()
    }

    pub(super) async fn replay(&self, id: JobId) -> Replayed {
        self.replay_with(id, ReplayOptions::default()).await
    }

    pub(super) async fn replay_with(&self, id: JobId, options: ReplayOptions) -> Replayed {
        one(ok(self.backend.replay(&self.queue, &[id], options).await))
    }

    pub(super) async fn discard(&self, ids: &[JobId]) -> Vec<bool> {
        ok(self.backend.discard(&self.queue, ids).await)
    }

    pub(super) async fn peek(&self, query: PeekQuery) -> Vec<JobView> {
        ok(self.backend.peek(&self.queue, query).await)
    }

    pub(super) async fn view(&self, id: JobId) -> Option<JobView> {
        ok(self.backend.get(&self.queue, id).await)
    }

    pub(super) async fn cancel(&self, ids: &[JobId]) -> Vec<Cancelled> {
        ok(self.backend.cancel(&self.queue, ids).await)
    }

    pub(super) fn short(&self) -> Duration {
        self.harness.short_time()
    }

    /// Lets a short lease or delay run out.
    pub(super) async fn pass_short(&self) {
        self.harness.pass(self.short()).await;
    }

    /// Lets everything the dedupe window still allows run out.
    pub(super) async fn pass_window(&self) {
        self.harness
            .pass(self.harness.dedupe_window() + self.harness.dedupe_slack())
            .await;
    }
}

/// A job whose key is made of `part`.
pub(super) fn keyed(part: &str) -> NewJob {
    NewJob::new("x")
        .source("sender")
        .dedupe_key(DedupeKey::derive("sender", part.as_bytes()))
}

pub(super) fn failure(error: &str) -> FailureReport {
    FailureReport::new(
        FailureKind::Transient,
        ErrorText::new(error),
        "worker-1".into(),
    )
}

pub(super) fn retry(after: Duration) -> Settlement {
    Settlement::Retry {
        after,
        failure: failure("retried"),
    }
}

pub(super) fn bury(error: &str) -> Settlement {
    Settlement::Bury {
        reason: DeadReason::Exhausted,
        failure: failure(error),
    }
}

/// One of each settlement; what is put off is due at once.
pub(super) fn settlements() -> [Settlement; 5] {
    let after = Duration::ZERO;
    [
        Settlement::Complete,
        Settlement::Release,
        Settlement::Snooze { after },
        retry(after),
        bury("buried"),
    ]
}

pub(super) fn ids(reserved: &[Reserved]) -> Vec<JobId> {
    reserved.iter().map(|reserved| reserved.job.id()).collect()
}

/// The ids without their order, where that is not the point.
pub(super) fn set(ids: impl IntoIterator<Item = JobId>) -> BTreeSet<JobId> {
    ids.into_iter().collect()
}

pub(super) fn one<T: Debug>(mut items: Vec<T>) -> T {
    assert_eq!(items.len(), 1, "one item was expected: {items:?}");
    items.remove(0)
}

pub(super) fn ok<T, E: Debug>(answer: Result<T, E>) -> T {
    answer.expect("the backend refused or failed")
}

/// Longer than any test waits for.
pub(super) const LONG: Duration = Duration::from_secs(60);

const BATCH: usize = 250;
