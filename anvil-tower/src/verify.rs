//! Lets only deliveries through that the sender really signed.
//!
//! [`VerifyLayer`] judges the head, reads the whole body within a limit and a deadline, checks the
//! signature over the raw bytes, and hands a `Request<`[`VerifiedBody`]`>` to the inner service.
//! Everything else is answered here: the inner service never sees it, and its error type stays its
//! own.
//!
//! ```
//! use anvil_tower::{Preset, VerifiedBody, VerifyLayer};
//! use bytes::Bytes;
//! use http::{Request, Response, StatusCode};
//! use http_body_util::Empty;
//! use tower::{ServiceBuilder, ServiceExt, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let service = ServiceBuilder::new()
//!     .layer(VerifyLayer::new("github", Preset::github("It's a Secret to Everybody")?))
//!     .service(service_fn(|request: Request<VerifiedBody>| async move {
//!         assert_eq!(request.into_body().into_bytes(), "Hello, World!");
//!         Ok::<_, std::convert::Infallible>(Response::new(Empty::<Bytes>::new()))
//!     }));
//!
//! let signed = Request::post("/hooks/github")
//!     .header(
//!         "x-hub-signature-256",
//!         "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
//!     )
//!     .body(String::from("Hello, World!"))?;
//! assert_eq!(service.clone().oneshot(signed).await?.status(), StatusCode::OK);
//!
//! let unsigned = Request::post("/hooks/github").body(String::from("Hello, World!"))?;
//! assert_eq!(service.oneshot(unsigned).await?.status(), StatusCode::UNAUTHORIZED);
//! # Ok(())
//! # }
//! ```
//!
//! # Where it goes
//!
//! Outside everything that reads or rewrites the body, above all decompression: what is signed is
//! what came over the wire. Inside concurrency limits and load shedding: while a body is read, the
//! inner service is held ready, and memory is bounded by the body limit times the requests under
//! way.
//!
//! # Trailers
//!
//! No sender signs them; they are dropped.

mod body;
mod buffer;
mod future;
mod layer;
mod recent;
mod response;
mod service;

pub use body::{VerifiedBody, VerifiedRequestBody};
pub use future::ResponseFuture;
pub use layer::VerifyLayer;
pub use recent::{RecentRejections, RejectedDelivery};
pub use response::{EmptyResponse, ResponseForRejection};
pub use service::Verify;

#[cfg(test)]
mod tests;
