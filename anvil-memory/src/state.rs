//! One queue as a state machine: no async, no clock, no lock. Every method takes the time since
//! the backend was made.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::{Duration, SystemTime};

use anvil_queue::{DeadPosition, DeadReason, FailureReport, JobId, QueueStats, QueueTotals};

mod ages;
mod applied;
mod claims;
mod control;
mod dead;
mod enqueue;
mod entries;
mod entry;
mod hash;
mod index;
mod ready;
mod reserve;
mod settle;

use ages::Ages;
use applied::AppliedSettlements;
use claims::Claims;
use entries::Entries;
use entry::{Entry, Stage};
pub(crate) use hash::FoldState;
use ready::Ready;

/// What a queue may hold and for how long it remembers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) capacity: usize,
    pub(crate) dedupe_window: Duration,
    pub(crate) max_job_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            capacity: usize::MAX,
            dedupe_window: DEFAULT_DEDUPE_WINDOW,
            max_job_bytes: usize::MAX,
        }
    }
}

/// All there is to know about one queue.
///
/// The stage in a job's [`Entry`] says where the job is; `ready`, `scheduled`, `leases` and `dead`
/// are the orders in which jobs leave those stages, and each holds exactly the ids of its stage.
pub(crate) struct State {
    limits: Limits,
    wall_start: SystemTime,
    entries: Entries,
    ready: Ready,
    scheduled: BTreeSet<(Duration, u64, JobId)>,
    leases: BTreeSet<(Duration, JobId)>,
    dead: BTreeMap<DeadPosition, JobId>,
    keys: Claims,
    ids: Claims,
    applied: AppliedSettlements,
    ages: Ages,
    totals: QueueTotals,
    next_place: u64,
    next_death: u64,
    /// A delay or a lease was added that runs out before all others.
    sooner: bool,
}

impl State {
    pub(crate) fn new(limits: Limits, wall_start: SystemTime) -> Self {
        Self {
            limits,
            wall_start,
            entries: Entries::default(),
            ready: Ready::default(),
            scheduled: BTreeSet::new(),
            leases: BTreeSet::new(),
            dead: BTreeMap::new(),
            keys: Claims::default(),
            ids: Claims::default(),
            applied: AppliedSettlements::default(),
            ages: Ages::default(),
            totals: QueueTotals::default(),
            next_place: 0,
            next_death: 1,
            sooner: false,
        }
    }

    pub(crate) fn stats(&self, now: Duration) -> QueueStats {
        let mut stats = QueueStats::default();
        stats.ready = self.ready.len();
        stats.scheduled = self.scheduled.len();
        stats.leased = self.leases.len();
        stats.dead = self.dead.len();
        stats.oldest_age = self.ages.oldest().map(|oldest| now.saturating_sub(oldest));
        stats.totals = self.totals;
        stats
    }

    /// Whether a reservation now would find a job without the help of time.
    pub(crate) fn has_ready(&self) -> bool {
        self.ready.len() > 0
    }

    /// When a delay or a lease runs out next.
    pub(crate) fn next_timer(&self) -> Option<Duration> {
        let due = self.scheduled.first().map(|(due, ..)| *due);
        let deadline = self.leases.first().map(|(deadline, _)| *deadline);
        due.into_iter().chain(deadline).min()
    }

    /// Whether something was added since the last call that comes sooner than those who wait know
    /// of. Noted as it is added: most verbs add nothing of the kind and need not look.
    pub(crate) fn take_sooner(&mut self) -> bool {
        std::mem::take(&mut self.sooner)
    }

    /// Notes a new timer; to be called before it is added.
    fn note_timer(&mut self, at: Duration) {
        self.sooner |= self.next_timer().is_none_or(|next| at < next);
    }

    /// When there is something to reserve; zero where there is already.
    pub(crate) fn next_work(&self) -> Option<Duration> {
        if self.has_ready() {
            Some(Duration::ZERO)
        } else {
            self.next_timer()
        }
    }

    fn wall(&self, at: Duration) -> SystemTime {
        self.wall_start + at
    }

    fn new_place(&mut self) -> u64 {
        self.next_place += 1;
        self.next_place
    }

    /// Puts a job that comes by enqueue, by a delay that ran out or by replay at the tail.
    fn append_to_ready(&mut self, id: JobId) {
        let place = self.new_place();
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.place = place;
            entry.stage = Stage::Ready;
            self.ready.append(place, id, entry.is_suspect());
        }
    }

    /// Puts a job that was leased back at the place it had.
    fn return_to_ready(&mut self, id: JobId) {
        if self.is_cancel_requested(id) {
            return self.remove_cancelled(id);
        }
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.stage = Stage::Ready;
            self.ready.put_back(entry.place, id, entry.is_suspect());
        }
    }

    /// Holds a job that was leased back for a while.
    fn schedule(&mut self, id: JobId, after: Duration, now: Duration) {
        if self.is_cancel_requested(id) {
            return self.remove_cancelled(id);
        }
        let order = self.new_place();
        let due = now.saturating_add(after);
        self.note_timer(due);
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.place = order;
            entry.stage = Stage::Scheduled { due };
            self.scheduled.insert((due, order, id));
        }
    }

    fn count_attempt(&mut self, id: JobId, report: &FailureReport, now: Duration) {
        let at = self.wall(now);
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.counters.attempts = entry.counters.attempts.saturating_add(1);
            entry
                .failures
                .get_or_insert_default()
                .record(report.clone(), at);
        }
    }

    fn bury(&mut self, id: JobId, reason: DeadReason, now: Duration) {
        let position = DeadPosition::new(self.next_death);
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.stage = Stage::Dead {
                position,
                reason,
                died_at: now,
            };
            self.ages.close(entry.accepted_at);
            self.dead.insert(position, id);
            self.next_death += 1;
            self.totals.buried += 1;
        }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("ready", &self.ready.len())
            .field("scheduled", &self.scheduled.len())
            .field("leased", &self.leases.len())
            .field("dead", &self.dead.len())
            .field("claimed_keys", &self.keys.len())
            .finish_non_exhaustive()
    }
}

const DEFAULT_DEDUPE_WINDOW: Duration = Duration::from_secs(3 * 24 * 60 * 60);

#[cfg(test)]
mod fixture;
