//! Names each delivery, so that the queue can tell a second one of the same event.
//!
//! [`DedupeLayer`] asks an extractor for the *part* that names the delivery and puts
//! [`DedupeKey::derive`](anvil_queue::DedupeKey::derive)`(source, part)` into the extensions of the
//! request. It remembers nothing: claiming the key and storing the job is one step in the backend,
//! so there is no moment in which a key is taken and its job is not there.
//!
//! ```
//! use anvil_queue::DedupeKey;
//! use anvil_tower::{DedupeLayer, Identity, Verified, VerifiedBody};
//! use http::{Request, Response};
//! use tower::{ServiceBuilder, ServiceExt, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let service = ServiceBuilder::new().layer(DedupeLayer::recommended()).service(service_fn(
//!     |request: Request<VerifiedBody>| async move {
//!         let key = request.extensions().get().copied();
//!         assert_eq!(key, Some(DedupeKey::derive("stripe", b"evt_1")));
//!         Ok::<_, std::convert::Infallible>(Response::new(()))
//!     },
//! ));
//!
//! let verified = Verified::assumed("stripe", Identity::new().delivery_id("evt_1", true));
//! service.oneshot(Request::new(VerifiedBody::assume_verified("{}", verified))).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Which extractor
//!
//! | extractor | a retry with a renewed signature | the same request sent again under another id |
//! |---|---|---|
//! | [`Recommended`] | same event where the id is signed | same event |
//! | [`SignatureAndPayload`] | **new event** | same event |
//! | [`PayloadDigest`] | same event | same event |
//! | [`Pointer`] | same event | same event |
//! | [`Header`] | same event | **new event** where the header is not signed |
//!
//! [`PayloadDigest`] also takes two events that happen to have equal bodies for one.
//!
//! # The same content under another id
//!
//! Where the sender's id is not signed, a digest names the delivery. When its content then comes
//! again under another id, it is a duplicate all the same: most likely a captured delivery that
//! somebody sends again, or else two events with equal bodies. Such deliveries are logged and
//! counted, see [`DedupeLayer::came_under_other_ids`].

mod extract;
mod layer;
mod other_ids;
mod require_key;
mod service;

pub use extract::{
    Header, KeyExtractor, PayloadDigest, Pointer, Recommended, SignatureAndPayload,
    signature_and_payload,
};
pub use layer::DedupeLayer;
pub use require_key::{RequireKey, RequireKeyLayer, ResponseFuture};
pub use service::Dedupe;

#[cfg(test)]
mod tests;
