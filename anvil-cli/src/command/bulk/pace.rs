use std::time::Duration;

use tokio::time::Instant;

use super::PAGE;
use crate::args::Rate;

/// How many jobs a call takes, and when the next call may be made.
#[derive(Debug)]
pub(super) struct Pace {
    rate: Option<f64>,
    begun: Instant,
    taken: f64,
}

impl Pace {
    pub(super) fn new(rate: Option<Rate>) -> Self {
        Self {
            rate: rate.map(|rate| f64::from(rate.0.get())),
            begun: Instant::now(),
            taken: 0.0,
        }
    }

    /// A tenth of a second's worth of jobs, so that a store is not given a second's at once.
    pub(super) fn batch_size(&self) -> usize {
        match self.rate {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a rate is positive, and its tenth is cut to a page"
            )]
            Some(rate) => ((rate / 10.0) as usize).clamp(1, PAGE),
            None => PAGE,
        }
    }

    pub(super) fn took(&mut self, jobs: usize) {
        self.taken += jobs as f64;
    }

    /// When the jobs taken so far have had their time.
    pub(super) fn next(&self) -> Instant {
        let after = self.rate.map_or(0.0, |rate| self.taken / rate);
        self.begun + Duration::from_secs_f64(after)
    }
}
