//! Jobs, the queue contract, the worker and the conformance suite of Anvil.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod backend;
#[cfg(feature = "conformance")]
pub mod conformance;
mod dead_letter;
mod dedupe;
mod error;
mod failure;
mod job;
mod lease;
mod queue_name;
mod stats;

pub use backend::{Enqueued, QueueBackend, QueueBackendExt};
pub use dead_letter::{
    DeadFilter, DeadLetter, DeadLetters, DeadLettersExt, DeadPage, DeadPosition, DeadQuery,
    ReplayOptions, ReplayReport, Replayed,
};
pub use dedupe::DedupeKey;
pub use error::{QueueError, QueueErrorKind, Refusal};
pub use failure::{
    DeadReason, ErrorText, Failure, FailureContext, FailureKind, FailureReport, RecordedFailure,
};
pub use job::{Counters, InvalidJobId, Job, JobData, JobId, Metadata, NewJob};
pub use lease::{Lease, LeaseState, LeaseToken, Reserve, Reserved, Settled, Settlement};
pub use queue_name::{InvalidQueueName, QueueName};
pub use stats::{QueueStats, QueueTotals};
