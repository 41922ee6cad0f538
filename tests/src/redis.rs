use std::sync::Arc;
use std::time::Duration;

use anvil_queue::{Enqueued, JobId, NewJob, QueueBackend, QueueName, Reserve, Reserved};
use anvil_redis::{RedisBackend, RedisBuilder};
use anvil_redis_fixture::{Fsync, Reply, Server};

mod census;
pub use census::Census;

/// A queue in a Redis server of its own, and a look behind the backend's back.
#[derive(Debug)]
pub struct RedisQueue {
    server: Arc<Server>,
    name: QueueName,
}

impl RedisQueue {
    /// A queue on a fresh server that keeps everything in memory.
    #[must_use]
    pub fn start() -> Self {
        Self::on(Server::start())
    }

    /// A queue on a fresh server that writes everything to disk before it answers.
    #[must_use]
    pub fn durable() -> Self {
        Self::on(Server::builder().append_only(Fsync::Always).start())
    }

    /// A queue on this server.
    pub fn on(server: impl Into<Arc<Server>>) -> Self {
        Self {
            server: server.into(),
            name: crate::queue("hooks"),
        }
    }

    /// The server.
    #[must_use]
    pub fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// The queue's name.
    #[must_use]
    pub fn name(&self) -> &QueueName {
        &self.name
    }

    /// The settings of a backend on the server, with nothing set.
    ///
    /// # Panics
    ///
    /// Never: the address is that of the server.
    pub fn builder(&self) -> RedisBuilder {
        RedisBackend::builder(&self.server.url()).expect("the address of a server")
    }

    /// A backend on the server with the default settings: one process, as Redis sees it.
    ///
    /// # Panics
    ///
    /// Where the server does not answer.
    pub async fn backend(&self) -> Arc<RedisBackend> {
        Arc::new(self.builder().connect().await.expect("a connection"))
    }

    /// The name of one of the queue's keys, by the letter that ends it.
    #[must_use]
    pub fn key(&self, letter: &str) -> String {
        format!("anvil:{{{}}}:{letter}", self.name)
    }

    /// Sends a command about one of the queue's keys: its name, the key, and what comes after.
    ///
    /// # Panics
    ///
    /// Where the server answers with an error.
    pub fn command<W: AsRef<[u8]>>(&self, name: &str, letter: &str, rest: &[W]) -> Reply {
        let key = self.key(letter);
        let mut words = vec![name.as_bytes(), key.as_bytes()];
        words.extend(rest.iter().map(AsRef::as_ref));
        self.server.command(&words)
    }

    /// Where every job is, after a check that each is in one place and has a body.
    ///
    /// # Panics
    ///
    /// Where one is not.
    #[expect(clippy::must_use_candidate, reason = "the check is of use by itself")]
    pub fn census(&self) -> Census {
        Census::take(self)
    }

    /// Every key on the server, sorted.
    ///
    /// # Panics
    ///
    /// Where the server does not answer.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        let reply = self.server.command(&["KEYS", "*"]);
        let mut keys: Vec<_> = reply.array().iter().map(|key| key.text().into()).collect();
        keys.sort();
        keys
    }

    /// The server's time in microseconds since the Unix epoch.
    ///
    /// # Panics
    ///
    /// Where the server does not answer.
    #[must_use]
    pub fn server_micros(&self) -> u64 {
        let reply = self.server.command(&["TIME"]);
        let parts: Vec<u64> = (reply.array().iter())
            .map(|part| part.text().parse().expect("a number"))
            .collect();
        parts[0] * 1_000_000 + parts[1]
    }

    /// Makes the queue believe that it has seen this time, in microseconds since the Unix epoch:
    /// to the queue, a server whose clock is behind it was set back.
    pub fn set_seen(&self, micros: u64) {
        self.command("HSET", "c", &["t", &micros.to_string()]);
    }
}

/// Stores jobs and gives their ids; each has to be accepted.
///
/// # Panics
///
/// Where one is not.
pub async fn store(
    backend: &impl QueueBackend,
    queue: &QueueName,
    jobs: impl IntoIterator<Item = NewJob>,
) -> Vec<JobId> {
    let jobs: Vec<_> = jobs.into_iter().collect();
    let ids: Vec<_> = jobs.iter().map(|job| job.data().id()).collect();
    let answers = backend.enqueue(queue, jobs).await.expect("an answer");
    for (id, answer) in ids.iter().zip(answers) {
        assert_eq!(answer, Ok(Enqueued::Accepted(*id)));
    }
    ids
}

/// Reserves up to so many jobs in one call.
///
/// # Panics
///
/// Where the backend fails.
pub async fn take(
    backend: &impl QueueBackend,
    queue: &QueueName,
    jobs: usize,
    lease: Duration,
) -> Vec<Reserved> {
    let request = Reserve::new(jobs, lease);
    backend.reserve(queue, request).await.expect("an answer")
}
