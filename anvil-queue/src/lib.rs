//! Jobs, the queue contract, the worker and the conformance suite of Anvil.
//!
//! This crate is the middle of the chain. It knows nothing of HTTP and nothing of a store: the edge
//! (`anvil-tower`) hands it jobs, a backend (`anvil-memory`, or yours) keeps them.
//!
//! ```text
//! EnqueueService ─► Coalescer ─► QueueBackend ◄─ reserve, extend, settle ─ Worker ─► Handler
//!                                     │                                      │
//!                                     │                                      └─ RetryPolicy: what becomes of a failed run
//!                                     └─ DeadLetters, Control: what people do, and a worker can't
//! ```
//!
//! # Where to start
//!
//! * To run jobs: [`Worker`], with a [`Handler`] and a [`RetryPolicy`].
//! * To store jobs: [`QueueBackend`] and [`NewJob`]; [`Coalescer`] where many tasks store one each.
//! * To look after what failed for good: [`DeadLetters`].
//! * To look at what waits, and to cancel it: [`Control`].
//! * To write a backend: [`QueueBackend`], then the `conformance` suite.
//!
//! ```
//! use std::sync::Arc;
//!
//! use anvil_memory::MemoryBackend;
//! use anvil_queue::{
//!     DeadLetters, DeadQuery, HandlerError, NewJob, QueueBackendExt, QueueName, Worker, handler_fn,
//! };
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let backend = Arc::new(MemoryBackend::new());
//! let queue = QueueName::new("webhooks")?;
//! backend.enqueue_one(&queue, NewJob::new(&b"{}"[..])).await??;
//!
//! let handler = handler_fn(|_job, _context| async { Err(HandlerError::transient("bank is down")) });
//! let worker = Worker::new(Arc::clone(&backend), queue.clone(), handler).build()?;
//! let report = worker.run_until_idle().await?;
//!
//! // Runs after 0 s, 1 s, 6 s and 36 s; the fourth failure was the last.
//! assert_eq!((report.retried, report.buried), (3, 1));
//! let dead = backend.list_dead(&queue, DeadQuery::new()).await?;
//! assert_eq!(dead.letters[0].failures.last_error(), Some("bank is down"));
//! # Ok(())
//! # }
//! ```
//!
//! # What it guarantees, and what not
//!
//! A job that was accepted is in exactly one place until it is done or a person discards it; a
//! lease is fenced; a failed run, a crash, a snooze and a replay are counted apart; a dead letter
//! is never consumed by a worker. Delivery is at least once: a crash, or an outage longer than the
//! lease, runs a job again.
//!
//! # Features
//!
//! None is on by default. `json`: handlers of decoded JSON. `tower`: any `Service<Job>` as a
//! handler. `conformance`: the suite for backends, not covered by semver.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod backend;
mod coalescer;
#[cfg(feature = "conformance")]
pub mod conformance;
mod control;
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
mod store;
mod worker;

pub use backend::{Enqueued, QueueBackend, QueueBackendExt};
pub use coalescer::{Coalescer, CoalescerLimits, EnqueueCall, EnqueueError, SettleCall};
pub use control::{Cancelled, Control, JobPlace, JobView, PeekPlace, PeekQuery};
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
pub use store::Store;
pub use worker::{InvalidWorker, RunError, Worker, WorkerBuilder, WorkerReport};
