use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use anvil_queue::{DeadLetter, DeadPage, DeadPosition, DeadQuery, JobId, ReplayOptions, Replayed};

use super::claims::key_claim;
use super::{Entry, Stage, State};

impl State {
    /// One page of the walk over the dead letters; looks at no more letters than it may answer.
    pub(crate) fn list_dead(&self, query: &DeadQuery, now: Duration) -> DeadPage {
        let start = query.after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut range = self
            .dead
            .range((start, Bound::Unbounded))
            .take_while(|(position, _)| query.up_to.is_none_or(|last| **position <= last));
        let looked_at: Vec<_> = range
            .by_ref()
            .take(query.limit.clamp(1, MAX_PAGE))
            .collect();
        let more = range.next().is_some();
        let next = looked_at
            .last()
            .filter(|_| more)
            .map(|(position, _)| **position);
        let letters = looked_at
            .into_iter()
            .filter_map(|(_, id)| self.get_dead(*id))
            .filter(|letter| query.filter.matches(letter, self.wall(now)))
            .collect();
        let newest = self.dead.last_key_value().map(|(position, _)| *position);
        DeadPage::new(letters, next, newest)
    }

    pub(crate) fn get_dead(&self, id: JobId) -> Option<DeadLetter> {
        let Entry {
            data,
            stage,
            counters,
            failures,
            accepted_at,
            place: _,
        } = self.entries.get(&id)?;
        let Stage::Dead {
            position,
            reason,
            died_at,
        } = *stage
        else {
            return None;
        };
        Some(DeadLetter::new(
            Arc::clone(data),
            *counters,
            reason,
            failures.as_deref().cloned().unwrap_or_default(),
            self.wall(*accepted_at),
            self.wall(died_at),
            position,
        ))
    }

    /// Sends a dead job back to the tail of ready.
    ///
    /// Its failures are cleared with its attempts: both count from here. Its reclaims stay, so a
    /// job that was poison runs alone, and one more crash buries it again.
    pub(crate) fn replay(&mut self, id: JobId, options: ReplayOptions, now: Duration) -> Replayed {
        let Some(position) = self.death_of(id) else {
            return Replayed::NotDead;
        };
        if options.up_to.is_some_and(|last| position > last) {
            return Replayed::NotDead;
        }
        let Some(entry) = self.entries.get_mut(&id) else {
            return Replayed::NotDead;
        };
        if let Some(key) = entry.data.dedupe_key().as_ref().map(key_claim) {
            match self.keys.holder(&key, now) {
                Some(newer) if newer != id && !options.force => {
                    return Replayed::Superseded(newer);
                }
                _ => self.keys.claim(key, id, self.limits.dedupe_window, now),
            }
        }
        entry.counters.attempts = 0;
        entry.counters.replays = entry.counters.replays.saturating_add(1);
        entry.failures = None;
        self.dead.remove(&position);
        self.ages.open(entry.accepted_at);
        self.totals.replayed += 1;
        self.append_to_ready(id);
        Replayed::Ready
    }

    /// Throws a dead job away; its dedupe record stays.
    pub(crate) fn discard(&mut self, id: JobId) -> bool {
        let Some(position) = self.death_of(id) else {
            return false;
        };
        self.dead.remove(&position);
        self.entries.remove(&id);
        self.totals.discarded += 1;
        true
    }

    fn death_of(&self, id: JobId) -> Option<DeadPosition> {
        match self.entries.get(&id)?.stage {
            Stage::Dead { position, .. } => Some(position),
            _ => None,
        }
    }
}

const MAX_PAGE: usize = 200;

#[cfg(test)]
mod tests {
    use anvil_queue::{DeadFilter, DeadReason, DedupeKey, NewJob, Reserve, Settlement};

    use super::super::Limits;
    use super::super::fixture::{at, enqueue, failure, reserve, state};
    use super::*;

    fn kill(state: &mut State, job: NewJob, now: u64) -> JobId {
        enqueue(state, job, now);
        let lease = reserve(state, &Reserve::new(1, at(10)), now)
            .remove(0)
            .lease;
        let bury = Settlement::Bury {
            reason: DeadReason::Permanent,
            failure: failure("no"),
        };
        state.settle(&lease, &bury, at(now));
        lease.job()
    }

    #[test]
    fn a_page_looks_at_no_more_letters_than_its_limit() {
        let mut state = state(Limits::default());
        for n in 0..5 {
            kill(
                &mut state,
                NewJob::new("x").kind(if n == 4 { "b" } else { "a" }),
                n,
            );
        }
        let query = DeadQuery::new()
            .limit(2)
            .filter(DeadFilter::default().kind("b"));
        let page = state.list_dead(&query, at(9));
        assert!(page.letters.is_empty());
        assert_eq!(page.next, Some(DeadPosition::new(2)));
        assert_eq!(page.newest, Some(DeadPosition::new(5)));
        let last = state.list_dead(&query.after(DeadPosition::new(4)), at(9));
        assert_eq!(last.letters.len(), 1);
        assert_eq!(last.next, None);
    }

    #[test]
    fn a_walk_whose_end_lies_before_its_start_is_empty() {
        let mut state = state(Limits::default());
        kill(&mut state, NewJob::new("x"), 0);
        let query = DeadQuery::new()
            .after(DeadPosition::new(9))
            .up_to(DeadPosition::new(1));
        assert!(state.list_dead(&query, at(0)).letters.is_empty());
    }

    #[test]
    fn a_replay_takes_a_free_key_and_a_forced_one_takes_any() {
        let mut state = state(Limits {
            dedupe_window: at(10),
            ..Limits::default()
        });
        let key = DedupeKey::derive("test", b"1");
        let job = || NewJob::new("x").dedupe_key(key);
        let old = kill(&mut state, job(), 0);
        let newer = kill(&mut state, job(), 10);
        let options = ReplayOptions::default();
        assert_eq!(
            state.replay(old, options, at(11)),
            Replayed::Superseded(newer)
        );
        assert_eq!(
            state.replay(old, options.force(true), at(11)),
            Replayed::Ready
        );
        assert_eq!(state.keys.holder(&key_claim(&key), at(20)), Some(old));
        assert_eq!(state.replay(newer, options, at(30)), Replayed::Ready);
        assert_eq!(state.keys.holder(&key_claim(&key), at(39)), Some(newer));
    }

    #[test]
    fn a_discarded_job_keeps_its_record() {
        let mut state = state(Limits::default());
        let key = DedupeKey::derive("test", b"1");
        let id = kill(&mut state, NewJob::new("x").dedupe_key(key), 0);
        assert!(state.discard(id));
        assert!(!state.discard(id));
        assert_eq!(state.keys.holder(&key_claim(&key), at(1)), Some(id));
        assert_eq!(state.entries.len(), 0);
    }
}
