use std::time::Duration;

use anvil_queue::{
    Decision, Exponential, Failure, FailureKind, InvalidBackoff, RetryPolicy, RetryPolicyExt,
    Schedule, policy_fn,
};

/// A policy of one's own: money is retried for days, everything else for minutes.
///
/// Policies are pure, so a policy can be made of others and asked in a test without a clock.
pub(crate) struct ByWorth {
    money: Exponential,
    rest: Schedule,
}

impl ByWorth {
    pub(crate) fn new() -> Result<Self, InvalidBackoff> {
        Ok(Self {
            money: Exponential::new(MINUTE, 8 * HOUR)?
                .max_attempts(15)
                .no_jitter(),
            rest: Schedule::new([10 * SECOND, MINUTE, 10 * MINUTE])?,
        })
    }
}

impl RetryPolicy for ByWorth {
    fn decide(&self, failure: &Failure<'_>) -> Decision {
        if failure.job_kind.starts_with("payout.") {
            self.money.decide(failure)
        } else {
            self.rest.decide(failure)
        }
    }
}

/// A policy as a closure, with bounds put around it: steady retries, a longer pause after a
/// timeout, and an end after an hour, after ten runs or at the first panic.
pub(crate) fn patient_with_timeouts() -> impl RetryPolicy {
    policy_fn(|failure: &Failure<'_>| match failure.kind {
        FailureKind::Timeout => Decision::RetryAfter(15 * MINUTE),
        _ => Decision::RetryAfter(30 * SECOND),
    })
    .max_attempts(10)
    .max_age(HOUR)
    .when(|failure| failure.kind != FailureKind::Panic)
}

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(policy: &impl RetryPolicy, attempts: u32, kind: FailureKind) -> Decision {
        policy.decide(&Failure::new(attempts, kind, "invoice.paid"))
    }

    #[test]
    fn a_payout_is_retried_after_everything_else_is_given_up() {
        let policy = ByWorth::new().unwrap();
        let after = |job_kind| policy.decide(&Failure::new(3, FailureKind::Transient, job_kind));
        assert_eq!(after("invoice.paid"), Decision::Bury);
        assert_eq!(after("payout.created"), Decision::RetryAfter(4 * MINUTE));
    }

    #[test]
    fn a_timeout_is_given_more_time_and_a_panic_none() {
        let policy = patient_with_timeouts();
        let after = |kind| decide(&policy, 1, kind);
        assert_eq!(
            after(FailureKind::Transient),
            Decision::RetryAfter(30 * SECOND)
        );
        assert_eq!(
            after(FailureKind::Timeout),
            Decision::RetryAfter(15 * MINUTE)
        );
        assert_eq!(after(FailureKind::Panic), Decision::Bury);
    }

    #[test]
    fn the_bounds_hold_whatever_the_closure_says() {
        let policy = patient_with_timeouts();
        assert_eq!(decide(&policy, 10, FailureKind::Transient), Decision::Bury);
        let old = Failure::new(2, FailureKind::Timeout, "invoice.paid").age(46 * MINUTE);
        assert_eq!(policy.decide(&old), Decision::Bury);
    }
}
