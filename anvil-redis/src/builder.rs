use std::fmt;
use std::time::Duration;

use anvil_queue::{QueueError, QueueErrorKind};

use crate::RedisBackend;
use crate::address::Address;
use crate::link::{Certificates, Target};
use crate::settings::{Durability, InvalidConfig, Settings};

/// The settings of a [`RedisBackend`].
///
/// `Debug` shows neither password nor certificate.
///
/// ```
/// use std::time::Duration;
///
/// use anvil_redis::RedisBackend;
///
/// let backend = RedisBackend::builder("redis://127.0.0.1:6379")?
///     .dedupe_window(Duration::from_secs(24 * 60 * 60))
///     .partitions(4)
///     .build()?;
/// assert!(RedisBackend::builder("127.0.0.1").is_err());
/// # Ok::<(), anvil_redis::InvalidConfig>(())
/// ```
#[must_use = "a builder makes nothing until `connect` or `build`"]
pub struct RedisBuilder {
    address: Address,
    certificates: Certificates,
    settings: Settings,
    strict: bool,
}

impl RedisBuilder {
    pub(crate) fn new(url: &str) -> Result<Self, InvalidConfig> {
        Ok(Self {
            address: Address::parse(url).map_err(InvalidConfig)?,
            certificates: Certificates::default(),
            settings: Settings::default(),
            strict: false,
        })
    }

    /// Sets what the name of every key begins with. Any text without `{` and `}`. Default: `anvil`.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.settings.prefix = prefix.into();
        self
    }

    /// Sets for how long a dedupe key stays claimed, counted from the moment its job was stored or
    /// last replayed. Range: 2 µs to 71 years; it should exceed the time over which the sender
    /// retries. Default: three days.
    ///
    /// All processes of a queue must agree on it: the first job fixes it, and a process that has
    /// another window is refused with
    /// [`QueueErrorKind::Rejected`](anvil_queue::QueueErrorKind::Rejected).
    pub fn dedupe_window(mut self, window: Duration) -> Self {
        self.settings.dedupe_window = window;
        self
    }

    /// Sets for how long a job without a key is claimed by its id. Default: ten minutes, as the
    /// contract says; shorter in tests only.
    #[doc(hidden)]
    pub fn id_window(mut self, window: Duration) -> Self {
        self.settings.id_window = window;
        self
    }

    /// Sets over how many partitions each queue is spread. Range: 1 to 127. Default: 1.
    ///
    /// A job belongs to the partition its dedupe key names, or its id where it has no key. The jobs of
    /// different partitions have no order, and a reservation is of one partition, so that it may hold
    /// fewer jobs than are ready. Where the server of one partition is down, its jobs are refused as
    /// [`Refusal::Unavailable`](anvil_queue::Refusal::Unavailable) and the others go on; in a cluster
    /// that takes `cluster-require-full-coverage no`.
    ///
    /// All processes of a queue must agree, as for the window; to change it, drain the queue first.
    pub fn partitions(mut self, partitions: usize) -> Self {
        self.settings.partitions = partitions;
        self
    }

    /// Takes window and partitions from what each queue was set up with, rather than refuse a queue
    /// that has others. For programs that look at any queue; default: not.
    ///
    /// They are read with the first call that a queue gets, once it exists. Until then
    /// [`dedupe_window`](Self::dedupe_window) and [`partitions`](Self::partitions) count, and a job
    /// stored by this backend fixes them.
    ///
    /// ```
    /// use anvil_redis::RedisBackend;
    ///
    /// let backend = RedisBackend::builder("redis://127.0.0.1:6379")?
    ///     .adopt_settings()
    ///     .build()?;
    /// assert!(format!("{backend:?}").contains("adopts: true"));
    /// # Ok::<(), anvil_redis::InvalidConfig>(())
    /// ```
    pub fn adopt_settings(mut self) -> Self {
        self.settings.adopts = true;
        self
    }

    /// Sets how many jobs each partition of a queue holds at most, wherever they are: ready,
    /// scheduled, leased or dead; the next is refused with
    /// [`Refusal::Full`](anvil_queue::Refusal::Full). Default: no limit but Redis's `maxmemory`.
    pub fn capacity(mut self, jobs: usize) -> Self {
        self.settings.capacity = jobs;
        self
    }

    /// Sets the largest job that is stored, by its [`weight`](anvil_queue::JobData::weight) in
    /// bytes. Range: up to 512 MiB, which is what Redis takes. Default: 64 MiB.
    pub fn max_job_bytes(mut self, bytes: usize) -> Self {
        self.settings.max_job_bytes = bytes;
        self
    }

    /// Sets within which time an enqueue has to succeed or fail, the wait for a lost connection
    /// included and the wait for [`durability`](Self::durability) not. Range: at least 10 ms.
    /// Default: 1 s.
    pub fn enqueue_timeout(mut self, time: Duration) -> Self {
        self.settings.enqueue_timeout = time;
        self
    }

    /// Sets within which time every other verb has to succeed or fail. Range: at least 10 ms.
    /// Default: 5 s.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.settings.timeout = time;
        self
    }

    /// Sets what has to have happened to a job before it counts as stored. Default:
    /// [`Durability::Fast`].
    pub fn durability(mut self, durability: Durability) -> Self {
        self.settings.durability = durability;
        self
    }

    /// Trusts this certificate authority, a PEM text, in the place of the system's.
    pub fn authority(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.certificates.authority = Some(pem.into());
        self
    }

    /// Shows this certificate to the server; both are PEM texts. Default: none.
    pub fn client_certificate(
        mut self,
        certificate: impl Into<Vec<u8>>,
        key: impl Into<Vec<u8>>,
    ) -> Self {
        self.certificates.client = Some((certificate.into(), key.into()));
        self
    }

    /// Sets whether [`connect`](Self::connect) refuses a Redis that may lose jobs as it is
    /// configured, rather than log a warning. Default: false.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// A backend that connects when it is first used, so that a process can start without Redis.
    ///
    /// # Errors
    ///
    /// [`InvalidConfig`] says which setting can't work.
    pub fn build(self) -> Result<RedisBackend, InvalidConfig> {
        self.settings.check()?;
        let target = Target {
            address: self.address,
            certificates: self.certificates,
        };
        Ok(RedisBackend::from_parts(target, self.settings))
    }

    /// A backend that is connected, to a Redis that was looked at.
    ///
    /// Each way in which it may lose jobs is logged as a warning, or with
    /// [`strict`](Self::strict) refused.
    ///
    /// # Errors
    ///
    /// [`QueueError`] with the address and the cause where a setting can't work, where Redis can't
    /// be reached within [`timeout`](Self::timeout), and where it is older than 7.0.
    pub async fn connect(self) -> Result<RedisBackend, QueueError> {
        let strict = self.strict;
        let backend = self.build()?;
        let report = backend.check().await?;
        report.enforce(strict)?;
        Ok(backend)
    }
}

impl From<InvalidConfig> for QueueError {
    fn from(error: InvalidConfig) -> Self {
        Self::new(QueueErrorKind::Rejected, error.to_string())
    }
}

impl fmt::Debug for RedisBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisBuilder")
            .field("server", &self.address)
            .field("settings", &self.settings)
            .field("strict", &self.strict)
            .finish_non_exhaustive()
    }
}
