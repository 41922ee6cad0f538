use std::time::Duration;

use super::{Decision, InvalidBackoff, RetryPolicy};
use crate::Failure;

/// A fixed list of delays.
///
/// The default is 1 s, 5 s, 30 s, 5 min with at most four runs: after the fourth failure the job
/// is dead, about 36 s after it was accepted. The five-minute delay comes into play when
/// [`max_attempts`](Self::max_attempts) is raised; past the end of the list the last delay
/// repeats.
///
/// ```
/// use std::time::Duration;
///
/// use anvil_queue::{Decision, Failure, FailureKind, RetryPolicy, Schedule};
///
/// let policy = Schedule::default().max_attempts(10);
/// let ninth = Failure::new(9, FailureKind::Transient, "webhook");
/// assert_eq!(policy.decide(&ninth), Decision::RetryAfter(Duration::from_secs(300)));
/// ```
#[derive(Clone, Debug)]
#[must_use = "a policy does nothing until a worker has it"]
pub struct Schedule {
    delays: Vec<Duration>,
    max_attempts: u32,
}

impl Schedule {
    /// These delays, and as many runs as there are delays.
    ///
    /// # Errors
    ///
    /// [`InvalidBackoff`] where there is no delay.
    pub fn new(delays: impl IntoIterator<Item = Duration>) -> Result<Self, InvalidBackoff> {
        let delays: Vec<_> = delays.into_iter().collect();
        if delays.is_empty() {
            return Err(InvalidBackoff::new("a schedule needs at least one delay"));
        }
        let max_attempts = u32::try_from(delays.len()).unwrap_or(u32::MAX);
        Ok(Self {
            delays,
            max_attempts,
        })
    }

    /// Sets how many runs a job gets. Range: 1 or more; zero counts as one. Default: the number of
    /// delays.
    pub fn max_attempts(mut self, runs: u32) -> Self {
        self.max_attempts = runs;
        self
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            delays: DEFAULT_DELAYS.to_vec(),
            max_attempts: 4,
        }
    }
}

impl RetryPolicy for Schedule {
    fn decide(&self, failure: &Failure<'_>) -> Decision {
        if failure.attempts >= self.max_attempts {
            return Decision::Bury;
        }
        let index = usize::try_from(failure.attempts.saturating_sub(1)).unwrap_or(usize::MAX);
        match self.delays.get(index).or_else(|| self.delays.last()) {
            Some(delay) => Decision::RetryAfter(*delay),
            None => Decision::Bury,
        }
    }
}

const DEFAULT_DELAYS: [Duration; 4] = [
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(30),
    Duration::from_secs(300),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FailureKind;

    fn after(policy: &Schedule, attempts: u32) -> Decision {
        policy.decide(&Failure::new(attempts, FailureKind::Transient, "webhook"))
    }

    #[test]
    fn the_default_runs_four_times_and_buries_on_the_fourth_failure() {
        let policy = Schedule::default();
        let delays: Vec<_> = (1..=5).map(|n| after(&policy, n)).collect();
        let secs = |n| Decision::RetryAfter(Duration::from_secs(n));
        assert_eq!(
            delays,
            [secs(1), secs(5), secs(30), Decision::Bury, Decision::Bury]
        );
    }

    #[test]
    fn the_last_delay_repeats_past_the_end() {
        let policy = Schedule::default().max_attempts(u32::MAX);
        assert_eq!(
            after(&policy, 4),
            Decision::RetryAfter(Duration::from_secs(300))
        );
        assert_eq!(
            after(&policy, 1_000_000),
            Decision::RetryAfter(Duration::from_secs(300))
        );
    }

    #[test]
    fn an_empty_schedule_is_refused() {
        assert!(
            Schedule::new([])
                .unwrap_err()
                .to_string()
                .contains("at least one delay")
        );
    }
}
