use std::time::Duration;

use anvil_queue::{Counters, Enqueued, JobData, JobId, NewJob, Refusal};

use super::claims::key_claim;
use super::{Entry, Stage, State};

impl State {
    /// Claims the job's key and stores the job, or says why not.
    pub(crate) fn enqueue(&mut self, job: NewJob, now: Duration) -> Result<Enqueued, Refusal> {
        let data = job.into_data();
        let id = data.id();
        match self.holder_of(&data, now) {
            Some(holder) if holder == id => return Ok(Enqueued::Accepted(id)),
            Some(holder) => {
                self.totals.duplicates += 1;
                return Ok(if self.entries.get(&holder).is_some_and(Entry::is_dead) {
                    Enqueued::DuplicateOfDead(holder)
                } else {
                    Enqueued::Duplicate(holder)
                });
            }
            None => {}
        }
        if let Some(refusal) = self.refusal(&data) {
            if self.entries.get(&id).is_some() {
                return Ok(Enqueued::Accepted(id));
            }
            self.totals.refused += 1;
            return Err(refusal);
        }

        let (key, delay) = (data.dedupe_key(), data.delay());
        let place = self.new_place();
        let due = now.saturating_add(delay);
        let entry = Entry {
            data,
            stage: if delay.is_zero() {
                Stage::Ready
            } else {
                Stage::Scheduled { due }
            },
            place,
            accepted_at: now,
            counters: Counters::default(),
            failures: None,
        };
        if !self.entries.insert_new(id, entry) {
            return Ok(Enqueued::Accepted(id));
        }
        match key {
            Some(key) => {
                let window = self.limits.dedupe_window;
                self.keys.claim(key_claim(&key), id, window, now);
            }
            None => self.ids.claim(*id.as_bytes(), id, ID_WINDOW, now),
        }
        if delay.is_zero() {
            self.ready.append(place, id, false);
        } else {
            self.note_timer(due);
            self.scheduled.insert((due, place, id));
        }
        self.ages.open(now);
        self.totals.accepted += 1;
        Ok(Enqueued::Accepted(id))
    }

    /// Why a job that is not there yet can't be stored.
    fn refusal(&self, data: &JobData) -> Option<Refusal> {
        let limit = self.limits.max_job_bytes;
        if data.weight() > limit {
            return Some(Refusal::TooLarge { limit });
        }
        (self.entries.len() >= self.limits.capacity).then_some(Refusal::Full)
    }

    /// Drops dedupe records that have run out, a bounded number of them.
    pub(crate) fn forget_expired_claims(&mut self, at_least: usize, now: Duration) {
        let limit = at_least.max(MIN_FORGOTTEN);
        self.keys.forget_expired(limit, now);
        self.ids.forget_expired(limit, now);
    }

    /// The job that stands for this delivery within the window.
    fn holder_of(&self, data: &JobData, now: Duration) -> Option<JobId> {
        match data.dedupe_key() {
            Some(key) => self.keys.holder(&key_claim(&key), now),
            None => self.ids.holder(data.id().as_bytes(), now),
        }
    }
}

/// For how long a job without a key is claimed by its id.
const ID_WINDOW: Duration = Duration::from_secs(10 * 60);

/// A call drops at least twice what it may add, so records never pile up.
const MIN_FORGOTTEN: usize = 64;

#[cfg(test)]
mod tests {
    use anvil_queue::DedupeKey;

    use super::super::Limits;
    use super::super::fixture::{at, state};
    use super::*;

    fn keyed(part: &[u8]) -> NewJob {
        NewJob::new("x").dedupe_key(DedupeKey::derive("test", part))
    }

    #[test]
    fn a_refused_job_leaves_no_record() {
        let mut state = state(Limits {
            capacity: 1,
            max_job_bytes: 1_000,
            ..Limits::default()
        });
        assert!(state.enqueue(keyed(b"a"), at(0)).is_ok());
        assert_eq!(state.enqueue(keyed(b"b"), at(0)), Err(Refusal::Full));
        let large = NewJob::new(vec![0; 1_000]).dedupe_key(DedupeKey::derive("test", b"c"));
        assert_eq!(
            state.enqueue(large, at(0)),
            Err(Refusal::TooLarge { limit: 1_000 })
        );
        assert_eq!(state.keys.len(), 1);
        assert_eq!(state.totals.refused, 2);
    }

    #[test]
    fn a_job_whose_id_is_stored_is_accepted_again_after_every_window() {
        let mut state = state(Limits::default());
        let job = keyed(b"a");
        assert!(state.enqueue(job.clone(), at(0)).is_ok());
        let id = job.data().id();
        assert_eq!(
            state.enqueue(job, at(1_000_000)),
            Ok(Enqueued::Accepted(id))
        );
        assert_eq!(state.totals.accepted, 1);
    }

    #[test]
    fn expired_records_are_dropped_as_new_ones_come() {
        let mut state = state(Limits {
            dedupe_window: at(10),
            ..Limits::default()
        });
        for n in 0..1_000_u32 {
            state.forget_expired_claims(2, at(n.into()));
            assert!(state.enqueue(keyed(&n.to_be_bytes()), at(n.into())).is_ok());
        }
        assert!(state.keys.len() <= 11, "{} records", state.keys.len());
    }
}
