use std::time::Duration;

use anvil_queue::{Counters, Enqueued, FailureContext, JobId, NewJob, Refusal};

use crate::queue::{Claim, Entry, Now, Queue, Stage};

impl Queue {
    /// Claims the key and stores the job, both or neither (G1, G2).
    pub(crate) fn enqueue(&mut self, job: NewJob, now: Now) -> Result<Enqueued, Refusal> {
        let data = job.into_data();
        let id = data.id();
        let (claim, window) = match data.dedupe_key() {
            Some(key) => (Claim::Key(key), self.limits.dedupe_window),
            None => (Claim::Id(id), ID_WINDOW),
        };
        match self.holder(claim, now) {
            Some(holder) if holder != id => return Ok(self.duplicate_of(holder)),
            Some(_) => return Ok(Enqueued::Accepted(id)),
            None if self.jobs.contains_key(&id) => return Ok(Enqueued::Accepted(id)),
            None => {}
        }
        if self.jobs.len() >= self.limits.capacity {
            self.totals.refused += 1;
            return Err(Refusal::Full);
        }

        self.claim(claim, id, window, now);
        self.totals.accepted += 1;
        let stage = match data.delay() {
            Duration::ZERO => Stage::Ready,
            delay => Stage::Scheduled {
                due: now.elapsed.saturating_add(delay),
            },
        };
        let entry = Entry {
            data,
            stage,
            place: self.new_place(),
            accepted: now,
            counters: Counters::default(),
            failures: FailureContext::default(),
        };
        self.insert(id, entry);
        Ok(Enqueued::Accepted(id))
    }

    /// The job that holds a claim which has not run out.
    pub(crate) fn holder(&self, claim: Claim, now: Now) -> Option<JobId> {
        let (holder, until) = self.claims.get(&claim)?;
        (now.elapsed < *until).then_some(*holder)
    }

    pub(crate) fn claim(&mut self, claim: Claim, holder: JobId, window: Duration, now: Now) {
        let until = now.elapsed.saturating_add(window);
        self.claims.insert(claim, (holder, until));
    }

    fn duplicate_of(&mut self, holder: JobId) -> Enqueued {
        self.totals.duplicates += 1;
        if self.jobs.get(&holder).is_some_and(Entry::is_dead) {
            Enqueued::DuplicateOfDead(holder)
        } else {
            Enqueued::Duplicate(holder)
        }
    }
}

/// How long a job without a key is known by its id.
const ID_WINDOW: Duration = Duration::from_secs(600);
