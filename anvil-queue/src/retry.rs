//! What becomes of a failed run.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::Failure;

mod combine;
mod exponential;
mod jitter;
pub(crate) use jitter::Jitter;
mod schedule;
pub use combine::{MaxAge, MaxAttempts, RetryPolicyExt, When};
pub use exponential::{Exponential, InvalidBackoff};
pub use schedule::Schedule;

/// Decides what becomes of a failed run.
///
/// A policy is pure: it returns data, the backend stores the delay, no worker slot sleeps and a
/// restart loses nothing. It is asked about every failure except those a handler called
/// [permanent](crate::HandlerError::permanent) or undecodable, which are never retried. Where the
/// handler named a [minimum delay](crate::HandlerError::retry_after), the longer of the two holds.
///
/// `Arc` and `Box` of a policy are policies, and [`policy_fn`] makes one of a closure.
///
/// ```
/// use std::time::Duration;
///
/// use anvil_queue::{Decision, Failure, FailureKind, RetryPolicy, Schedule};
///
/// let policy = Schedule::default();
/// let first = Failure::new(1, FailureKind::Transient, "invoice.paid");
/// assert_eq!(policy.decide(&first), Decision::RetryAfter(Duration::from_secs(1)));
/// let fourth = Failure::new(4, FailureKind::Transient, "invoice.paid");
/// assert_eq!(policy.decide(&fourth), Decision::Bury);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a retry policy",
    label = "this is not a `RetryPolicy`",
    note = "use `Schedule`, `Exponential`, `policy_fn(|failure| …)`, or implement `anvil_queue::RetryPolicy`"
)]
pub trait RetryPolicy: Send + Sync + 'static {
    /// What becomes of the job after this failure.
    fn decide(&self, failure: &Failure<'_>) -> Decision;
}

impl<T: RetryPolicy + ?Sized> RetryPolicy for Arc<T> {
    fn decide(&self, failure: &Failure<'_>) -> Decision {
        (**self).decide(failure)
    }
}

impl<T: RetryPolicy + ?Sized> RetryPolicy for Box<T> {
    fn decide(&self, failure: &Failure<'_>) -> Decision {
        (**self).decide(failure)
    }
}

/// What a [`RetryPolicy`] decided.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Decision {
    /// The job goes to the dead letters.
    Bury,
    /// The job runs again after this long.
    RetryAfter(Duration),
}

/// Makes a policy of a closure.
///
/// ```
/// use std::time::Duration;
///
/// use anvil_queue::{Decision, Failure, FailureKind, RetryPolicy, policy_fn};
///
/// let policy = policy_fn(|failure: &Failure<'_>| match failure.kind {
///     FailureKind::Timeout => Decision::RetryAfter(Duration::from_secs(60)),
///     _ if failure.attempts < 3 => Decision::RetryAfter(Duration::from_secs(1)),
///     _ => Decision::Bury,
/// });
/// let timed_out = Failure::new(9, FailureKind::Timeout, "webhook");
/// assert_eq!(policy.decide(&timed_out), Decision::RetryAfter(Duration::from_secs(60)));
/// ```
pub fn policy_fn<F>(decide: F) -> PolicyFn<F>
where
    F: Fn(&Failure<'_>) -> Decision + Send + Sync + 'static,
{
    PolicyFn(decide)
}

/// The policy of [`policy_fn`].
#[derive(Clone, Copy)]
pub struct PolicyFn<F>(F);

impl<F> RetryPolicy for PolicyFn<F>
where
    F: Fn(&Failure<'_>) -> Decision + Send + Sync + 'static,
{
    fn decide(&self, failure: &Failure<'_>) -> Decision {
        (self.0)(failure)
    }
}

impl<F> fmt::Debug for PolicyFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PolicyFn")
    }
}

const _: fn(Arc<dyn RetryPolicy>) = |_| {};
