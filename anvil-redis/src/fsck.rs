//! Whether every job of a queue is where it should be.

use std::fmt;

use anvil_queue::{JobId, QueueError, QueueName};

use crate::RedisBackend;

/// What [`RedisBackend::fsck`] found.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct FsckReport {
    /// How many jobs were looked at.
    pub jobs: usize,
    /// What is wrong. Empty where nothing is.
    pub problems: Vec<Problem>,
    /// There were more suspicions than one run follows up: the queue is too busy, or much is wrong.
    /// Run it again.
    pub incomplete: bool,
}

/// One job that is not where it should be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Problem {
    /// The job.
    pub id: JobId,
    /// What is wrong with it.
    pub kind: ProblemKind,
    /// Whether it was mended.
    pub repaired: bool,
}

/// What is wrong with a job, and what a repair does about it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// It is in a place and has no body. A repair makes it a dead letter with the reason
    /// [`Missing`](anvil_queue::DeadReason::Missing).
    NoBody,
    /// It has a body and is nowhere, so that no worker would ever get it. A repair makes it ready.
    NoPlace,
    /// It is in more than one place. A repair keeps the one furthest in its life: a lease, then
    /// death, then a delay.
    SeveralPlaces,
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoBody => "it is in a place and its body is gone",
            Self::NoPlace => "it is stored and in no place",
            Self::SeveralPlaces => "it is in more than one place",
        })
    }
}

impl RedisBackend {
    /// Checks that every job of a queue is in exactly one place and has its body, and mends what is
    /// not so where `repair` says so.
    ///
    /// Reads the whole queue in small steps while it is in use, and looks again, job by job and in
    /// one step each, at what seemed wrong; only what still is wrong then is reported or mended.
    /// A look again at one job searches the line of ready jobs, which takes Redis some milliseconds
    /// for a million.
    ///
    /// # Errors
    ///
    /// [`QueueError`]; what was mended until then stays so, and the call may be repeated.
    pub async fn fsck(&self, queue: &QueueName, repair: bool) -> Result<FsckReport, QueueError> {
        self.queue(queue).await?.fsck(repair).await
    }
}
