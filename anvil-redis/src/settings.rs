use std::fmt;
use std::time::Duration;

/// What a backend was told about its queues.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) prefix: String,
    pub(crate) dedupe_window: Duration,
    pub(crate) id_window: Duration,
    pub(crate) partitions: usize,
    pub(crate) capacity: usize,
    pub(crate) max_job_bytes: usize,
    pub(crate) enqueue_timeout: Duration,
    pub(crate) timeout: Duration,
    pub(crate) durability: Durability,
    pub(crate) large: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            prefix: "anvil".to_owned(),
            dedupe_window: Duration::from_secs(3 * 24 * 60 * 60),
            id_window: Duration::from_secs(10 * 60),
            partitions: 1,
            capacity: 0,
            max_job_bytes: 64 * 1024 * 1024,
            enqueue_timeout: Duration::from_secs(1),
            timeout: Duration::from_secs(5),
            durability: Durability::Fast,
            large: 2 * 1024,
        }
    }
}

/// What has to have happened to a job before it counts as stored.
///
/// The wait is one for a whole batch, on a connection of its own. A batch that is not confirmed in
/// time is answered with an error of kind [`Timeout`](anvil_queue::QueueErrorKind::Timeout): it may
/// be stored, and sending it again finds out.
///
/// Source: [`WAIT`](https://redis.io/docs/latest/commands/wait/) and
/// [`WAITAOF`](https://redis.io/docs/latest/commands/waitaof/).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Durability {
    /// Redis has it in memory, and on disk as soon as its `appendfsync` says. With `always` that is
    /// before the answer; with `everysec` a power cut loses up to a second. The default.
    #[default]
    Fast,
    /// This server has it on disk, and so have as many replicas. Needs Redis 7.2 and `appendonly`.
    Fsynced {
        /// How many replicas.
        replicas: u32,
        /// How long is waited at most; at least 2.5 s are used, because with `everysec` the next
        /// write to disk may be a second away.
        within: Duration,
    },
    /// As many replicas have it in memory, so that it outlives the loss of the master.
    Replicated {
        /// How many replicas, at least one.
        replicas: u32,
        /// How long is waited at most.
        within: Duration,
    },
}

/// A setting can't work; the message says what to change.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidConfig(pub(crate) String);

impl fmt::Display for InvalidConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidConfig {}
