use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::{ErrorText, FailureKind};

/// Why a run did not complete its job.
///
/// Any error converts with `?` and counts as transient: retrying is the default, and only an error
/// that says so is permanent. The text is stored with the job, cut and escaped, so it should hold
/// no secret.
///
/// ```
/// use std::time::Duration;
///
/// use anvil_queue::HandlerError;
///
/// fn run() -> Result<(), HandlerError> {
///     let text = std::str::from_utf8(b"100").map_err(HandlerError::permanent)?;
///     text.parse::<u32>()?;
///     Err(HandlerError::retry_after(Duration::from_secs(60), "the bank is closed"))
/// }
/// assert_eq!(run().unwrap_err().to_string(), "the bank is closed");
/// ```
pub struct HandlerError(Verdict);

/// What the worker reads out of a [`HandlerError`].
pub(crate) enum Verdict {
    Failed {
        kind: FailureKind,
        at_least: Duration,
        error: BoxError,
    },
    Snooze(Duration),
}

type BoxError = Box<dyn Error + Send + Sync>;

impl HandlerError {
    /// A failure that may go away: the retry policy decides.
    #[must_use]
    pub fn transient(error: impl Into<BoxError>) -> Self {
        Self::failed(FailureKind::Transient, Duration::ZERO, error)
    }

    /// A failure that no repetition mends: the job goes to the dead letters.
    #[must_use]
    pub fn permanent(error: impl Into<BoxError>) -> Self {
        Self::failed(FailureKind::Permanent, Duration::ZERO, error)
    }

    /// A payload that can't be decoded: the job goes to the dead letters under that reason.
    #[must_use]
    pub fn undecodable(error: impl Into<BoxError>) -> Self {
        Self::failed(FailureKind::Undecodable, Duration::ZERO, error)
    }

    /// A transient failure that must not be retried earlier than this, such as a `Retry-After`.
    ///
    /// The retry policy still decides whether there is a next run; its delay holds where it is
    /// longer. Range: up to 24 hours; a longer delay counts as 24 hours.
    #[must_use]
    pub fn retry_after(at_least: Duration, error: impl Into<BoxError>) -> Self {
        Self::failed(FailureKind::Transient, at_least.min(MAX_RETRY_AFTER), error)
    }

    /// Not a failure: the job is put off for this long and no attempt is counted.
    #[must_use]
    pub fn snooze(after: Duration) -> Self {
        Self(Verdict::Snooze(after))
    }

    fn failed(kind: FailureKind, at_least: Duration, error: impl Into<BoxError>) -> Self {
        Self(Verdict::Failed {
            kind,
            at_least,
            error: error.into(),
        })
    }

    pub(crate) fn into_verdict(self) -> Verdict {
        self.0
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for HandlerError {
    fn from(error: E) -> Self {
        Self::transient(error)
    }
}

impl fmt::Debug for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Verdict::Failed {
                kind,
                at_least,
                error,
            } => f
                .debug_struct("HandlerError")
                .field("kind", kind)
                .field("at_least", at_least)
                .field("error", error)
                .finish(),
            Verdict::Snooze(after) => f.debug_tuple("Snooze").field(after).finish(),
        }
    }
}

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Verdict::Failed { error, .. } => fmt::Display::fmt(error, f),
            Verdict::Snooze(after) => write!(f, "snoozed for {after:?}"),
        }
    }
}

/// An error and its causes on one line, cut and escaped.
pub(crate) fn describe(error: &(dyn Error + 'static)) -> ErrorText {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        if text.len() > ErrorText::MAX_LEN {
            break;
        }
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    ErrorText::new(&text)
}

const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);
