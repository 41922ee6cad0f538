use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anvil_queue::{
    Counters, DeadPosition, DeadReason, DedupeKey, FailureContext, FailureReport, JobData, JobId,
    Lease, LeaseToken, QueueStats, QueueTotals, Settlement,
};

/// One queue as a state machine: no async, no lock, no clock of its own.
pub(crate) struct Queue {
    pub(crate) limits: Limits,
    /// Every job that is neither done nor discarded, in exactly one stage (G3).
    pub(crate) jobs: HashMap<JobId, Entry>,
    /// The orders in which jobs leave their stages.
    pub(crate) ready: BTreeMap<u64, JobId>,
    pub(crate) scheduled: BTreeSet<(Duration, u64, JobId)>,
    pub(crate) leased: BTreeSet<(Duration, JobId)>,
    pub(crate) dead: BTreeMap<DeadPosition, JobId>,
    /// Which job holds which key, and until when. A claim outlives its job (G2).
    pub(crate) claims: HashMap<Claim, (JobId, Duration)>,
    /// The settlements applied last, for those whose reply was lost (G4).
    pub(crate) settled: VecDeque<(Lease, Settlement)>,
    pub(crate) totals: QueueTotals,
    places: u64,
    deaths: u64,
}

#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) capacity: usize,
    pub(crate) dedupe_window: Duration,
}

#[derive(Clone, Copy)]
pub(crate) struct Now {
    pub(crate) elapsed: Duration,
    pub(crate) wall: SystemTime,
}

pub(crate) struct Entry {
    pub(crate) data: Arc<JobData>,
    pub(crate) stage: Stage,
    /// Its place in the order of ready jobs; kept while it is leased.
    pub(crate) place: u64,
    pub(crate) accepted: Now,
    pub(crate) counters: Counters,
    pub(crate) failures: FailureContext,
}

#[derive(Clone, Copy)]
pub(crate) enum Stage {
    Dead {
        reason: DeadReason,
        position: DeadPosition,
        died_at: SystemTime,
    },
    Leased {
        token: LeaseToken,
        deadline: Duration,
        /// A person asked that the run stop.
        cancel_requested: bool,
    },
    Ready,
    Scheduled {
        due: Duration,
    },
}

/// What a job is known by when it is sent again.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub(crate) enum Claim {
    Id(JobId),
    Key(DedupeKey),
}

impl Queue {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            jobs: HashMap::new(),
            ready: BTreeMap::new(),
            scheduled: BTreeSet::new(),
            leased: BTreeSet::new(),
            dead: BTreeMap::new(),
            claims: HashMap::new(),
            settled: VecDeque::new(),
            totals: QueueTotals::default(),
            places: 0,
            deaths: 0,
        }
    }

    pub(crate) fn insert(&mut self, id: JobId, entry: Entry) {
        self.jobs.insert(id, entry);
        self.list(id);
    }

    /// Moves a job. Every change of stage goes through here, so no order disagrees with a stage.
    pub(crate) fn move_to(&mut self, id: JobId, stage: Stage) {
        self.unlist(id);
        if let Some(entry) = self.jobs.get_mut(&id) {
            entry.stage = stage;
        }
        self.list(id);
    }

    /// Makes a job wait again that was leased, or removes it where it was cancelled.
    pub(crate) fn move_back(&mut self, id: JobId, stage: Stage) {
        let cancelled = self.jobs.get(&id).is_some_and(Entry::is_cancel_requested);
        if cancelled {
            self.totals.cancelled += 1;
            self.remove(id);
        } else {
            self.move_to(id, stage);
        }
    }

    /// Moves a job behind all that are ready.
    pub(crate) fn move_to_tail(&mut self, id: JobId) {
        self.unlist(id);
        let place = self.new_place();
        if let Some(entry) = self.jobs.get_mut(&id) {
            entry.place = place;
            entry.stage = Stage::Ready;
        }
        self.list(id);
    }

    pub(crate) fn bury(&mut self, id: JobId, reason: DeadReason, now: Now) {
        self.deaths += 1;
        self.totals.buried += 1;
        let dead = Stage::Dead {
            reason,
            position: DeadPosition::new(self.deaths),
            died_at: now.wall,
        };
        self.move_to(id, dead);
    }

    pub(crate) fn remove(&mut self, id: JobId) {
        self.unlist(id);
        self.jobs.remove(&id);
    }

    pub(crate) fn new_place(&mut self) -> u64 {
        self.places += 1;
        self.places
    }

    /// When there is something to reserve; zero where there is already.
    pub(crate) fn next_work(&self) -> Option<Duration> {
        if !self.ready.is_empty() {
            return Some(Duration::ZERO);
        }
        let due = self.scheduled.first().map(|(due, ..)| *due);
        let deadline = self.leased.first().map(|(deadline, _)| *deadline);
        due.into_iter().chain(deadline).min()
    }

    pub(crate) fn stats(&self, now: Now) -> QueueStats {
        let mut stats = QueueStats::default();
        stats.ready = self.ready.len();
        stats.scheduled = self.scheduled.len();
        stats.leased = self.leased.len();
        stats.dead = self.dead.len();
        // The one place that looks through every job; a backend in earnest keeps an order by age.
        let open = self.jobs.values().filter(|entry| !entry.is_dead());
        stats.oldest_age = open.map(|entry| entry.age(now)).max();
        stats.totals = self.totals;
        stats
    }

    fn list(&mut self, id: JobId) {
        let Some(entry) = self.jobs.get(&id) else {
            return;
        };
        match entry.stage {
            Stage::Dead { position, .. } => drop(self.dead.insert(position, id)),
            Stage::Leased { deadline, .. } => drop(self.leased.insert((deadline, id))),
            Stage::Ready => drop(self.ready.insert(entry.place, id)),
            Stage::Scheduled { due } => drop(self.scheduled.insert((due, entry.place, id))),
        }
    }

    fn unlist(&mut self, id: JobId) {
        let Some(entry) = self.jobs.get(&id) else {
            return;
        };
        match entry.stage {
            Stage::Dead { position, .. } => drop(self.dead.remove(&position)),
            Stage::Leased { deadline, .. } => drop(self.leased.remove(&(deadline, id))),
            Stage::Ready => drop(self.ready.remove(&entry.place)),
            Stage::Scheduled { due } => drop(self.scheduled.remove(&(due, entry.place, id))),
        }
    }
}

impl Entry {
    pub(crate) fn count_failure(&mut self, failure: &FailureReport, now: Now) {
        self.counters.attempts += 1;
        self.failures.record(failure.clone(), now.wall);
    }

    pub(crate) fn age(&self, now: Now) -> Duration {
        now.elapsed.saturating_sub(self.accepted.elapsed)
    }

    pub(crate) fn is_dead(&self) -> bool {
        matches!(self.stage, Stage::Dead { .. })
    }

    pub(crate) fn is_cancel_requested(&self) -> bool {
        matches!(
            self.stage,
            Stage::Leased {
                cancel_requested: true,
                ..
            }
        )
    }

    /// Whether a worker crashed or hung with this job: the job may be why.
    pub(crate) fn is_suspect(&self) -> bool {
        self.counters.reclaims > 0
    }
}
