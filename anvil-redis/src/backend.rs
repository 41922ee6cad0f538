use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anvil_queue::{
    Cancelled, Control, DeadLetter, DeadLetters, DeadPage, DeadQuery, Enqueued, JobId, JobView,
    Lease, LeaseState, NewJob, PeekQuery, QueueBackend, QueueError, QueueName, QueueStats, Refusal,
    ReplayOptions, Replayed, Reserve, Reserved, Settled, Settlement,
};
use async_trait::async_trait;

use crate::agreement::adopt;
use crate::builder::RedisBuilder;
use crate::connections::Connections;
use crate::link::Target;
use crate::queue::Queue;
use crate::settings::{Durability, InvalidConfig, Settings};

/// A queue backend that keeps everything in Redis.
///
/// Holds any number of queues; a queue exists from its first use. Share the backend as an `Arc`, or
/// clone it: clones share the connections.
///
/// Each verb is one call of one script, so it happens whole or not at all, and only Redis's own
/// clock counts. See the [crate's documentation](crate) for what is guaranteed.
///
/// # Cancellation
///
/// Dropping the future of a verb loses only its answer; see
/// [`QueueBackend`](anvil_queue::QueueBackend#cancellation).
#[derive(Clone)]
pub struct RedisBackend(Arc<Inner>);

struct Inner {
    settings: Arc<Settings>,
    connections: Arc<Connections>,
    queues: RwLock<HashMap<QueueName, Arc<Queue>>>,
}

impl RedisBackend {
    /// Connects to the Redis at `url` with the default settings.
    ///
    /// # Errors
    ///
    /// [`QueueError`] where the URL is not one, Redis can't be reached, or it is too old to keep
    /// the guarantees. [`RedisBuilder`] has the settings, and a way to start without Redis.
    pub async fn connect(url: &str) -> Result<Self, QueueError> {
        Self::builder(url)?.connect().await
    }

    /// The settings of a backend for the Redis at `url`:
    ///
    /// * `redis://[user[:password]@]host[:6379][/database]` for one server, `rediss://…` over TLS
    ///   (feature `tls`);
    /// * `redis+sentinel://[…@]host[:26379],host…/master[/database]` for the master that sentinels
    ///   name;
    /// * `redis+cluster://[…@]host[:6379],host…` for a cluster (feature `cluster`).
    ///
    /// # Errors
    ///
    /// [`InvalidConfig`] says what is wrong with the URL.
    pub fn builder(url: &str) -> Result<RedisBuilder, InvalidConfig> {
        RedisBuilder::new(url)
    }

    pub(crate) fn from_parts(target: Target, settings: Settings) -> Self {
        let confirms = settings.durability != Durability::Fast;
        Self(Arc::new(Inner {
            connections: Arc::new(Connections::new(Arc::new(target), confirms)),
            settings: Arc::new(settings),
            queues: RwLock::default(),
        }))
    }

    pub(crate) fn connections(&self) -> &Connections {
        &self.0.connections
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// The queue of this name, with the settings it has for this process.
    pub(crate) async fn queue(&self, name: &QueueName) -> Result<Arc<Queue>, QueueError> {
        let Inner {
            settings,
            connections,
            queues,
        } = &*self.0;
        let known = {
            let queues = queues.read().unwrap_or_else(PoisonError::into_inner);
            queues.get(name).cloned()
        };
        if let Some(queue) = known.filter(|queue| !settings.adopts || queue.is_set_up()) {
            return Ok(queue);
        }
        let stored = if settings.adopts {
            adopt(name, settings, connections).await?
        } else {
            None
        };
        let is_set_up = stored.is_some();
        let settings = stored.map_or_else(|| Arc::clone(settings), Arc::new);
        let mut queues = queues.write().unwrap_or_else(PoisonError::into_inner);
        let queue = match queues.get(name) {
            Some(queue) if queue.has(&settings) => Arc::clone(queue),
            _ => {
                let queue = Arc::new(Queue::new(name, &settings, connections));
                queues.insert(name.clone(), Arc::clone(&queue));
                queue
            }
        };
        if is_set_up {
            queue.set_up();
        }
        Ok(queue)
    }
}

#[async_trait]
impl QueueBackend for RedisBackend {
    async fn enqueue(
        &self,
        queue: &QueueName,
        jobs: Vec<NewJob>,
    ) -> Result<Vec<Result<Enqueued, Refusal>>, QueueError> {
        let limit = self.0.settings.max_job_bytes;
        let fits = |job: &NewJob| job.data().weight() <= limit;
        if jobs.iter().all(fits) {
            return self.queue(queue).await?.enqueue(jobs).await;
        }
        let kept: Vec<_> = jobs.iter().filter(|job| fits(job)).cloned().collect();
        let mut answers = self.queue(queue).await?.enqueue(kept).await?.into_iter();
        let refused = Err(Refusal::TooLarge { limit });
        let answer = |job: &NewJob| {
            fits(job)
                .then(|| answers.next())
                .flatten()
                .unwrap_or(refused)
        };
        Ok(jobs.iter().map(answer).collect())
    }

    async fn reserve(
        &self,
        queue: &QueueName,
        request: Reserve,
    ) -> Result<Vec<Reserved>, QueueError> {
        self.queue(queue).await?.reserve(request).await
    }

    async fn wait(&self, queue: &QueueName, at_most: Duration) -> Result<(), QueueError> {
        self.queue(queue).await?.wait(at_most).await
    }

    async fn extend(
        &self,
        queue: &QueueName,
        leases: &[Lease],
        lease: Duration,
    ) -> Result<Vec<LeaseState>, QueueError> {
        self.queue(queue).await?.extend(leases, lease).await
    }

    async fn settle(
        &self,
        queue: &QueueName,
        outcomes: &[(Lease, Settlement)],
    ) -> Result<Vec<Settled>, QueueError> {
        self.queue(queue).await?.settle(outcomes).await
    }

    async fn stats(&self, queue: &QueueName) -> Result<QueueStats, QueueError> {
        self.queue(queue).await?.stats().await
    }
}

#[async_trait]
impl DeadLetters for RedisBackend {
    async fn list_dead(&self, queue: &QueueName, query: DeadQuery) -> Result<DeadPage, QueueError> {
        self.queue(queue).await?.list_dead(&query).await
    }

    async fn get_dead(
        &self,
        queue: &QueueName,
        id: JobId,
    ) -> Result<Option<DeadLetter>, QueueError> {
        self.queue(queue).await?.get_dead(id).await
    }

    async fn replay(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        options: ReplayOptions,
    ) -> Result<Vec<Replayed>, QueueError> {
        self.queue(queue).await?.replay(ids, options).await
    }

    async fn discard(&self, queue: &QueueName, ids: &[JobId]) -> Result<Vec<bool>, QueueError> {
        self.queue(queue).await?.discard(ids).await
    }
}

#[async_trait]
impl Control for RedisBackend {
    async fn peek(&self, queue: &QueueName, query: PeekQuery) -> Result<Vec<JobView>, QueueError> {
        self.queue(queue).await?.peek(query).await
    }

    async fn get(&self, queue: &QueueName, id: JobId) -> Result<Option<JobView>, QueueError> {
        self.queue(queue).await?.get(id).await
    }

    async fn cancel(&self, queue: &QueueName, ids: &[JobId]) -> Result<Vec<Cancelled>, QueueError> {
        self.queue(queue).await?.cancel(ids).await
    }
}

impl fmt::Debug for RedisBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisBackend")
            .field("server", &self.0.connections.target.address)
            .field("settings", &self.0.settings)
            .finish_non_exhaustive()
    }
}
