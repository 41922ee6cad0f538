mod job;
mod look;

use std::mem::{Discriminant, discriminant};
use std::time::Duration;

use anvil_queue::{
    Cancelled, Counters, DeadReason, DedupeKey, Enqueued, JobId, Lease, LeaseState, NewJob,
    Refusal, Replayed, Reserve, Settled, Settlement,
};

pub(crate) use job::{ModelJob, Stage};

/// The contract in its plainest form: lists, searched from end to end.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) capacity: usize,
    pub(crate) dedupe_window: Duration,
    pub(crate) id_window: Duration,
    /// Leases that run out at the same moment are taken back by place, and not by id.
    ties_by_place: bool,
    pub(crate) jobs: Vec<ModelJob>,
    keys: Vec<(DedupeKey, JobId, Duration)>,
    ids: Vec<(JobId, Duration)>,
    applied: Vec<(Lease, Discriminant<Settlement>)>,
    totals: anvil_queue::QueueTotals,
    order: u64,
}

impl Model {
    pub(crate) fn new(
        capacity: usize,
        dedupe_window: Duration,
        id_window: Duration,
        ties_by_place: bool,
    ) -> Self {
        Self {
            capacity,
            dedupe_window,
            id_window,
            ties_by_place,
            jobs: Vec::new(),
            keys: Vec::new(),
            ids: Vec::new(),
            applied: Vec::new(),
            totals: anvil_queue::QueueTotals::default(),
            order: 0,
        }
    }

    pub(crate) fn enqueue(&mut self, sent: NewJob, now: Duration) -> Result<Enqueued, Refusal> {
        let id = sent.data().id();
        let holder = match sent.data().dedupe_key() {
            Some(key) => self.holder(key, now),
            None => self
                .ids
                .iter()
                .any(|(held, end)| *held == id && now < *end)
                .then_some(id),
        };
        if let Some(holder) = holder.filter(|holder| *holder != id) {
            self.totals.duplicates += 1;
            let dead = self.stored(holder).is_some_and(|job| job.death().is_some());
            return Ok(if dead {
                Enqueued::DuplicateOfDead(holder)
            } else {
                Enqueued::Duplicate(holder)
            });
        }
        if holder == Some(id) || self.stored(id).is_some() {
            return Ok(Enqueued::Accepted(id));
        }
        if self
            .jobs
            .iter()
            .filter(|job| job.stage != Stage::Gone)
            .count()
            >= self.capacity
        {
            self.totals.refused += 1;
            return Err(Refusal::Full);
        }
        match sent.data().dedupe_key() {
            Some(key) => self.keys.push((key, id, now + self.dedupe_window)),
            None => self.ids.push((id, now + self.id_window)),
        }
        self.totals.accepted += 1;
        let order = self.next();
        let delay = sent.data().delay();
        let stage = if delay.is_zero() {
            Stage::Ready
        } else {
            Stage::Scheduled {
                due: now + delay,
                order,
            }
        };
        self.jobs.push(ModelJob {
            sent,
            stage,
            accepted_at: now,
            counters: Counters::default(),
            errors: Vec::new(),
            place: order,
        });
        Ok(Enqueued::Accepted(id))
    }

    /// What has to be answered to `request`, in order.
    pub(crate) fn reserve(&mut self, request: &Reserve, now: Duration) -> Vec<JobId> {
        self.reclaim(request.crash_budget_value(), now);
        self.promote(now);
        let mut ready: Vec<_> = self
            .jobs
            .iter()
            .filter(|job| job.stage == Stage::Ready)
            .collect();
        ready.sort_by_key(|job| job.place);
        let suspect = |job: &&ModelJob| job.counters.reclaims > 0;
        if request.max_jobs_value() > 0
            && request.reclaimed_allowed()
            && let Some(first) = ready.first().filter(|job| suspect(job))
        {
            return vec![first.id()];
        }
        let mut weight = 0;
        let mut ids = Vec::new();
        for job in ready
            .into_iter()
            .filter(|job| !suspect(job))
            .take(request.max_jobs_value())
        {
            weight += job.sent.data().weight();
            if !ids.is_empty() && weight > request.max_bytes_value() {
                break;
            }
            ids.push(job.id());
        }
        ids
    }

    /// Notes that the backend answered with this lease.
    pub(crate) fn hold(&mut self, lease: &Lease, deadline: Duration) {
        let stage = Stage::Leased {
            lease: lease.clone(),
            deadline,
            cancel_requested: false,
        };
        self.job(lease.job()).stage = stage;
    }

    pub(crate) fn extend(&mut self, lease: &Lease, until: Duration) -> LeaseState {
        let Some(job) = self.held(lease) else {
            return LeaseState::Lost;
        };
        if let Stage::Leased {
            deadline,
            cancel_requested,
            ..
        } = &mut job.stage
        {
            *deadline = until.max(*deadline);
            if *cancel_requested {
                return LeaseState::CancelRequested;
            }
        }
        LeaseState::Held
    }

    pub(crate) fn settle(&mut self, lease: &Lease, end: &Settlement, now: Duration) -> Settled {
        if self.held(lease).is_none() {
            if self.applied.contains(&(lease.clone(), discriminant(end))) {
                return Settled::Applied;
            }
            self.totals.leases_lost += 1;
            return Settled::LeaseLost;
        }
        self.applied.push((lease.clone(), discriminant(end)));
        let order = self.next();
        let job = self.job(lease.job());
        let cancelled = job.is_cancel_requested();
        match end {
            Settlement::Bury { reason, failure } => {
                job.counters.attempts += 1;
                job.errors.push(failure.error.to_string());
                job.stage = Stage::Dead {
                    order,
                    reason: *reason,
                };
                self.totals.buried += 1;
            }
            Settlement::Complete => {
                job.stage = Stage::Gone;
                self.totals.completed += 1;
            }
            Settlement::Release => {
                job.stage = Stage::Ready;
                self.totals.released += 1;
            }
            Settlement::Retry { after, failure } => {
                job.counters.attempts += 1;
                job.errors.push(failure.error.to_string());
                job.stage = Stage::Scheduled {
                    due: now + *after,
                    order,
                };
                self.totals.retried += 1;
            }
            Settlement::Snooze { after } => {
                job.counters.snoozes += 1;
                job.stage = Stage::Scheduled {
                    due: now + *after,
                    order,
                };
                self.totals.snoozed += 1;
            }
        }
        let job = self.last(lease.job());
        if cancelled && matches!(job.stage, Stage::Ready | Stage::Scheduled { .. }) {
            job.stage = Stage::Gone;
            self.totals.cancelled += 1;
        }
        Settled::Applied
    }

    pub(crate) fn cancel(&mut self, id: JobId) -> Cancelled {
        if self.stored(id).is_none() {
            return Cancelled::NotFound;
        }
        let job = self.job(id);
        match &mut job.stage {
            Stage::Dead { .. } => Cancelled::Dead,
            Stage::Leased {
                cancel_requested, ..
            } => {
                *cancel_requested = true;
                Cancelled::Requested
            }
            _ => {
                job.stage = Stage::Gone;
                self.totals.cancelled += 1;
                Cancelled::Removed
            }
        }
    }

    pub(crate) fn replay(
        &mut self,
        id: JobId,
        force: bool,
        up_to: Option<u64>,
        now: Duration,
    ) -> Replayed {
        let Some(job) = self.stored(id) else {
            return Replayed::NotDead;
        };
        let Some((death, _)) = job.death() else {
            return Replayed::NotDead;
        };
        if up_to.is_some_and(|last| death > last) {
            return Replayed::NotDead;
        }
        if let Some(key) = job.sent.data().dedupe_key() {
            match self.holder(key, now) {
                Some(newer) if newer != id && !force => return Replayed::Superseded(newer),
                _ => self.keys.push((key, id, now + self.dedupe_window)),
            }
        }
        self.totals.replayed += 1;
        let place = self.next();
        let job = self.job(id);
        job.stage = Stage::Ready;
        job.place = place;
        job.counters.attempts = 0;
        job.counters.replays += 1;
        job.errors.clear();
        Replayed::Ready
    }

    pub(crate) fn discard(&mut self, id: JobId) -> bool {
        if self.stored(id).is_none_or(|job| job.death().is_none()) {
            return false;
        }
        self.job(id).stage = Stage::Gone;
        self.totals.discarded += 1;
        true
    }

    /// The job with this id that is neither done nor discarded.
    pub(crate) fn stored(&self, id: JobId) -> Option<&ModelJob> {
        self.jobs
            .iter()
            .find(|job| job.id() == id && job.stage != Stage::Gone)
    }

    fn job(&mut self, id: JobId) -> &mut ModelJob {
        self.jobs
            .iter_mut()
            .find(|job| job.id() == id && job.stage != Stage::Gone)
            .unwrap()
    }

    /// The job that had this id last, gone or not.
    fn last(&mut self, id: JobId) -> &mut ModelJob {
        let last = self.jobs.iter_mut().rev().find(|job| job.id() == id);
        last.unwrap()
    }

    fn held(&mut self, wanted: &Lease) -> Option<&mut ModelJob> {
        self.jobs
            .iter_mut()
            .find(|job| matches!(&job.stage, Stage::Leased { lease, .. } if lease == wanted))
    }

    /// The newest record of a key decides.
    fn holder(&self, key: DedupeKey, now: Duration) -> Option<JobId> {
        let (_, holder, end) = self.keys.iter().rev().find(|(held, ..)| *held == key)?;
        (now < *end).then_some(*holder)
    }

    fn reclaim(&mut self, crash_budget: u32, now: Duration) {
        let mut expired: Vec<_> = self
            .jobs
            .iter()
            .filter_map(|job| match job.stage {
                Stage::Leased { deadline, .. } if deadline <= now => {
                    Some((deadline, self.tie(job), job.id()))
                }
                _ => None,
            })
            .collect();
        expired.sort();
        for (.., id) in expired {
            let order = self.next();
            self.totals.reclaimed += 1;
            let job = self.job(id);
            job.counters.reclaims += 1;
            if job.counters.reclaims > crash_budget {
                job.stage = Stage::Dead {
                    order,
                    reason: DeadReason::Poison,
                };
                self.totals.buried += 1;
            } else if job.is_cancel_requested() {
                job.stage = Stage::Gone;
                self.totals.cancelled += 1;
            } else {
                job.stage = Stage::Ready;
            }
        }
    }

    fn promote(&mut self, now: Duration) {
        let mut due: Vec<_> = self
            .jobs
            .iter()
            .filter_map(|job| match job.stage {
                Stage::Scheduled { due, order } if due <= now => Some((due, order, job.id())),
                _ => None,
            })
            .collect();
        due.sort();
        for (_, _, id) in due {
            let place = self.next();
            let job = self.job(id);
            job.stage = Stage::Ready;
            job.place = place;
        }
    }

    fn tie(&self, job: &ModelJob) -> u64 {
        if self.ties_by_place { job.place } else { 0 }
    }

    fn next(&mut self) -> u64 {
        self.order += 1;
        self.order
    }
}
