use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// What went wrong in a run, for policies, records and metrics.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum FailureKind {
    /// The handler panicked.
    Panic,
    /// The handler said that running the job again is useless.
    Permanent,
    /// The handler ran past the worker's `timeout`.
    Timeout,
    /// The handler returned an error that may go away.
    Transient,
    /// The payload could not be decoded into what the handler takes.
    Undecodable,
}

impl FailureKind {
    /// The name used in records and metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Panic => "panic",
            Self::Permanent => "permanent",
            Self::Timeout => "timeout",
            Self::Transient => "transient",
            Self::Undecodable => "undecodable",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error message that is safe to store and to print: at most [`ErrorText::MAX_LEN`] bytes, with
/// control characters escaped. Cheap to clone.
///
/// ```
/// use anvil_queue::ErrorText;
///
/// assert_eq!(ErrorText::new("bad\0byte").as_str(), "bad\\u{0}byte");
/// assert!(ErrorText::new(&"x".repeat(1_000_000)).as_str().len() <= ErrorText::MAX_LEN);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ErrorText(Arc<str>);

impl ErrorText {
    /// The longest text that is kept, in bytes.
    pub const MAX_LEN: usize = 1024;

    /// Escapes and cuts `text`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut kept = String::with_capacity(text.len().min(Self::MAX_LEN));
        for c in text.chars() {
            let before = kept.len();
            if needs_escape(c) {
                kept.extend(c.escape_default());
            } else {
                kept.push(c);
            }
            if kept.len() > Self::MAX_LEN - ELLIPSIS.len() {
                kept.truncate(before);
                kept.push_str(ELLIPSIS);
                break;
            }
        }
        Self(kept.into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ErrorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a worker reports about one failed run.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct FailureReport {
    /// What went wrong.
    pub kind: FailureKind,
    /// The error, cut and escaped.
    pub error: ErrorText,
    /// The label of the worker that ran the job.
    pub worker: Arc<str>,
}

impl FailureReport {
    /// A report of one failed run.
    #[must_use]
    pub fn new(kind: FailureKind, error: ErrorText, worker: Arc<str>) -> Self {
        Self {
            kind,
            error,
            worker,
        }
    }
}

/// Why a job is among the dead letters.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum DeadReason {
    /// The retry policy gave up.
    Exhausted,
    /// The stored payload is gone: something else removed it from the store.
    Missing,
    /// The handler said that running the job again is useless.
    Permanent,
    /// Its lease ran out more often than the crash budget allows: it may be killing its workers.
    Poison,
    /// The stored job, or its payload, could not be decoded.
    Undecodable,
}

impl DeadReason {
    /// The name used in records, metrics and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exhausted => "exhausted",
            Self::Missing => "missing",
            Self::Permanent => "permanent",
            Self::Poison => "poison",
            Self::Undecodable => "undecodable",
        }
    }
}

impl fmt::Display for DeadReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The failures of a job, as its record keeps them: the first and the last, and how many.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct FailureContext {
    /// Runs that failed since the job was stored or last replayed.
    pub attempts: u32,
    /// The first failure.
    pub first: Option<RecordedFailure>,
    /// The newest failure.
    pub last: Option<RecordedFailure>,
}

impl FailureContext {
    /// Adds a failure that happened `at` this time, by the backend's clock.
    pub fn record(&mut self, report: FailureReport, at: SystemTime) {
        self.attempts = self.attempts.saturating_add(1);
        let failure = RecordedFailure { report, at };
        if self.first.is_none() {
            self.first = Some(failure.clone());
        }
        self.last = Some(failure);
    }

    /// The newest error text, where there was a failure.
    #[must_use]
    pub fn last_error(&self) -> Option<&str> {
        self.last
            .as_ref()
            .map(|failure| failure.report.error.as_str())
    }
}

/// A failed run and when it was recorded.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RecordedFailure {
    /// What the worker reported.
    pub report: FailureReport,
    /// When the backend recorded it.
    pub at: SystemTime,
}

impl RecordedFailure {
    /// A failure as a backend reads it back.
    #[must_use]
    pub fn new(report: FailureReport, at: SystemTime) -> Self {
        Self { report, at }
    }
}

/// A failed run, as a [`RetryPolicy`](crate::RetryPolicy) sees it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Failure<'a> {
    /// How many runs have failed, this one included: 1 for the first.
    pub attempts: u32,
    /// What went wrong.
    pub kind: FailureKind,
    /// The error, cut and escaped.
    pub error: &'a str,
    /// The job's event type.
    pub job_kind: &'a str,
    /// How long ago the job was accepted, by the backend's clock at the start of the run.
    pub age: Duration,
    /// The minimum delay the handler asked for with
    /// [`retry_after`](crate::HandlerError::retry_after); the worker waits at least so long,
    /// whatever the policy says.
    pub at_least: Duration,
}

impl<'a> Failure<'a> {
    /// A failure of a job of this kind; everything else is zero or empty until set.
    #[must_use]
    pub fn new(attempts: u32, kind: FailureKind, job_kind: &'a str) -> Self {
        Self {
            attempts,
            kind,
            error: "",
            job_kind,
            age: Duration::ZERO,
            at_least: Duration::ZERO,
        }
    }

    /// Sets the error text. Default: empty.
    #[must_use]
    pub fn error(mut self, error: &'a str) -> Self {
        self.error = error;
        self
    }

    /// Sets the minimum delay the handler asked for. Default: zero.
    #[must_use]
    pub fn at_least(mut self, delay: Duration) -> Self {
        self.at_least = delay;
        self
    }

    /// Sets the job's age. Default: zero.
    #[must_use]
    pub fn age(mut self, age: Duration) -> Self {
        self.age = age;
        self
    }
}

/// Control characters, and the marks that reorder text on a terminal.
fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

const ELLIPSIS: &str = "…";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_text_of_a_megabyte_is_cut_at_a_character() {
        let text = ErrorText::new(&"é".repeat(1_000_000));
        assert!(text.as_str().len() <= ErrorText::MAX_LEN);
        assert!(text.as_str().ends_with('…'));
    }

    #[test]
    fn control_and_reordering_characters_are_escaped() {
        let text = ErrorText::new("a\0b\x1b[2Kc\nd\u{202e}e");
        assert_eq!(text.as_str(), "a\\u{0}b\\u{1b}[2Kc\\nd\\u{202e}e");
    }

    #[test]
    fn the_first_failure_is_kept_beside_the_last() {
        let mut context = FailureContext::default();
        for n in 1..=3 {
            let error = ErrorText::new(&format!("error {n}"));
            let report = FailureReport::new(FailureKind::Transient, error, "w".into());
            context.record(report, SystemTime::UNIX_EPOCH + Duration::from_secs(n));
        }
        assert_eq!(context.attempts, 3);
        assert_eq!(context.first.unwrap().report.error.as_str(), "error 1");
        assert_eq!(context.last.unwrap().report.error.as_str(), "error 3");
    }
}
