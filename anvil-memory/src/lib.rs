//! The in-memory queue backend of Anvil.
//!
//! [`MemoryBackend`] implements the whole contract of [`QueueBackend`](anvil_queue::QueueBackend),
//! [`DeadLetters`](anvil_queue::DeadLetters) and [`Control`](anvil_queue::Control) in one process:
//! for tests, for examples, and for services that can afford to lose what is queued when the process
//! ends.
//!
//! ```text
//!   verbs (async) ──► MemoryBackend ──► one mutex per queue ──► a state machine
//!                     tokio's clock                             no async, no clock
//! ```
//!
//! ```
//! use std::time::Duration;
//!
//! use anvil_memory::MemoryBackend;
//! use anvil_queue::{DedupeKey, NewJob, QueueBackendExt, QueueName, Settlement};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let backend = MemoryBackend::new();
//! let queue = QueueName::new("webhooks")?;
//! let delivery = || NewJob::new(&b"{}"[..]).dedupe_key(DedupeKey::derive("stripe", b"evt_1"));
//!
//! let first = backend.enqueue_one(&queue, delivery()).await??;
//! let again = backend.enqueue_one(&queue, delivery()).await??;
//! assert!(again.is_duplicate());
//! assert_eq!(again.id(), first.id());
//!
//! let reserved = backend.reserve_one(&queue, Duration::from_secs(30)).await?;
//! let reserved = reserved.ok_or("nothing is ready")?;
//! assert_eq!(reserved.job.id(), first.id());
//! backend.settle_one(&queue, reserved.lease, Settlement::Complete).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # What it guarantees
//!
//! G1 to G11 within the process; it passes the same conformance suite
//! (`anvil_queue::conformance`) as every other backend. All time is tokio's, so on a paused clock
//! minutes of retries pass in milliseconds and a dedupe window of three days can be tested.
//!
//! # What it does not
//!
//! Nothing survives the process: a 2xx means stored in memory. Senders that must not lose an event
//! need a backend that persists.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod backend;
mod queue;
mod queues;
mod state;

pub use backend::MemoryBackend;
