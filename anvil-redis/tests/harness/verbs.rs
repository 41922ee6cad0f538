//! Short forms of the verbs for one queue of one backend.

use std::time::{Duration, Instant};

use anvil_queue::{
    Enqueued, JobId, Lease, LeaseState, NewJob, QueueBackend, QueueBackendExt, QueueError,
    QueueName, QueueStats, Reserve, Reserved, Settled, Settlement,
};
use anvil_redis::{RedisBackend, RedisBuilder};
use anvil_redis_fixture::Server;

pub(crate) struct Verbs {
    pub(crate) backend: RedisBackend,
    pub(crate) queue: QueueName,
}

impl Verbs {
    /// A backend that has not connected yet.
    pub(crate) fn lazy(url: &str) -> Self {
        Self::of(RedisBackend::builder(url).unwrap())
    }

    pub(crate) fn of(builder: RedisBuilder) -> Self {
        Self {
            backend: builder.build().unwrap(),
            queue: QueueName::new("hooks").unwrap(),
        }
    }

    pub(crate) async fn enqueue(&self, job: NewJob) -> Result<Enqueued, QueueError> {
        let answer = self.backend.enqueue_one(&self.queue, job).await?;
        Ok(answer.expect("the job was refused"))
    }

    /// Stores a job that has to be new.
    pub(crate) async fn accept(&self, job: NewJob) -> JobId {
        let id = job.data().id();
        assert_eq!(self.enqueue(job).await.unwrap(), Enqueued::Accepted(id));
        id
    }

    pub(crate) async fn reserve(&self, jobs: usize) -> Result<Vec<Reserved>, QueueError> {
        let request = Reserve::new(jobs, LONG).crash_budget(1_000);
        self.backend.reserve(&self.queue, request).await
    }

    /// Reserves the one job that has to be first.
    pub(crate) async fn take(&self) -> Reserved {
        let mut reserved = self.reserve(1).await.unwrap();
        assert_eq!(reserved.len(), 1, "no job is ready");
        reserved.remove(0)
    }

    pub(crate) async fn settle(
        &self,
        lease: &Lease,
        settlement: Settlement,
    ) -> Result<Settled, QueueError> {
        let lease = lease.clone();
        self.backend
            .settle_one(&self.queue, lease, settlement)
            .await
    }

    pub(crate) async fn extend(&self, lease: &Lease) -> Result<LeaseState, QueueError> {
        let lease = std::slice::from_ref(lease);
        let mut states = self.backend.extend(&self.queue, lease, LONG).await?;
        Ok(states.remove(0))
    }

    pub(crate) async fn stats(&self) -> QueueStats {
        self.backend.stats(&self.queue).await.unwrap()
    }

    /// Enqueues, runs and completes one job.
    pub(crate) async fn assert_works(&self) {
        let id = self.accept(NewJob::new("x")).await;
        let reserved = self.take().await;
        assert_eq!(reserved.job.id(), id);
        let settled = self.settle(&reserved.lease, Settlement::Complete).await;
        assert_eq!(settled.unwrap(), Settled::Applied);
    }

    /// Waits for a job, as a worker does, and reserves it.
    pub(crate) async fn wait_and_take(&self) -> Reserved {
        loop {
            // A bell that was rung before is a reason to look, too.
            self.backend.wait(&self.queue, LONG).await.unwrap();
            if let Some(reserved) = self.reserve(1).await.unwrap().pop() {
                return reserved;
            }
        }
    }

    /// Enqueues one new job after the other until one is taken, and returns its id.
    pub(crate) async fn accepted_in_time(&self) -> JobId {
        let started = Instant::now();
        let job = NewJob::new("x");
        loop {
            match self.enqueue(job.clone()).await {
                Ok(enqueued) => return enqueued.id(),
                Err(error) if started.elapsed() > PATIENCE => panic!("refused for long: {error}"),
                Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    }
}

/// Returns when somebody waits for the bell at the server.
pub(crate) async fn until_listening(server: &Server) {
    until("somebody listens to the bell", async || {
        let clients = server.command(&["CLIENT", "LIST"]);
        let mut clients = clients.text().lines();
        clients.any(|client| client.contains("cmd=blpop") && client.contains("flags=b"))
    })
    .await;
}

/// Runs what blocks where other tasks have to go on.
pub(crate) async fn blocking<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(act).await.unwrap()
}

/// Waits until a condition holds.
pub(crate) async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let started = Instant::now();
    while !condition().await {
        assert!(started.elapsed() < PATIENCE, "waited in vain: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Longer than any test takes.
pub(crate) const LONG: Duration = Duration::from_secs(60);
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);
