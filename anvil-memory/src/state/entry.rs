use std::sync::Arc;
use std::time::Duration;

use anvil_queue::{Counters, DeadPosition, DeadReason, FailureContext, JobData, LeaseToken};

/// What the queue keeps of a job until it is done or discarded.
pub(super) struct Entry {
    pub(super) data: Arc<JobData>,
    pub(super) stage: Stage,
    /// The job's place in the order of ready jobs, kept while it is leased; of a scheduled job, its
    /// place among those that are due at the same moment.
    pub(super) place: u64,
    pub(super) accepted_at: Duration,
    pub(super) counters: Counters,
    /// Boxed, because few jobs ever fail.
    pub(super) failures: Option<Box<FailureContext>>,
}

impl Entry {
    /// Whether a worker died or hung with this job: the job may be the reason.
    pub(super) fn is_suspect(&self) -> bool {
        self.counters.reclaims > 0
    }

    pub(super) fn is_dead(&self) -> bool {
        matches!(self.stage, Stage::Dead { .. })
    }
}

/// Where a job is. Done jobs have no entry.
pub(super) enum Stage {
    Ready,
    Scheduled {
        due: Duration,
    },
    Leased {
        token: LeaseToken,
        deadline: Duration,
        /// A person asked that the run stop; the job does not wait again after it.
        cancel_requested: bool,
    },
    Dead {
        position: DeadPosition,
        reason: DeadReason,
        died_at: Duration,
    },
}
