use std::fmt;
use std::ops::RangeInclusive;
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
    /// Window and partitions are those of each queue, where it exists.
    pub(crate) adopts: bool,
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
            adopts: false,
        }
    }
}

impl Settings {
    /// Whether a backend can work with them.
    pub(crate) fn check(&self) -> Result<(), InvalidConfig> {
        let Self {
            prefix,
            dedupe_window,
            partitions,
            max_job_bytes,
            enqueue_timeout,
            timeout,
            durability,
            ..
        } = self;
        let wrong = |what: &str| Err(InvalidConfig(what.to_owned()));
        if prefix.contains(['{', '}']) {
            return wrong(
                "a prefix has no { and no } in it: they mark what a cluster keeps together",
            );
        }
        if *dedupe_window < Duration::from_micros(2) {
            return wrong(
                "the dedupe window is at least 2 µs; jobs without a key are not deduplicated",
            );
        }
        if !PARTITIONS.contains(partitions) {
            return wrong("a queue has 1 to 127 partitions");
        }
        if *max_job_bytes > 512 * 1024 * 1024 {
            return wrong("Redis takes at most 512 MiB in one value; lower max_job_bytes");
        }
        if *enqueue_timeout < SHORTEST_TIMEOUT || *timeout < SHORTEST_TIMEOUT {
            return wrong("a time-out is at least 10 ms; Redis needs time to answer");
        }
        match durability {
            Durability::Replicated { replicas: 0, .. } => {
                wrong("Durability::Replicated needs at least one replica; without, use Fast")
            }
            Durability::Replicated { within, .. } if within.is_zero() => {
                wrong("Durability::Replicated needs some time to wait for the replicas")
            }
            _ => Ok(()),
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

/// How many partitions a queue may have.
pub(crate) const PARTITIONS: RangeInclusive<usize> = 1..=127;
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(10);
