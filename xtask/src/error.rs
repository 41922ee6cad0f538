//! Why a command stopped, and the exit code that says so.

use std::fmt;
use std::process::ExitCode;

/// What stopped a command.
#[derive(Debug)]
pub(crate) enum Error {
    /// The command ran and the answer is no: a test failed, a bar was missed.
    Failed(String),
    /// The command could not be run, so there is no answer: a missing package, a wrong argument.
    Unusable(String),
}

impl Error {
    pub(crate) fn failed(what: impl Into<String>) -> Self {
        Self::Failed(what.into())
    }

    pub(crate) fn unusable(why: impl Into<String>) -> Self {
        Self::Unusable(why.into())
    }

    /// 1 for a failure, 2 where the command could not be run.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Failed(_) => ExitCode::from(1),
            Self::Unusable(_) => ExitCode::from(2),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(what) => f.write_str(what),
            Self::Unusable(why) => f.write_str(why),
        }
    }
}
