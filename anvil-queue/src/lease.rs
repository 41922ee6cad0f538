use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use crate::{DeadReason, FailureReport, Job, JobId};

/// What a worker asks of [`reserve`](crate::QueueBackend::reserve).
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is handed to a backend"]
pub struct Reserve {
    max_jobs: usize,
    max_bytes: usize,
    lease: Duration,
    crash_budget: u32,
    reclaimed: bool,
    worker: Arc<str>,
}

impl Reserve {
    /// Asks for up to `max_jobs` jobs, each leased for `lease`.
    pub fn new(max_jobs: usize, lease: Duration) -> Self {
        Self {
            max_jobs,
            max_bytes: DEFAULT_MAX_BYTES,
            lease,
            crash_budget: DEFAULT_CRASH_BUDGET,
            reclaimed: true,
            worker: Arc::default(),
        }
    }

    /// Sets how many bytes of jobs are answered at most; one job is answered whatever it weighs.
    /// Default: 8 MiB.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets how many times a job's lease may run out before the job is dead with
    /// [`DeadReason::Poison`]. Default: 3.
    pub fn crash_budget(mut self, reclaims: u32) -> Self {
        self.crash_budget = reclaims;
        self
    }

    /// Sets whether a job with a reclaim behind it may be answered. Default: true.
    ///
    /// Such a job may be what killed its worker, so it is always answered alone; a worker that
    /// holds one asks for no second, and a job that kills its process then takes no other job
    /// along more than once.
    pub fn reclaimed(mut self, allowed: bool) -> Self {
        self.reclaimed = allowed;
        self
    }

    /// Sets a label for records; it identifies nothing. Default: empty.
    pub fn worker(mut self, label: impl Into<Arc<str>>) -> Self {
        self.worker = label.into();
        self
    }

    /// How many jobs are answered at most.
    #[must_use]
    pub fn max_jobs_value(&self) -> usize {
        self.max_jobs
    }

    /// How many bytes of jobs are answered at most.
    #[must_use]
    pub fn max_bytes_value(&self) -> usize {
        self.max_bytes
    }

    /// How long each job is leased.
    #[must_use]
    pub fn lease_value(&self) -> Duration {
        self.lease
    }

    /// How many times a lease may run out before the job is dead.
    #[must_use]
    pub fn crash_budget_value(&self) -> u32 {
        self.crash_budget
    }

    /// Whether a job with a reclaim behind it may be answered.
    #[must_use]
    pub fn reclaimed_allowed(&self) -> bool {
        self.reclaimed
    }

    /// The label of the worker.
    #[must_use]
    pub fn worker_label(&self) -> &Arc<str> {
        &self.worker
    }
}

/// A job and the right to settle it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reserved {
    /// The job to run.
    pub job: Job,
    /// The right to extend and settle it.
    pub lease: Lease,
}

impl Reserved {
    /// Puts a reservation together; for backends.
    #[must_use]
    pub fn new(job: Job, lease: Lease) -> Self {
        Self { job, lease }
    }
}

/// The right to extend and settle one reserved job.
///
/// The token is unique to the reservation, so a worker that was too late holds a lease that no
/// longer matches and can change nothing. Not `Copy`: the single-job verbs of
/// [`QueueBackendExt`](crate::QueueBackendExt) take a lease by value, so that settling twice by
/// accident does not compile; clone it where a settlement must be repeated after a lost reply.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Lease {
    job: JobId,
    token: LeaseToken,
}

impl Lease {
    /// The lease of `job` under `token`; for backends.
    #[must_use]
    pub fn new(job: JobId, token: LeaseToken) -> Self {
        Self { job, token }
    }

    /// The leased job.
    #[must_use]
    pub fn job(&self) -> JobId {
        self.job
    }

    /// What tells this reservation from every other.
    #[must_use]
    pub fn token(&self) -> LeaseToken {
        self.token
    }
}

/// Sixteen random bytes that tell one reservation from every other, across restarts and failovers.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub struct LeaseToken([u8; 16]);

impl LeaseToken {
    /// A fresh token.
    #[must_use]
    pub fn generate() -> Self {
        Self(Uuid::new_v4().into_bytes())
    }

    /// The token with these bytes, as a backend reads it back.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The 16 bytes of the token.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Debug for LeaseToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LeaseToken({:02x}{:02x}…)", self.0[0], self.0[1])
    }
}

/// What becomes of a leased job.
///
/// Exhaustive on purpose: a backend that does not know a settlement must not compile rather than
/// fail jobs at run time.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every backend must handle every settlement"
)]
pub enum Settlement {
    /// The job is among the dead letters from now on; the run counts as an attempt.
    Bury {
        /// Why it is not tried again.
        reason: DeadReason,
        /// The failed run.
        failure: FailureReport,
    },
    /// The job is done.
    Complete,
    /// The job never started, or its run was cut off and joined: it is ready again at its place
    /// and no counter moves.
    Release,
    /// The run failed and counts as an attempt; the job is due again after the delay.
    Retry {
        /// How long the job is held back.
        after: Duration,
        /// The failed run.
        failure: FailureReport,
    },
    /// The job is put off and no attempt is counted.
    Snooze {
        /// How long the job is held back.
        after: Duration,
    },
}

/// The answer to a [`Settlement`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Settled {
    /// The settlement holds: it was applied now, or by an earlier call whose reply was lost.
    Applied,
    /// The lease is not the job's any more. Nothing was changed.
    LeaseLost,
}

/// The answer to [`extend`](crate::QueueBackend::extend).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum LeaseState {
    /// The lease holds and was extended; somebody asked that the run be cancelled.
    CancelRequested,
    /// The lease holds and was extended.
    Held,
    /// The lease is not the job's any more.
    Lost,
}

/// The crash budget where none is set.
pub(crate) const DEFAULT_CRASH_BUDGET: u32 = 3;
const DEFAULT_MAX_BYTES: usize = 8 * 1024 * 1024;
