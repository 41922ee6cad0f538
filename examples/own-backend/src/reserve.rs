use std::sync::Arc;
use std::time::Duration;

use anvil_queue::{DeadReason, Job, JobId, Lease, LeaseToken, Reserve, Reserved};

use crate::queue::{Entry, Now, Queue, Stage};

impl Queue {
    /// Moves what time alone moves, then leases ready jobs.
    pub(crate) fn reserve(&mut self, request: &Reserve, now: Now) -> Vec<Reserved> {
        self.promote_due(now);
        self.reclaim_expired(request.crash_budget_value(), now);
        self.pick(request)
            .into_iter()
            .filter_map(|id| self.lease(id, request.lease_value(), now))
            .collect()
    }

    /// Puts due jobs at the tail of ready, in the order in which they are due.
    fn promote_due(&mut self, now: Now) {
        for _ in 0..MAX_MOVED {
            match self.scheduled.first() {
                Some((due, _, id)) if *due <= now.elapsed => self.move_to_tail(*id),
                _ => return,
            }
        }
    }

    /// Puts jobs whose lease ran out back at their place, or among the dead (G6).
    fn reclaim_expired(&mut self, crash_budget: u32, now: Now) {
        for _ in 0..MAX_MOVED {
            let id = match self.leased.first() {
                Some((deadline, id)) if *deadline <= now.elapsed => *id,
                _ => return,
            };
            self.totals.reclaimed += 1;
            let mut reclaims = 0;
            if let Some(entry) = self.jobs.get_mut(&id) {
                entry.counters.reclaims += 1;
                reclaims = entry.counters.reclaims;
            }
            if reclaims > crash_budget {
                self.bury(id, DeadReason::Poison, now);
            } else {
                self.move_back(id, Stage::Ready);
            }
        }
    }

    /// Chooses ready jobs, oldest place first: one suspect alone, or others and no suspect.
    fn pick(&self, request: &Reserve) -> Vec<JobId> {
        let mut ready = self
            .ready
            .values()
            .filter_map(|id| self.jobs.get_key_value(id));
        let alone = |(id, entry): (&JobId, &Entry)| entry.is_suspect().then_some(*id);
        if request.max_jobs_value() > 0
            && request.reclaimed_allowed()
            && let Some(suspect) = ready.clone().next().and_then(alone)
        {
            return vec![suspect];
        }
        let mut picked = Vec::new();
        let mut bytes = 0_usize;
        while picked.len() < request.max_jobs_value()
            && let Some((id, entry)) = ready.find(|(_, entry)| !entry.is_suspect())
        {
            bytes = bytes.saturating_add(entry.data.weight());
            if bytes > request.max_bytes_value() && !picked.is_empty() {
                break;
            }
            picked.push(*id);
        }
        picked
    }

    fn lease(&mut self, id: JobId, lease: Duration, now: Now) -> Option<Reserved> {
        let token = LeaseToken::generate();
        let deadline = now.elapsed.saturating_add(lease);
        let leased = Stage::Leased {
            token,
            deadline,
            cancel_requested: false,
        };
        self.move_to(id, leased);
        let entry = self.jobs.get(&id)?;
        let data = Arc::clone(&entry.data);
        let job = Job::new(data, entry.counters, entry.accepted.wall, entry.age(now));
        Some(Reserved::new(job, Lease::new(id, token)))
    }
}

/// How many due jobs, and how many expired leases, one call moves at most (G9).
const MAX_MOVED: usize = 500;
