use std::sync::Arc;
use std::time::Duration;

use anvil_queue::{Cancelled, JobId, JobPlace, JobView, PeekPlace, PeekQuery};

use super::{Entry, Stage, State};

impl State {
    /// The next jobs of a place in the order in which they leave it.
    pub(crate) fn peek(&self, query: PeekQuery, now: Duration) -> Vec<JobView> {
        let limit = query.limit.clamp(1, MAX_PEEKED);
        let ids: Vec<JobId> = match query.place {
            PeekPlace::Leased => self.leases.iter().map(|l| l.1).take(limit).collect(),
            PeekPlace::Scheduled => self.scheduled.iter().map(|s| s.2).take(limit).collect(),
            PeekPlace::Ready => self.ready.peek(limit),
            _ => Vec::new(),
        };
        ids.into_iter()
            .filter_map(|id| self.view(id, now))
            .collect()
    }

    /// One job, wherever it is.
    pub(crate) fn view(&self, id: JobId, now: Duration) -> Option<JobView> {
        let Entry {
            data,
            stage,
            counters,
            failures,
            accepted_at,
            place: _,
        } = self.entries.get(&id)?;
        let place = match *stage {
            Stage::Ready => JobPlace::Ready,
            Stage::Scheduled { due } => JobPlace::Scheduled {
                due_in: due.saturating_sub(now),
            },
            Stage::Leased {
                deadline,
                cancel_requested,
                ..
            } => JobPlace::Leased {
                expires_in: deadline.saturating_sub(now),
                cancel_requested,
            },
            Stage::Dead {
                position,
                reason,
                died_at,
            } => JobPlace::Dead {
                reason,
                died_at: self.wall(died_at),
                position,
            },
        };
        Some(JobView::new(
            Arc::clone(data),
            *counters,
            place,
            failures.as_deref().cloned().unwrap_or_default(),
            self.wall(*accepted_at),
        ))
    }

    /// Removes a job that waits, or asks for the end of its run.
    pub(crate) fn cancel(&mut self, id: JobId) -> Cancelled {
        let Some(entry) = self.entries.get_mut(&id) else {
            return Cancelled::NotFound;
        };
        match &mut entry.stage {
            Stage::Dead { .. } => return Cancelled::Dead,
            Stage::Leased {
                cancel_requested, ..
            } => {
                *cancel_requested = true;
                return Cancelled::Requested;
            }
            Stage::Ready => self.ready.remove(entry.place),
            Stage::Scheduled { due } => {
                self.scheduled.remove(&(*due, entry.place, id));
            }
        }
        self.remove_cancelled(id);
        Cancelled::Removed
    }

    /// Whether the end of the job's run was asked for, so that the job does not wait again.
    pub(super) fn is_cancel_requested(&self, id: JobId) -> bool {
        let stage = self.entries.get(&id).map(|entry| &entry.stage);
        matches!(
            stage,
            Some(Stage::Leased {
                cancel_requested: true,
                ..
            })
        )
    }

    /// Forgets a job that is in no order any more; its dedupe record stays.
    pub(super) fn remove_cancelled(&mut self, id: JobId) {
        if let Some(entry) = self.entries.remove(&id) {
            self.ages.close(entry.accepted_at);
            self.totals.cancelled += 1;
        }
    }
}

const MAX_PEEKED: usize = 200;
