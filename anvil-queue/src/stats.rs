use std::time::Duration;

/// How many jobs a queue holds in each place, and what has happened so far.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct QueueStats {
    /// Jobs a worker could reserve now.
    pub ready: usize,
    /// Jobs that are held back by a delay.
    pub scheduled: usize,
    /// Jobs in the hands of a worker, expired leases that nobody has reclaimed included.
    pub leased: usize,
    /// Dead letters.
    pub dead: usize,
    /// Age of the oldest job that is neither done nor dead.
    pub oldest_age: Option<Duration>,
    /// What has happened to the queue since it exists, or since the backend started where it
    /// keeps no history.
    pub totals: QueueTotals,
}

impl QueueStats {
    /// Jobs that are neither done nor dead.
    #[must_use]
    pub fn open(&self) -> usize {
        self.ready + self.scheduled + self.leased
    }
}

/// Events counted per queue.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct QueueTotals {
    /// Jobs stored.
    pub accepted: u64,
    /// Jobs answered with an earlier one.
    pub duplicates: u64,
    /// Jobs refused.
    pub refused: u64,
    /// Jobs completed.
    pub completed: u64,
    /// Failed runs that led to another.
    pub retried: u64,
    /// Jobs put off by their handler.
    pub snoozed: u64,
    /// Jobs handed back unstarted.
    pub released: u64,
    /// Jobs buried, poison included.
    pub buried: u64,
    /// Leases that ran out.
    pub reclaimed: u64,
    /// Settlements refused because the lease was lost.
    pub leases_lost: u64,
    /// Dead letters sent back to ready.
    pub replayed: u64,
    /// Dead letters discarded by a person.
    pub discarded: u64,
    /// Jobs cancelled by a person, and gone: removed while they waited, or when they would have
    /// waited again after a request.
    pub cancelled: u64,
}
