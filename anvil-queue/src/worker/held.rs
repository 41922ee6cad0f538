//! What the process holds: every leased job, running or waiting to run.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use slab::Slab;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::signal::Signal;
use crate::{Job, Lease, Reserved};

/// A leased job.
#[derive(Debug)]
pub(crate) struct Held {
    pub(super) job: Job,
    pub(super) lease: Lease,
    /// When its run started.
    pub(super) started: OnceLock<Instant>,
    /// When its lease was last known to hold.
    renewed: Mutex<Instant>,
    /// Tells the run that it should end.
    pub(crate) cancelled: Signal,
    /// The lease is not ours any more.
    pub(super) lost: Signal,
}

impl Held {
    fn new(reserved: Reserved, since: Instant) -> Self {
        let Reserved { job, lease } = reserved;
        Self {
            job,
            lease,
            started: OnceLock::new(),
            renewed: Mutex::new(since),
            cancelled: Signal::default(),
            lost: Signal::default(),
        }
    }

    pub(super) fn renewed(&self) -> Instant {
        *self.renewed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn renewed_at(&self, now: Instant) {
        *self.renewed.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    pub(super) fn lose(&self) {
        self.lost.set();
        self.cancelled.set();
    }

    fn is_suspect(&self) -> bool {
        self.job.counters().reclaims > 0
    }
}

/// All held jobs of one worker, and who runs them.
#[derive(Debug)]
pub(super) struct Pool {
    inner: Mutex<Inner>,
    concurrency: usize,
    prefetch: usize,
    /// Wakes the dispatcher: there is room, or a runner ended.
    pub(super) changed: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    held: Slab<Arc<Held>>,
    unstarted: VecDeque<usize>,
    /// Jobs in the hands of a handler. What is neither unstarted nor running is being settled.
    running: usize,
    runners: usize,
    /// A runner has been spawned and has not taken its first job yet. Only one is on its way at a
    /// time, so a burst of short jobs is run by few tasks and one of long jobs by many.
    runner_on_its_way: bool,
    suspects: usize,
}

/// What a runner does next.
pub(super) struct Turn {
    /// The job to run, under its key in the pool; none ends the runner.
    pub(super) job: Option<(usize, Arc<Held>)>,
    /// Another runner is to be spawned.
    pub(super) spawn: bool,
}

/// How much may be reserved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) free: usize,
    pub(super) held: usize,
    pub(super) suspects: usize,
}

impl Pool {
    pub(super) fn new(concurrency: usize, prefetch: usize) -> Self {
        Self {
            inner: Mutex::default(),
            concurrency,
            prefetch,
            changed: Notify::new(),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn room(&self) -> Room {
        let inner = self.inner();
        let (held, busy) = (inner.held.len(), inner.unstarted.len() + inner.running);
        let free = (self.concurrency + self.prefetch).saturating_sub(busy);
        Room {
            // A run that was settled on the spot counts as running until it takes its turn.
            free: free.min(MAX_SETTLING.saturating_sub(held.saturating_sub(busy))),
            held,
            suspects: inner.suspects,
        }
    }

    /// Takes reserved jobs in; true where a runner is to be spawned.
    pub(super) fn add(&self, reserved: Vec<Reserved>, since: Instant) -> bool {
        let mut inner = self.inner();
        for reserved in reserved {
            let held = Held::new(reserved, since);
            if held.is_suspect() {
                inner.suspects += 1;
                // Its former lease may have been ours: that run has lost.
                let former = inner
                    .held
                    .iter()
                    .filter(|(_, other)| other.job.id() == held.job.id());
                former.for_each(|(_, other)| other.lose());
            }
            let key = inner.held.insert(Arc::new(held));
            inner.unstarted.push_back(key);
        }
        self.wants_runner(&mut inner)
    }

    /// The first job of a runner that was spawned.
    pub(super) fn first_turn(&self) -> Turn {
        let mut inner = self.inner();
        inner.runner_on_its_way = false;
        self.turn(&mut inner)
    }

    /// A run is over: takes the next.
    pub(super) fn next_turn(&self) -> Turn {
        let mut inner = self.inner();
        inner.running -= 1;
        let turn = self.turn(&mut inner);
        let wake = inner.unstarted.len() <= self.prefetch / 2;
        drop(inner);
        if wake {
            self.changed.notify_one();
        }
        turn
    }

    /// Lets go of jobs that were settled or lost.
    pub(super) fn release(&self, keys: impl IntoIterator<Item = usize>) {
        let mut inner = self.inner();
        let busy = inner.unstarted.len() + inner.running;
        let settling = inner.held.len().saturating_sub(busy);
        for key in keys {
            remove(&mut inner, key);
        }
        let wake = inner.held.is_empty() || settling >= MAX_SETTLING;
        drop(inner);
        if wake {
            self.changed.notify_one();
        }
    }

    fn turn(&self, inner: &mut Inner) -> Turn {
        let job = inner
            .unstarted
            .pop_front()
            .and_then(|key| inner.held.get(key).map(|held| (key, Arc::clone(held))));
        if job.is_some() {
            inner.running += 1;
        } else {
            inner.runners -= 1;
            self.changed.notify_one();
        }
        let spawn = self.wants_runner(inner);
        Turn { job, spawn }
    }

    fn wants_runner(&self, inner: &mut Inner) -> bool {
        let wanted = !inner.unstarted.is_empty()
            && !inner.runner_on_its_way
            && inner.runners < self.concurrency;
        if wanted {
            inner.runner_on_its_way = true;
            inner.runners += 1;
        }
        wanted
    }

    /// Takes out everything that has not started.
    pub(super) fn take_unstarted(&self) -> Vec<Arc<Held>> {
        let mut inner = self.inner();
        let keys = std::mem::take(&mut inner.unstarted);
        keys.into_iter()
            .filter_map(|key| remove(&mut inner, key))
            .collect()
    }

    /// Everything held, for renewal.
    pub(super) fn held(&self) -> Vec<Arc<Held>> {
        self.inner()
            .held
            .iter()
            .map(|(_, held)| Arc::clone(held))
            .collect()
    }

    /// A runner ended by a panic that got past its guards; its job is left to expire.
    pub(super) fn runner_died(&self, job: Option<usize>) {
        let mut inner = self.inner();
        inner.runners -= 1;
        if let Some(key) = job {
            inner.running -= 1;
            remove(&mut inner, key);
        }
        drop(inner);
        self.changed.notify_one();
    }
}

fn remove(inner: &mut Inner, key: usize) -> Option<Arc<Held>> {
    let held = inner.held.try_remove(key)?;
    inner.suspects -= usize::from(held.is_suspect());
    Some(held)
}

/// How many jobs may be on their way to being settled before no more are reserved.
const MAX_SETTLING: usize = 1_024;
