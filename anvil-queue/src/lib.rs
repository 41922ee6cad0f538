//! Jobs, the queue contract, the worker and the conformance suite of Anvil.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod backend;
mod coalescer;
mod dead_letter;
mod dedupe;
mod error;
mod failure;
mod handler;
mod job;
mod lease;
mod queue_name;
mod retry;
mod stats;
mod worker;

pub use backend::{Enqueued, QueueBackend, QueueBackendExt};
pub use coalescer::{Coalescer, CoalescerLimits, EnqueueCall, EnqueueError, SettleCall};
pub use dead_letter::{
    DeadFilter, DeadLetter, DeadLetters, DeadLettersExt, DeadPage, DeadPosition, DeadQuery,
    ReplayOptions, ReplayReport, Replayed,
};
pub use dedupe::DedupeKey;
pub use error::{QueueError, QueueErrorKind, Refusal};
pub use failure::{
    DeadReason, ErrorText, Failure, FailureContext, FailureKind, FailureReport, RecordedFailure,
};
pub use handler::{Context, Handler, HandlerError, HandlerFn, handler_fn};
#[cfg(feature = "json")]
#[cfg_attr(docsrs, doc(cfg(feature = "json")))]
pub use handler::{JsonHandlerFn, json_handler_fn};
#[cfg(feature = "tower")]
#[cfg_attr(docsrs, doc(cfg(feature = "tower")))]
pub use handler::{ServiceHandler, service_handler};
pub use job::{Counters, InvalidJobId, Job, JobData, JobId, Metadata, NewJob};
pub use lease::{Lease, LeaseState, LeaseToken, Reserve, Reserved, Settled, Settlement};
pub use queue_name::{InvalidQueueName, QueueName};
pub use retry::{
    Decision, Exponential, InvalidBackoff, MaxAge, MaxAttempts, PolicyFn, RetryPolicy,
    RetryPolicyExt, Schedule, When, policy_fn,
};
pub use stats::{QueueStats, QueueTotals};
pub use worker::{InvalidWorker, RunError, Worker, WorkerBuilder, WorkerReport};
