use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// A verb of a [`QueueBackend`](crate::QueueBackend) failed as a whole.
///
/// Branch on [`kind`](Self::kind); the message is for people. The cause is kept as `source`. Cheap
/// to clone, because one failed batch answers many callers.
///
/// ```
/// use anvil_queue::{QueueError, QueueErrorKind};
///
/// let error = QueueError::new(QueueErrorKind::Unavailable, "the store is not reachable");
/// assert_eq!(error.kind(), QueueErrorKind::Unavailable);
/// ```
#[derive(Clone)]
pub struct QueueError {
    kind: QueueErrorKind,
    message: Cow<'static, str>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl QueueError {
    /// An error without a cause.
    #[must_use]
    pub fn new(kind: QueueErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
        }
    }

    /// Keeps `source` as the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(Arc::from(source.into()));
        self
    }

    /// What went wrong, for code.
    #[must_use]
    pub fn kind(&self) -> QueueErrorKind {
        self.kind
    }
}

impl fmt::Debug for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            message,
            source,
        } = self;
        f.debug_struct("QueueError")
            .field("kind", kind)
            .field("message", message)
            .field("source", source)
            .finish()
    }
}

impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for QueueError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// What kind of failure a [`QueueError`] is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum QueueErrorKind {
    /// The backend or its client broke a promise, such as a panic or a missing answer. Whether the
    /// call took effect is unknown.
    Internal,
    /// The backend understood the request and will never serve it as it stands. Nothing was
    /// changed; sending it again is useless.
    Rejected,
    /// No answer came in time. Whether the call took effect is unknown; every verb may be sent
    /// again.
    Timeout,
    /// The backend can't be reached or can't serve now. Whether the call took effect is unknown;
    /// every verb may be sent again.
    Unavailable,
}

/// One job of a batch was not stored, although the backend works.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// The queue holds as much as it may. Workers can drain it; send the job again later.
    Full,
    /// The job is larger than the backend takes. Sending it again is useless.
    TooLarge {
        /// The largest [`weight`](crate::JobData::weight) the backend takes, in bytes.
        limit: usize,
    },
    /// The part of the store this job belongs to can't be reached or did not answer in time, while
    /// others work. The job may have been stored; sending it again finds out.
    Unavailable,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("the queue is full"),
            Self::TooLarge { limit } => {
                write!(
                    f,
                    "the job is larger than the {limit} bytes the backend takes"
                )
            }
            Self::Unavailable => f.write_str("the part of the store the job belongs to is away"),
        }
    }
}

impl Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_keeps_kind_message_and_cause() {
        let error = QueueError::new(QueueErrorKind::Timeout, "no answer within 1 s")
            .with_source(std::io::Error::other("broken pipe"));
        let (error, _original) = (error.clone(), error);
        assert_eq!(error.kind(), QueueErrorKind::Timeout);
        assert_eq!(error.to_string(), "no answer within 1 s");
        assert_eq!(error.source().unwrap().to_string(), "broken pipe");
    }
}
