use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::QueueError;

/// What a worker did in one run, counted by outcome.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct WorkerReport {
    /// Jobs completed.
    pub completed: u64,
    /// Failed runs that led to another.
    pub retried: u64,
    /// Jobs put off by their handler.
    pub snoozed: u64,
    /// Jobs sent to the dead letters.
    pub buried: u64,
    /// Jobs handed back because the worker stopped: unstarted, or cut off and joined.
    pub released: u64,
    /// Runs whose lease was lost; their outcome was discarded.
    pub leases_lost: u64,
    /// Jobs still held when the run ended. Their leases run out, and they run again.
    pub abandoned: u64,
}

impl WorkerReport {
    /// Whether the run ended with nothing left behind.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.abandoned == 0
    }
}

impl fmt::Display for WorkerReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            completed,
            retried,
            snoozed,
            buried,
            released,
            leases_lost,
            abandoned,
        } = self;
        write!(
            f,
            "{completed} completed, {retried} retried, {snoozed} snoozed, {buried} buried, \
             {released} released, {leases_lost} leases lost, {abandoned} abandoned"
        )
    }
}

/// The counters behind a [`WorkerReport`].
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) completed: AtomicU64,
    pub(super) retried: AtomicU64,
    pub(super) snoozed: AtomicU64,
    pub(super) buried: AtomicU64,
    pub(super) released: AtomicU64,
    pub(super) leases_lost: AtomicU64,
    pub(super) abandoned: AtomicU64,
}

impl Tally {
    pub(super) fn add(counter: &AtomicU64, n: u64) {
        counter.fetch_add(n, Ordering::Relaxed);
    }

    pub(super) fn report(&self) -> WorkerReport {
        let Self {
            completed,
            retried,
            snoozed,
            buried,
            released,
            leases_lost,
            abandoned,
        } = self;
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        WorkerReport {
            completed: read(completed),
            retried: read(retried),
            snoozed: read(snoozed),
            buried: read(buried),
            released: read(released),
            leases_lost: read(leases_lost),
            abandoned: read(abandoned),
        }
    }
}

/// A worker could not go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError {
    /// [`run_until_idle`](crate::Worker::run_until_idle) got nothing but errors from the backend.
    Backend(QueueError),
    /// The thread that renews leases could not be started. No job was taken.
    Thread(std::io::Error),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Backend(_) => "the queue backend keeps failing",
            Self::Thread(_) => "the thread that renews leases could not be started",
        })
    }
}

impl std::error::Error for RunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Backend(error) => Some(error),
            Self::Thread(error) => Some(error),
        }
    }
}
