use std::ops::Bound;
use std::sync::Arc;

use anvil_queue::{
    DeadLetter, DeadPage, DeadPosition, DeadQuery, FailureContext, JobId, ReplayOptions, Replayed,
};

use crate::queue::{Claim, Now, Queue, Stage};

impl Queue {
    /// One page of the walk. The limit counts letters looked at, so that a filter that matches
    /// nothing ends the call as early as one that matches all.
    pub(crate) fn list_dead(&self, query: &DeadQuery, now: Now) -> DeadPage {
        let start = query.after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut walk = self
            .dead
            .range((start, Bound::Unbounded))
            .take_while(|(position, _)| query.up_to.is_none_or(|last| **position <= last));
        let limit = query.limit.clamp(1, MAX_PAGE);
        let mut letters: Vec<_> = walk
            .by_ref()
            .take(limit)
            .filter_map(|(_, id)| self.letter(*id))
            .collect();
        let last = letters.last().map(|letter| letter.position);
        let next = last.filter(|_| walk.next().is_some());
        let newest = self.dead.last_key_value().map(|(position, _)| *position);
        letters.retain(|letter| query.filter.matches(letter, now.wall));
        DeadPage::new(letters, next, newest)
    }

    pub(crate) fn letter(&self, id: JobId) -> Option<DeadLetter> {
        let entry = self.jobs.get(&id)?;
        let Stage::Dead {
            reason,
            position,
            died_at,
        } = entry.stage
        else {
            return None;
        };
        Some(DeadLetter::new(
            Arc::clone(&entry.data),
            entry.counters,
            reason,
            entry.failures.clone(),
            entry.accepted.wall,
            died_at,
            position,
        ))
    }

    /// Sends a dead job back to the tail of ready (G7).
    pub(crate) fn replay(&mut self, id: JobId, options: ReplayOptions, now: Now) -> Replayed {
        let Some(position) = self.death_of(id) else {
            return Replayed::NotDead;
        };
        if options.up_to.is_some_and(|last| position > last) {
            return Replayed::NotDead;
        }
        let key = self.jobs.get(&id).and_then(|entry| entry.data.dedupe_key());
        if let Some(key) = key.map(Claim::Key) {
            match self.holder(key, now) {
                Some(newer) if newer != id && !options.force => {
                    return Replayed::Superseded(newer);
                }
                _ => self.claim(key, id, self.limits.dedupe_window, now),
            }
        }
        if let Some(entry) = self.jobs.get_mut(&id) {
            entry.counters.attempts = 0;
            entry.counters.replays += 1;
            entry.failures = FailureContext::default();
        }
        self.move_to_tail(id);
        self.totals.replayed += 1;
        Replayed::Ready
    }

    /// Throws a dead job away; its claim stays, so a re-delivery is still a duplicate.
    pub(crate) fn discard(&mut self, id: JobId) -> bool {
        let dead = self.death_of(id).is_some();
        if dead {
            self.remove(id);
            self.totals.discarded += 1;
        }
        dead
    }

    fn death_of(&self, id: JobId) -> Option<DeadPosition> {
        match self.jobs.get(&id)?.stage {
            Stage::Dead { position, .. } => Some(position),
            _ => None,
        }
    }
}

const MAX_PAGE: usize = 200;
