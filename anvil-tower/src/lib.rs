//! Tower layers that verify, name and enqueue webhook deliveries.
//!
//! ```text
//! POST ──► VerifyLayer ──► DedupeLayer ──► EnqueueService ──► 202 {"jobId":…,"replayed":false}
//!          is it real?     which event     stored, once
//!                          is it?
//! ```
//!
//! [`ingress`] is the whole chain as one service. Its parts, for when one has to differ:
//!
//! * [`VerifyLayer`] checks the signature over the raw bytes, as a [`Scheme`] says: a [`Preset`], or
//!   any other sender that signs with a shared secret, described to the [`hmac`] engine. Its
//!   [`answer_handshakes`](VerifyLayer::answer_handshakes) answers senders that first ask whether
//!   the endpoint is there.
//! * [`DedupeLayer`] gives each delivery the key by which the queue knows it again.
//! * [`EnqueueService`] stores the job and answers.
//!
//! The services know neither a web framework nor a store. They take any
//! [`http_body::Body`] and run in axum, in hyper and beside tonic; jobs go to any
//! [`QueueBackend`](anvil_queue::QueueBackend).
//!
//! ```
//! use std::sync::Arc;
//!
//! use anvil_memory::MemoryBackend;
//! use anvil_queue::QueueName;
//! use anvil_tower::{DedupeLayer, EnqueueService, Preset, VerifyLayer};
//! use http::{Request, StatusCode};
//! use tower::{ServiceBuilder, ServiceExt};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let backend = Arc::new(MemoryBackend::new());
//! let hooks = ServiceBuilder::new()
//!     .layer(VerifyLayer::new("github", Preset::github("It's a Secret to Everybody")?))
//!     .layer(DedupeLayer::recommended())
//!     .service(EnqueueService::new(backend, QueueName::new("webhooks")?));
//!
//! let signed = || {
//!     Request::post("/hooks/github")
//!         .header(
//!             "x-hub-signature-256",
//!             "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
//!         )
//!         .body(String::from("Hello, World!"))
//! };
//! assert_eq!(hooks.clone().oneshot(signed()?).await?.status(), StatusCode::ACCEPTED);
//!
//! let tampered = signed()?.map(|_| String::from("Hello, Moon!"));
//! assert_eq!(hooks.oneshot(tampered).await?.status(), StatusCode::UNAUTHORIZED);
//! # Ok(())
//! # }
//! ```
//!
//! # What it guarantees
//!
//! * What reaches the queue was signed, byte for byte. Mounting [`EnqueueService`] without
//!   verification does not compile; the two doors around it are
//!   [`Unsigned::accept_unverified`] and [`VerifiedBody::assume_verified`].
//! * A 2xx means that the job is stored. Everything else tells the sender to try again, or that it
//!   can't succeed.
//! * Nothing about a secret, a computed signature or a payload is in a response, a log or a
//!   `Debug`.
//! * Each layer calls the service that it polled ready, and passes inner errors and request
//!   extensions on untouched.
//!
//! # What it does not
//!
//! * Run anything once. A delivery may be handled again after a crash or outside the dedupe window;
//!   see the guarantees of `anvil-queue`.
//! * Bound the number of requests. Memory is bounded by the body limit times the requests under way;
//!   put a concurrency limit outside of [`VerifyLayer`].
//!
//! # Features
//!
//! None is on by default. Each adds senders that sign with a private key, and what verifies them:
//!
//! * `ed25519`: Discord, and public keys (`whpk_`) of Standard Webhooks.
//! * `ecdsa`: SendGrid.
//! * `jwt`: Plaid.
//! * `rsa`: PayPal and Amazon SNS.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod config_error;
pub mod dedupe;
pub mod enqueue;
mod form;
pub mod handshake;
mod ingress;
mod json;
pub mod preset;
mod rejection;
mod scheme;
mod verified;
pub mod verify;

pub use config_error::ConfigError;
pub use dedupe::{DedupeLayer, SignatureAndPayload, signature_and_payload};
pub use enqueue::EnqueueService;
pub use ingress::{Ingress, ingress};
pub use preset::Preset;
pub use rejection::{Rejection, RejectionKind};
#[cfg(any(feature = "jwt", feature = "rsa"))]
#[cfg_attr(docsrs, doc(cfg(any(feature = "jwt", feature = "rsa"))))]
pub use scheme::public_key;
pub use scheme::{
    BodyCheck, Check, Decision, DeliveryId, Identity, PendingDecision, Proof, Scheme, Unsigned,
    hmac, token,
};
pub use verified::Verified;
pub use verify::{VerifiedBody, VerifiedRequestBody, VerifyLayer};

#[cfg(test)]
mod testing;
