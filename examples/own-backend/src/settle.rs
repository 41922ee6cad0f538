use std::time::Duration;

use anvil_queue::{Lease, LeaseState, Settled, Settlement};

use crate::queue::{Entry, Now, Queue, Stage};

impl Queue {
    /// Ends a lease, where it is still the job's (G4).
    pub(crate) fn settle(&mut self, lease: &Lease, settlement: &Settlement, now: Now) -> Settled {
        let id = lease.job();
        if self.deadline_of(lease).is_none() {
            return self.settled_before(lease, settlement);
        }
        let Some(entry) = self.jobs.get_mut(&id) else {
            return Settled::LeaseLost;
        };
        match settlement {
            Settlement::Bury { reason, failure } => {
                entry.count_failure(failure, now);
                self.bury(id, *reason, now);
            }
            Settlement::Complete => {
                self.totals.completed += 1;
                self.remove(id);
            }
            Settlement::Release => {
                self.totals.released += 1;
                self.move_back(id, Stage::Ready);
            }
            Settlement::Retry { after, failure } => {
                self.totals.retried += 1;
                entry.count_failure(failure, now);
                self.move_back(id, due_after(*after, now));
            }
            Settlement::Snooze { after } => {
                self.totals.snoozed += 1;
                entry.counters.snoozes += 1;
                self.move_back(id, due_after(*after, now));
            }
        }
        self.settled.push_front((lease.clone(), settlement.clone()));
        self.settled.truncate(REMEMBERED);
        Settled::Applied
    }

    /// Lets a lease run for `time` from now, never shorter than it would have.
    pub(crate) fn extend(&mut self, lease: &Lease, time: Duration, now: Now) -> LeaseState {
        let Some(deadline) = self.deadline_of(lease) else {
            return LeaseState::Lost;
        };
        let id = lease.job();
        let cancelled = self.jobs.get(&id).is_some_and(Entry::is_cancel_requested);
        let extended = Stage::Leased {
            token: lease.token(),
            deadline: now.elapsed.saturating_add(time).max(deadline),
            cancel_requested: cancelled,
        };
        self.move_to(id, extended);
        if cancelled {
            LeaseState::CancelRequested
        } else {
            LeaseState::Held
        }
    }

    /// The fence: when the lease runs out, where the job is held under this very one.
    fn deadline_of(&self, lease: &Lease) -> Option<Duration> {
        match self.jobs.get(&lease.job())?.stage {
            Stage::Leased {
                token, deadline, ..
            } if token == lease.token() => Some(deadline),
            _ => None,
        }
    }

    fn settled_before(&mut self, lease: &Lease, settlement: &Settlement) -> Settled {
        let same = |(l, s): &(Lease, Settlement)| l == lease && s == settlement;
        if self.settled.iter().any(same) {
            return Settled::Applied;
        }
        self.totals.leases_lost += 1;
        Settled::LeaseLost
    }
}

fn due_after(delay: Duration, now: Now) -> Stage {
    let due = now.elapsed.saturating_add(delay);
    Stage::Scheduled { due }
}

const REMEMBERED: usize = 1_000;
