//! Stores verified deliveries and answers the sender.
//!
//! [`EnqueueService`] makes a job of each delivery, hands it to the queue and waits until it is
//! stored. Only then is the answer a 2xx; whatever else happens, the sender is told to try again.
//!
//! ```
//! use std::sync::Arc;
//!
//! use anvil_memory::MemoryBackend;
//! use anvil_queue::QueueName;
//! use anvil_tower::{EnqueueService, Identity, Verified, VerifiedBody};
//! use http::{Request, StatusCode};
//! use tower::ServiceExt;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let backend = Arc::new(MemoryBackend::new());
//! let service = EnqueueService::new(backend, QueueName::new("webhooks")?);
//!
//! let verified = Verified::assumed("stripe", Identity::new().kind("invoice.paid"));
//! let request = Request::new(VerifiedBody::assume_verified("{}", verified));
//! assert_eq!(service.oneshot(request).await?.status(), StatusCode::ACCEPTED);
//! # Ok(())
//! # }
//! ```
//!
//! # Answers
//!
//! | what happened | answer |
//! |---|---|
//! | stored | 202 `{"jobId":"…","replayed":false}` |
//! | the key belongs to an earlier job | 202 with the earlier id and `"replayed":true` |
//! | refused, failed or too late | 503 with `Retry-After` |
//! | larger than the backend takes | 413 |
//!
//! [`EnqueueService::answer`] changes the first two for senders that insist on a status or a body.
//! The others can't be changed: a sender must never be told that a delivery is safe when it is not.
//!
//! A 503 after a time-out may mean that the job was stored. The sender's retry then finds it by its
//! key, and a delivery without a key is run twice.
//!
//! The service is always ready and never fails: back-pressure is an answer, so that the sender
//! keeps the delivery. Dropping its future loses the answer only.
//!
//! # Which key verified a job
//!
//! Where the secrets have names, as [`named_secret`](crate::preset::PresetBuilder::named_secret)
//! gives them, the name of the one that matched is stored with the job, under
//! [`KEY_ID_METADATA`]. So it can be seen when the last delivery signed with an old secret came,
//! and which jobs were accepted by a secret that turns out to be stolen.

mod answer;
mod body;
mod future;
mod service;
mod stored_headers;
mod success;

pub use answer::{Answer, JobIdAnswer};
pub use body::ResponseBody;
pub use future::ResponseFuture;
pub use service::EnqueueService;
pub use success::Success;

/// The name under which a job's [metadata](anvil_queue::Metadata) has the id of the key that
/// verified its delivery, where the user has named the key.
///
/// ```
/// use anvil_queue::NewJob;
/// use anvil_tower::enqueue::KEY_ID_METADATA;
///
/// let mut metadata = anvil_queue::Metadata::default();
/// metadata.push(KEY_ID_METADATA, "2026-03");
/// let job = NewJob::new("{}").metadata(metadata).into_data();
/// assert_eq!(job.metadata().get("anvil-key-id").unwrap(), "2026-03");
/// ```
pub const KEY_ID_METADATA: &str = "anvil-key-id";

#[cfg(test)]
mod tests;
