use std::sync::Arc;
use std::time::Duration;

use anvil_queue::{DeadReason, Job, JobId, Lease, LeaseToken, Reserve, Reserved};

use super::{Stage, State};

impl State {
    /// Leases ready jobs under `token`, after moving what is due and reclaiming what has expired.
    pub(crate) fn reserve(
        &mut self,
        request: &Reserve,
        token: LeaseToken,
        now: Duration,
    ) -> Vec<Reserved> {
        self.reclaim_expired(request.crash_budget_value(), now);
        self.promote_due(now);
        let deadline = now.saturating_add(request.lease_value());
        let mut reserved = Vec::new();
        if request.max_jobs_value() == 0 {
            return reserved;
        }
        if request.reclaimed_allowed()
            && let Some(id) = self.ready.take_suspect_in_front()
        {
            reserved.extend(self.lease(id, token, deadline, now));
            return reserved;
        }
        let mut bytes_left = request.max_bytes_value();
        while reserved.len() < request.max_jobs_value()
            && let Some(id) = self.ready.first()
        {
            let weight = self.entries.get(&id).map_or(0, |entry| entry.data.weight());
            if weight > bytes_left && !reserved.is_empty() {
                break;
            }
            bytes_left = bytes_left.saturating_sub(weight);
            self.ready.take_first();
            reserved.extend(self.lease(id, token, deadline, now));
        }
        reserved
    }

    fn lease(
        &mut self,
        id: JobId,
        token: LeaseToken,
        deadline: Duration,
        now: Duration,
    ) -> Option<Reserved> {
        let wall_start = self.wall_start;
        self.note_timer(deadline);
        let entry = self.entries.get_mut(&id)?;
        entry.stage = Stage::Leased {
            token,
            deadline,
            cancel_requested: false,
        };
        self.leases.insert((deadline, id));
        let job = Job::new(
            Arc::clone(&entry.data),
            entry.counters,
            wall_start + entry.accepted_at,
            now.saturating_sub(entry.accepted_at),
        );
        Some(Reserved::new(job, Lease::new(id, token)))
    }

    fn promote_due(&mut self, now: Duration) {
        for _ in 0..MAX_MOVED {
            let Some(next) = self
                .scheduled
                .first()
                .filter(|(due, ..)| *due <= now)
                .copied()
            else {
                return;
            };
            self.scheduled.remove(&next);
            self.append_to_ready(next.2);
        }
    }

    fn reclaim_expired(&mut self, crash_budget: u32, now: Duration) {
        for _ in 0..MAX_MOVED {
            let Some(next) = self.leases.first().filter(|(at, _)| *at <= now).copied() else {
                return;
            };
            self.leases.remove(&next);
            self.reclaim(next.1, crash_budget, now);
        }
    }

    fn reclaim(&mut self, id: JobId, crash_budget: u32, now: Duration) {
        let Some(entry) = self.entries.get_mut(&id) else {
            return;
        };
        entry.counters.reclaims = entry.counters.reclaims.saturating_add(1);
        self.totals.reclaimed += 1;
        if entry.counters.reclaims > crash_budget {
            self.bury(id, DeadReason::Poison, now);
        } else {
            self.return_to_ready(id);
        }
    }
}

/// How many due jobs, and how many expired leases, one call moves at most.
const MAX_MOVED: usize = 512;

#[cfg(test)]
mod tests {
    use anvil_queue::NewJob;

    use super::super::Limits;
    use super::super::fixture::{at, enqueue, reserve, state};
    use super::*;

    #[test]
    fn one_call_moves_a_bounded_number_of_due_jobs_and_expired_leases() {
        let mut state = state(Limits::default());
        for _ in 0..2 * MAX_MOVED {
            enqueue(&mut state, NewJob::new("x").delay(at(1)), 0);
        }
        assert_eq!(reserve(&mut state, &Reserve::new(1, at(1)), 1).len(), 1);
        assert_eq!(state.scheduled.len(), MAX_MOVED);
        assert_eq!(
            reserve(&mut state, &Reserve::new(2 * MAX_MOVED, at(1)), 1).len(),
            1_023
        );
        assert_eq!(state.leases.len(), 2 * MAX_MOVED);
        reserve(&mut state, &Reserve::new(0, at(1)), 2);
        assert_eq!(state.leases.len(), MAX_MOVED);
    }

    #[test]
    fn a_batch_holds_no_suspect_and_a_suspect_comes_alone_when_it_is_oldest() {
        let mut state = state(Limits::default());
        let ids: Vec<_> = (0..4)
            .map(|_| enqueue(&mut state, NewJob::new("x"), 0))
            .collect();
        let first = reserve(&mut state, &Reserve::new(1, at(1)), 0);
        assert_eq!(first[0].job.id(), ids[0]);
        let not_alone = reserve(&mut state, &Reserve::new(2, at(1_000)).reclaimed(false), 1);
        assert_eq!(
            not_alone.iter().map(|r| r.job.id()).collect::<Vec<_>>(),
            ids[1..3]
        );
        let alone = reserve(&mut state, &Reserve::new(10, at(1_000)), 1);
        assert_eq!(
            alone.iter().map(|r| r.job.id()).collect::<Vec<_>>(),
            ids[..1]
        );
        assert_eq!(alone[0].job.counters().reclaims, 1);
        let rest = reserve(&mut state, &Reserve::new(10, at(1_000)), 1);
        assert_eq!(
            rest.iter().map(|r| r.job.id()).collect::<Vec<_>>(),
            ids[3..]
        );
    }

    #[test]
    fn a_batch_ends_before_it_grows_too_heavy_but_never_before_its_first_job() {
        let mut state = state(Limits::default());
        let weight = NewJob::new("x").data().weight();
        for _ in 0..5 {
            enqueue(&mut state, NewJob::new("x"), 0);
        }
        let request = Reserve::new(10, at(1)).max_bytes(2 * weight);
        assert_eq!(reserve(&mut state, &request, 0).len(), 2);
        assert_eq!(
            reserve(&mut state, &Reserve::new(10, at(1)).max_bytes(0), 0).len(),
            1
        );
    }
}
