//! Answers senders that ask whether an endpoint is there and ours.
//!
//! Some senders do so once, before they deliver, others every few days, and stop delivering where
//! they get no answer. There are two kinds: a request that nobody has signed is answered by its
//! head alone, and a signed one after its signature was found right. Both are answered by
//! [`VerifyLayer`](crate::VerifyLayer), once
//! [`answer_handshakes`](crate::VerifyLayer::answer_handshakes) says so, and by no layer of their
//! own: so they can't be put in the wrong order, nothing signed is answered before it is verified,
//! and no handshake is enqueued.
//!
//! [`ingress`](crate::ingress) has it. In a chain of your own:
//!
//! ```
//! use std::sync::Arc;
//!
//! use anvil_memory::MemoryBackend;
//! use anvil_queue::QueueName;
//! use anvil_tower::{DedupeLayer, EnqueueService, Preset, Scheme, VerifyLayer};
//! use http::{Method, Request, StatusCode};
//! use tower::{ServiceBuilder, ServiceExt};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let slack = Preset::slack("the signing secret of the app")?;
//! let enqueue = EnqueueService::new(Arc::new(MemoryBackend::new()), QueueName::new("webhooks")?)
//!     .answer(slack.success());
//! let hooks = ServiceBuilder::new()
//!     .layer(VerifyLayer::new("slack", slack).answer_handshakes())
//!     .layer(DedupeLayer::recommended())
//!     .service(enqueue);
//!
//! let unsigned = r#"{"type":"url_verification","challenge":"3eZbrw1aB"}"#;
//! let request = Request::post("/hooks/slack").body(String::from(unsigned))?;
//! assert_eq!(hooks.oneshot(request).await?.status(), StatusCode::UNAUTHORIZED);
//! # Ok(())
//! # }
//! ```
//!
//! Which requests are handshakes, and what is answered, says the scheme: see
//! [`Facts::handshake`](crate::preset::Facts::handshake), and
//! [`Scheme::open_handshake`](crate::Scheme::open_handshake) for a scheme of your own. Everything
//! else is verified, such as an unsigned handshake that shows a wrong token, and is refused there.
//!
//! # What an unsigned handshake gives away
//!
//! Whoever knows the URL can ask, and learns that somebody is here. What a stranger has sent is
//! never echoed as anything that a browser would run.

mod mode;

pub use mode::{AnswerHandshakes, Handshakes, HandshakesWith, NoHandshakes};

#[cfg(test)]
mod tests;
