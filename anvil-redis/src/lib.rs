//! The Redis queue backend of Anvil.
//!
//! [`RedisBackend`] implements [`QueueBackend`](anvil_queue::QueueBackend),
//! [`DeadLetters`](anvil_queue::DeadLetters) and [`Control`](anvil_queue::Control), so that the HTTP
//! edge, workers and operators on any number of machines share the same jobs.
//!
//! ```no_run
//! use anvil_queue::{NewJob, QueueBackendExt, QueueName};
//! use anvil_redis::RedisBackend;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let backend = RedisBackend::connect("redis://127.0.0.1:6379").await?;
//! let queue = QueueName::new("webhooks")?;
//! let job = NewJob::new(&b"{}"[..]);
//! let id = job.data().id();
//! assert_eq!(backend.enqueue_one(&queue, job).await??.id(), id);
//! # Ok(())
//! # }
//! ```
//!
//! # What it guarantees
//!
//! * Each verb is one script, which Redis runs whole or not at all: a job has its dedupe record from
//!   the moment it exists, and is in exactly one place.
//! * Only Redis's clock counts, and within a queue it never goes back: where the server's was set
//!   back, the queue's goes on from where it was.
//! * A Redis that has reached `maxmemory` refuses new jobs and nothing else.
//! * A lost connection, a restart, a failover and a moved slot are survived without a restart of
//!   the process. Every verb ends within its time-out.
//! * Leases are renewed from a thread and on a connection of their own.
//!
//! # What it does not
//!
//! * Outlive what Redis loses. [`Durability`] says what has to have happened before a job counts as
//!   stored; with [`Fast`](Durability::Fast) a failover can lose what the replica did not have yet.
//! * Keep the jobs of different partitions in order.
//!
//! # Features
//!
//! * `cluster`: `redis+cluster://`.
//! * `tls`: `rediss://`, through rustls. The program chooses the cryptography, once and before it
//!   connects: `rustls::crypto::ring::default_provider().install_default()`, with rustls's feature
//!   `ring`. Where it has not, connecting is refused with that advice.
//!
//! `anvil-redis/README.md` has the layout of the keys and what was measured about it.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
mod agreement;
mod backend;
mod bell;
mod builder;
mod codec;
mod connections;
mod error;
mod fsck;
mod health;
mod keys;
mod link;
mod partition;
mod queue;
mod script;
mod settings;

pub use backend::RedisBackend;
pub use builder::RedisBuilder;
pub use fsck::{FsckReport, Problem, ProblemKind};
pub use health::{Finding, Health};
pub use settings::{Durability, InvalidConfig};
