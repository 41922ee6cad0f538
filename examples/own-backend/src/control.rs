use std::sync::Arc;

use anvil_queue::{Cancelled, JobId, JobPlace, JobView, PeekPlace, PeekQuery};

use crate::queue::{Now, Queue, Stage};

impl Queue {
    /// The beginning of one of the orders, and nothing moves.
    pub(crate) fn peek(&self, query: PeekQuery, now: Now) -> Vec<JobView> {
        let limit = query.limit.clamp(1, MAX_PEEKED);
        let ids: Vec<_> = match query.place {
            PeekPlace::Leased => self.leased.iter().map(|l| l.1).take(limit).collect(),
            PeekPlace::Ready => self.ready.values().copied().take(limit).collect(),
            PeekPlace::Scheduled => self.scheduled.iter().map(|s| s.2).take(limit).collect(),
            _ => Vec::new(),
        };
        ids.into_iter()
            .filter_map(|id| self.view(id, now))
            .collect()
    }

    pub(crate) fn view(&self, id: JobId, now: Now) -> Option<JobView> {
        let entry = self.jobs.get(&id)?;
        let place = match entry.stage {
            Stage::Dead {
                reason,
                position,
                died_at,
            } => JobPlace::Dead {
                reason,
                died_at,
                position,
            },
            Stage::Leased {
                deadline,
                cancel_requested,
                ..
            } => JobPlace::Leased {
                expires_in: deadline.saturating_sub(now.elapsed),
                cancel_requested,
            },
            Stage::Ready => JobPlace::Ready,
            Stage::Scheduled { due } => JobPlace::Scheduled {
                due_in: due.saturating_sub(now.elapsed),
            },
        };
        Some(JobView::new(
            Arc::clone(&entry.data),
            entry.counters,
            place,
            entry.failures.clone(),
            entry.accepted.wall,
        ))
    }

    /// Removes a job that waits; asks for the end of a run.
    pub(crate) fn cancel(&mut self, id: JobId) -> Cancelled {
        let Some(entry) = self.jobs.get_mut(&id) else {
            return Cancelled::NotFound;
        };
        match &mut entry.stage {
            Stage::Dead { .. } => Cancelled::Dead,
            Stage::Leased {
                cancel_requested, ..
            } => {
                *cancel_requested = true;
                Cancelled::Requested
            }
            Stage::Ready | Stage::Scheduled { .. } => {
                self.totals.cancelled += 1;
                self.remove(id);
                Cancelled::Removed
            }
        }
    }
}

const MAX_PEEKED: usize = 200;
