use std::time::Duration;

use anvil_queue::{Counters, DeadReason, JobId, Lease, NewJob};

#[derive(Clone, Debug)]
pub(crate) struct ModelJob {
    pub(crate) sent: NewJob,
    pub(crate) stage: Stage,
    pub(crate) accepted_at: Duration,
    pub(crate) counters: Counters,
    pub(crate) errors: Vec<String>,
    pub(crate) place: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stage {
    Ready,
    Scheduled {
        due: Duration,
        order: u64,
    },
    Leased {
        lease: Lease,
        deadline: Duration,
        cancel_requested: bool,
    },
    Dead {
        order: u64,
        reason: DeadReason,
    },
    Gone,
}

impl ModelJob {
    pub(crate) fn id(&self) -> JobId {
        self.sent.data().id()
    }

    pub(crate) fn death(&self) -> Option<(u64, DeadReason)> {
        match self.stage {
            Stage::Dead { order, reason } => Some((order, reason)),
            _ => None,
        }
    }

    pub(crate) fn is_cancel_requested(&self) -> bool {
        matches!(
            self.stage,
            Stage::Leased {
                cancel_requested: true,
                ..
            }
        )
    }
}
