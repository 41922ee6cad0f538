use std::error::Error;
use std::io;

use anvil_queue::QueueError;

/// How a command ended, as its exit code.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
#[repr(u8)]
pub enum Exit {
    /// Everything was done, or the reader of the output went away.
    Done = 0,
    /// Something was not done: a job was not there, superseded or not to be had, or the answer to
    /// the question was no; a captured request is refused, or a sent one got no 2xx.
    NotDone = 1,
    /// The arguments make no sense, or a file they name can't be read or used; nothing was tried.
    Usage = 2,
    /// The store could not be reached, or failed.
    Store = 3,
    /// The output could not be written.
    Output = 4,
    /// Interrupted between two calls; what was done stays done.
    Interrupted = 130,
}

impl Exit {
    /// The exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// Why a command ended before its end.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Whoever read the output has gone, as `head` does.
    BrokenPipe,
    /// Interrupted; what there is to say has been said.
    Interrupted,
    /// Not all was done; what there is to say has been said.
    NotDone,
    Output(io::Error),
    Store(QueueError),
    Usage(String),
}

impl Failure {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::BrokenPipe => Exit::Done,
            Self::Interrupted => Exit::Interrupted,
            Self::NotDone => Exit::NotDone,
            Self::Output(_) => Exit::Output,
            Self::Store(_) => Exit::Store,
            Self::Usage(_) => Exit::Usage,
        }
    }

    /// What is left to say about it.
    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Self::BrokenPipe | Self::Interrupted | Self::NotDone => None,
            Self::Output(error) => Some(format!("the output was not written: {error}")),
            Self::Store(error) => Some(with_causes(error)),
            Self::Usage(message) => Some(message.clone()),
        }
    }
}

impl From<QueueError> for Failure {
    fn from(error: QueueError) -> Self {
        Self::Store(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::Output(error),
        }
    }
}

/// An error and what caused it, in one line; a cause that repeats the text before it is left out.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.contains(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
        cause = error.source();
    }
    text
}
