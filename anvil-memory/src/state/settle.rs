use std::time::Duration;

use anvil_queue::{JobId, Lease, LeaseState, Settled, Settlement};

use super::{Stage, State};

impl State {
    /// Ends a lease, where it is still the job's.
    pub(crate) fn settle(
        &mut self,
        lease: &Lease,
        settlement: &Settlement,
        now: Duration,
    ) -> Settled {
        let id = lease.job();
        let Some(deadline) = self.deadline_of(lease) else {
            return self.settled_before(lease, settlement);
        };
        match settlement {
            Settlement::Bury { reason, failure } => {
                self.count_attempt(id, failure, now);
                self.bury(id, *reason, now);
            }
            Settlement::Complete => self.complete(id),
            Settlement::Release => {
                self.totals.released += 1;
                self.return_to_ready(id);
            }
            Settlement::Retry { after, failure } => {
                self.totals.retried += 1;
                self.count_attempt(id, failure, now);
                self.schedule(id, *after, now);
            }
            Settlement::Snooze { after } => {
                self.totals.snoozed += 1;
                self.count_snooze(id);
                self.schedule(id, *after, now);
            }
        }
        self.leases.remove(&(deadline, id));
        self.applied.remember(lease, settlement);
        Settled::Applied
    }

    /// Lets a lease run for `time` from now, never shorter than it would have.
    pub(crate) fn extend(&mut self, lease: &Lease, time: Duration, now: Duration) -> LeaseState {
        let Some(deadline) = self.deadline_of(lease) else {
            return LeaseState::Lost;
        };
        let id = lease.job();
        let later = now.saturating_add(time);
        if later > deadline {
            self.leases.remove(&(deadline, id));
            self.leases.insert((later, id));
            self.set_deadline(id, later);
        }
        if self.is_cancel_requested(id) {
            LeaseState::CancelRequested
        } else {
            LeaseState::Held
        }
    }

    fn set_deadline(&mut self, id: JobId, to: Duration) {
        if let Some(entry) = self.entries.get_mut(&id)
            && let Stage::Leased { deadline, .. } = &mut entry.stage
        {
            *deadline = to;
        }
    }

    /// The fence: when the lease runs out, where it is the one the job is held under. A lease that
    /// has run out holds until somebody reclaims the job, because nobody else has it.
    fn deadline_of(&self, lease: &Lease) -> Option<Duration> {
        match self.entries.get(&lease.job())?.stage {
            Stage::Leased {
                token, deadline, ..
            } if token == lease.token() => Some(deadline),
            _ => None,
        }
    }

    fn settled_before(&mut self, lease: &Lease, settlement: &Settlement) -> Settled {
        if self.applied.contains(lease, settlement) {
            return Settled::Applied;
        }
        self.totals.leases_lost += 1;
        Settled::LeaseLost
    }

    fn complete(&mut self, id: JobId) {
        if let Some(entry) = self.entries.remove(&id) {
            self.ages.close(entry.accepted_at);
            self.totals.completed += 1;
        }
    }

    fn count_snooze(&mut self, id: JobId) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.counters.snoozes = entry.counters.snoozes.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use anvil_queue::{DeadReason, NewJob, Reserve};

    use super::super::Limits;
    use super::super::fixture::{at, enqueue, failure, reserve, state};
    use super::*;

    fn leased(state: &mut State) -> Lease {
        enqueue(state, NewJob::new("x"), 0);
        reserve(state, &Reserve::new(1, at(10)), 0).remove(0).lease
    }

    #[test]
    fn each_settlement_moves_the_job_to_its_stage() {
        let retry = Settlement::Retry {
            after: at(5),
            failure: failure("no"),
        };
        let bury = Settlement::Bury {
            reason: DeadReason::Exhausted,
            failure: failure("no"),
        };
        for (settlement, [ready, scheduled, dead]) in [
            (Settlement::Complete, [0, 0, 0]),
            (Settlement::Release, [1, 0, 0]),
            (retry, [0, 1, 0]),
            (Settlement::Snooze { after: at(5) }, [0, 1, 0]),
            (bury, [0, 0, 1]),
        ] {
            let mut state = state(Limits::default());
            let lease = leased(&mut state);
            assert_eq!(state.settle(&lease, &settlement, at(1)), Settled::Applied);
            let stats = state.stats(at(1));
            assert_eq!(
                [stats.ready, stats.scheduled, stats.dead, stats.leased],
                [ready, scheduled, dead, 0],
                "{settlement:?}"
            );
            assert_eq!(
                stats.oldest_age.is_some(),
                ready + scheduled == 1,
                "{settlement:?}"
            );
        }
    }

    #[test]
    fn a_settlement_sent_again_is_applied_and_another_is_lost() {
        let mut state = state(Limits::default());
        let lease = leased(&mut state);
        assert_eq!(
            state.settle(&lease, &Settlement::Release, at(1)),
            Settled::Applied
        );
        assert_eq!(
            state.settle(&lease, &Settlement::Release, at(1)),
            Settled::Applied
        );
        assert_eq!(
            state.settle(&lease, &Settlement::Complete, at(1)),
            Settled::LeaseLost
        );
        assert_eq!(state.totals.released, 1);
        assert_eq!(state.totals.leases_lost, 1);
    }

    #[test]
    fn extending_moves_the_deadline_later_and_never_sooner() {
        let mut state = state(Limits::default());
        let lease = leased(&mut state);
        assert_eq!(state.extend(&lease, at(1), at(1)), LeaseState::Held);
        assert_eq!(state.next_timer(), Some(at(10)));
        assert_eq!(state.extend(&lease, at(10), at(5)), LeaseState::Held);
        assert_eq!(state.next_timer(), Some(at(15)));
    }

    #[test]
    fn a_lease_that_ran_out_holds_until_somebody_reclaims() {
        let mut state = state(Limits::default());
        let lease = leased(&mut state);
        assert_eq!(state.extend(&lease, at(10), at(11)), LeaseState::Held);
        let other = reserve(&mut state, &Reserve::new(1, at(10)), 21)
            .remove(0)
            .lease;
        assert_eq!(state.extend(&lease, at(10), at(21)), LeaseState::Lost);
        assert_eq!(
            state.settle(&lease, &Settlement::Complete, at(21)),
            Settled::LeaseLost
        );
        assert_eq!(
            state.settle(&other, &Settlement::Complete, at(21)),
            Settled::Applied
        );
    }
}
