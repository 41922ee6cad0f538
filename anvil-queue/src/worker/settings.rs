use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::lease::DEFAULT_CRASH_BUDGET;

/// What can be set about a worker, checked by [`check`](Settings::check).
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) concurrency: usize,
    pub(super) prefetch: usize,
    pub(super) lease: Duration,
    pub(super) timeout: Duration,
    pub(super) crash_budget: u32,
    pub(super) grace: Duration,
    pub(super) cancel_grace: Duration,
    pub(super) label: Arc<str>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            concurrency: 16,
            prefetch: 0,
            lease: Duration::from_secs(30),
            timeout: Duration::from_secs(600),
            crash_budget: DEFAULT_CRASH_BUDGET,
            grace: Duration::from_secs(20),
            cancel_grace: Duration::from_secs(5),
            label: format!("pid-{}", std::process::id()).into(),
        }
    }
}

impl Settings {
    pub(super) fn check(&self) -> Result<(), InvalidWorker> {
        let Self {
            concurrency,
            prefetch,
            lease,
            timeout,
            ..
        } = self;
        if *concurrency == 0 || *concurrency > MAX_JOBS {
            return Err(InvalidWorker(format!(
                "concurrency is {concurrency}: set it from 1 to {MAX_JOBS}"
            )));
        }
        if *prefetch > MAX_JOBS {
            return Err(InvalidWorker(format!(
                "prefetch is {prefetch}: set it from 0 to {MAX_JOBS}"
            )));
        }
        if *lease < MIN_LEASE || *lease > MAX_TIME {
            return Err(InvalidWorker(format!(
                "the lease is {lease:?}: set it from {MIN_LEASE:?} to a year, so that it can be \
                 renewed three times before it runs out"
            )));
        }
        if timeout.is_zero() || *timeout > MAX_TIME {
            return Err(InvalidWorker(format!(
                "the timeout is {timeout:?}: set it above zero, to at most a year"
            )));
        }
        Ok(())
    }

    /// How often leases are renewed: three times in their life.
    pub(super) fn heartbeat(&self) -> Duration {
        self.lease / 3
    }
}

/// A worker can't be built as asked; the message says what to change.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidWorker(String);

impl fmt::Display for InvalidWorker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidWorker {}

const MAX_JOBS: usize = 65_536;
const MIN_LEASE: Duration = Duration::from_millis(100);
const MAX_TIME: Duration = Duration::from_secs(365 * 24 * 60 * 60);
