use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::jitter::Jitter;
use super::{Decision, RetryPolicy};
use crate::Failure;

/// Delays that double from failure to failure up to a cap, each spread by full jitter.
///
/// The delay after the n-th failure is drawn evenly from zero to `base × 2^(n−1)`, at most `cap`,
/// so that jobs that failed together do not come back together. At most ten runs unless
/// [`max_attempts`](Self::max_attempts) says otherwise.
///
/// ```
/// use std::time::Duration;
///
/// use anvil_queue::{Decision, Exponential, Failure, FailureKind, RetryPolicy};
///
/// let policy = Exponential::new(Duration::from_secs(1), Duration::from_secs(3600))?.no_jitter();
/// let third = Failure::new(3, FailureKind::Transient, "webhook");
/// assert_eq!(policy.decide(&third), Decision::RetryAfter(Duration::from_secs(4)));
/// # Ok::<(), anvil_queue::InvalidBackoff>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a policy does nothing until a worker has it"]
pub struct Exponential {
    base: Duration,
    cap: Duration,
    max_attempts: u32,
    jitter: Option<Arc<Jitter>>,
}

impl Exponential {
    /// Delays from `base`, at most `cap`, with full jitter and at most ten runs.
    ///
    /// # Errors
    ///
    /// [`InvalidBackoff`] where `base` is zero or `cap` is shorter than `base`.
    pub fn new(base: Duration, cap: Duration) -> Result<Self, InvalidBackoff> {
        if base.is_zero() {
            return Err(InvalidBackoff::new(
                "the base of a backoff must be longer than zero",
            ));
        }
        if cap < base {
            return Err(InvalidBackoff::new(
                "the cap of a backoff must not be below its base",
            ));
        }
        Ok(Self {
            base,
            cap,
            max_attempts: 10,
            jitter: Some(Arc::new(Jitter::from_os())),
        })
    }

    /// Sets how many runs a job gets. Range: 1 or more; zero counts as one. Default: 10.
    pub fn max_attempts(mut self, runs: u32) -> Self {
        self.max_attempts = runs;
        self
    }

    /// Makes the delays exact. Default: full jitter.
    pub fn no_jitter(mut self) -> Self {
        self.jitter = None;
        self
    }

    /// Seeds the jitter, so that a test sees the same delays again. Default: seeded at random.
    pub fn jitter_seed(mut self, seed: u64) -> Self {
        self.jitter = Some(Arc::new(Jitter::from_seed(seed)));
        self
    }
}

impl RetryPolicy for Exponential {
    fn decide(&self, failure: &Failure<'_>) -> Decision {
        if failure.attempts >= self.max_attempts {
            return Decision::Bury;
        }
        let delay = doubled(self.base, failure.attempts.saturating_sub(1)).min(self.cap);
        Decision::RetryAfter(match &self.jitter {
            Some(jitter) => jitter.up_to(delay),
            None => delay,
        })
    }
}

/// `base × 2^times`, saturating.
fn doubled(base: Duration, times: u32) -> Duration {
    match 2_u32.checked_pow(times) {
        Some(factor) => base.saturating_mul(factor),
        None => Duration::MAX,
    }
}

/// A backoff can't be built as asked; the message says what to change.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidBackoff(&'static str);

impl InvalidBackoff {
    pub(super) const fn new(message: &'static str) -> Self {
        Self(message)
    }
}

impl fmt::Display for InvalidBackoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for InvalidBackoff {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FailureKind;

    fn delay(policy: &Exponential, attempts: u32) -> Duration {
        match policy.decide(&Failure::new(attempts, FailureKind::Transient, "webhook")) {
            Decision::RetryAfter(delay) => delay,
            Decision::Bury => panic!("buried at attempt {attempts}"),
        }
    }

    #[test]
    fn delays_double_up_to_the_cap_and_never_overflow() {
        let policy = Exponential::new(Duration::from_secs(1), Duration::from_secs(60))
            .unwrap()
            .no_jitter()
            .max_attempts(u32::MAX);
        let secs: Vec<_> = (1..=8).map(|n| delay(&policy, n).as_secs()).collect();
        assert_eq!(secs, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(delay(&policy, u32::MAX - 1).as_secs(), 60);
        let huge = Exponential::new(Duration::from_secs(u64::MAX), Duration::MAX).unwrap();
        assert!(delay(&huge.no_jitter(), 9) <= Duration::MAX);
    }

    #[test]
    fn jobs_that_fail_together_do_not_come_back_together() {
        let policy = Exponential::new(Duration::from_secs(10), Duration::from_secs(10))
            .unwrap()
            .jitter_seed(7);
        let mut tenths = [0_u32; 10];
        for _ in 0..10_000 {
            let delay = delay(&policy, 1);
            assert!(delay <= Duration::from_secs(10));
            tenths[(delay.as_secs() as usize).min(9)] += 1;
        }
        assert!(tenths.iter().all(|n| (800..1200).contains(n)), "{tenths:?}");
    }

    #[test]
    fn a_backoff_that_makes_no_sense_is_refused() {
        let sec = Duration::from_secs(1);
        assert!(Exponential::new(Duration::ZERO, sec).is_err());
        assert!(Exponential::new(sec, Duration::ZERO).is_err());
    }
}
