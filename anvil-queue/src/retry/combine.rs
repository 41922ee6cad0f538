use std::fmt;
use std::time::Duration;

use super::{Decision, RetryPolicy};
use crate::Failure;

/// Bounds for any policy. Implemented for every [`RetryPolicy`]; there is nothing to implement.
///
/// Each of them only ever buries earlier: where the inner policy buries, the job is buried.
///
/// ```
/// use std::time::Duration;
///
/// use anvil_queue::{
///     Decision, Exponential, Failure, FailureKind, RetryPolicy, RetryPolicyExt,
/// };
///
/// let policy = Exponential::new(Duration::from_secs(1), Duration::from_secs(600))?
///     .max_attempts(50)
///     .max_age(Duration::from_secs(3 * 24 * 3600))
///     .when(|failure| failure.kind != FailureKind::Panic);
/// let panicked = Failure::new(1, FailureKind::Panic, "webhook");
/// assert_eq!(policy.decide(&panicked), Decision::Bury);
/// # Ok::<(), anvil_queue::InvalidBackoff>(())
/// ```
pub trait RetryPolicyExt: RetryPolicy + Sized {
    /// Buries at the failure of this run. Range: 1 or more; zero counts as one.
    ///
    /// [`Schedule`](super::Schedule) and [`Exponential`](super::Exponential) have a setter of the
    /// same name, which can raise their own bound as well.
    fn max_attempts(self, runs: u32) -> MaxAttempts<Self> {
        MaxAttempts { policy: self, runs }
    }

    /// Buries a job whose next run would start later than this after it was accepted.
    fn max_age(self, age: Duration) -> MaxAge<Self> {
        MaxAge { policy: self, age }
    }

    /// Buries where the predicate does not hold.
    fn when<F>(self, predicate: F) -> When<Self, F>
    where
        F: Fn(&Failure<'_>) -> bool + Send + Sync + 'static,
    {
        When {
            policy: self,
            predicate,
        }
    }
}

impl<P: RetryPolicy> RetryPolicyExt for P {}

/// The policy of [`RetryPolicyExt::max_attempts`].
#[derive(Clone, Copy, Debug)]
#[must_use = "a policy does nothing until a worker has it"]
pub struct MaxAttempts<P> {
    policy: P,
    runs: u32,
}

impl<P: RetryPolicy> RetryPolicy for MaxAttempts<P> {
    fn decide(&self, failure: &Failure<'_>) -> Decision {
        if failure.attempts >= self.runs {
            return Decision::Bury;
        }
        self.policy.decide(failure)
    }
}

/// The policy of [`RetryPolicyExt::max_age`].
#[derive(Clone, Copy, Debug)]
#[must_use = "a policy does nothing until a worker has it"]
pub struct MaxAge<P> {
    policy: P,
    age: Duration,
}

impl<P: RetryPolicy> RetryPolicy for MaxAge<P> {
    fn decide(&self, failure: &Failure<'_>) -> Decision {
        let decision = self.policy.decide(failure);
        let Decision::RetryAfter(delay) = decision else {
            return Decision::Bury;
        };
        let next_run = failure.age.saturating_add(delay.max(failure.at_least));
        if next_run <= self.age {
            decision
        } else {
            Decision::Bury
        }
    }
}

/// The policy of [`RetryPolicyExt::when`].
#[derive(Clone, Copy)]
#[must_use = "a policy does nothing until a worker has it"]
pub struct When<P, F> {
    policy: P,
    predicate: F,
}

impl<P, F> RetryPolicy for When<P, F>
where
    P: RetryPolicy,
    F: Fn(&Failure<'_>) -> bool + Send + Sync + 'static,
{
    fn decide(&self, failure: &Failure<'_>) -> Decision {
        if (self.predicate)(failure) {
            self.policy.decide(failure)
        } else {
            Decision::Bury
        }
    }
}

impl<P: fmt::Debug, F> fmt::Debug for When<P, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("When")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FailureKind, policy_fn};

    const DELAY: Duration = Duration::from_secs(10);

    fn always() -> impl RetryPolicy {
        policy_fn(|_: &Failure<'_>| Decision::RetryAfter(DELAY))
    }

    fn failure(attempts: u32, age: u64) -> Failure<'static> {
        Failure::new(attempts, FailureKind::Transient, "webhook").age(Duration::from_secs(age))
    }

    #[test]
    fn max_attempts_buries_at_the_failure_of_the_last_run() {
        let policy = always().max_attempts(3);
        assert_eq!(policy.decide(&failure(2, 0)), Decision::RetryAfter(DELAY));
        assert_eq!(policy.decide(&failure(3, 0)), Decision::Bury);
    }

    #[test]
    fn max_age_counts_the_delay_in() {
        let policy = always().max_age(Duration::from_secs(60));
        assert_eq!(policy.decide(&failure(1, 50)), Decision::RetryAfter(DELAY));
        assert_eq!(policy.decide(&failure(1, 51)), Decision::Bury);
        let asked = failure(1, 10).at_least(Duration::from_secs(50));
        assert_eq!(policy.decide(&asked), Decision::RetryAfter(DELAY));
        let asked = asked.at_least(Duration::from_secs(51));
        assert_eq!(policy.decide(&asked), Decision::Bury);
        let endless = failure(1, u64::MAX);
        assert_eq!(policy.decide(&endless), Decision::Bury);
    }

    #[test]
    fn a_bound_never_revives_what_the_policy_buries() {
        let policy = policy_fn(|_: &Failure<'_>| Decision::Bury)
            .max_attempts(9)
            .when(|_| true);
        assert_eq!(policy.decide(&failure(1, 0)), Decision::Bury);
    }
}
