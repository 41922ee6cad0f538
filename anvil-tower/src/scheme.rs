use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http::request::Parts;
use http::{Method, Response, StatusCode};

use crate::Rejection;
use crate::enqueue::Success;

mod check;
pub mod hmac;
mod identity;
#[cfg(any(feature = "jwt", feature = "rsa"))]
pub mod public_key;
#[cfg(all(
    any(feature = "ecdsa", feature = "ed25519"),
    not(any(feature = "jwt", feature = "rsa"))
))]
pub(crate) mod public_key;
pub mod token;
mod unsigned;

pub use check::{BodyCheck, Check, Decision, PendingDecision, Proof};
pub use identity::{DeliveryId, Identity};
pub use unsigned::Unsigned;

/// How one sender signs its deliveries.
///
/// A scheme is asked in three steps, so that as little as possible is done for a stranger:
///
/// 1. [`begin`](Self::begin) sees the head, before a byte of the body is asked for. A delivery
///    without a usable signature ends here, and a sender that waits for `100 Continue` never gets
///    one.
/// 2. The [`Check`] it gives is fed the body, chunk by chunk as it arrives, and then decides.
/// 3. [`identify`](Self::identify) reads the names of the delivery, only after the check passed.
///
/// The trait is synchronous and dyn-compatible: `Arc<dyn Scheme>` and `Box<dyn Scheme>` are schemes.
/// Most senders need no implementation of their own but a configured
/// [`HmacScheme`](hmac::HmacScheme).
///
/// # A scheme of your own
///
/// ```
/// use std::time::SystemTime;
///
/// use anvil_tower::{BodyCheck, Check, Decision, Proof, Rejection, RejectionKind, Scheme};
/// use http::request::Parts;
///
/// /// A sender that puts the length of the body into a header, and nothing else.
/// #[derive(Debug)]
/// struct Length;
///
/// impl Scheme for Length {
///     fn name(&self) -> &'static str {
///         "length"
///     }
///
///     fn begin(&self, head: &Parts, _now: SystemTime) -> Result<Check, Rejection> {
///         let missing = Rejection::new(RejectionKind::Missing, "missing_length");
///         let value = head.headers.get("x-length").ok_or(missing)?;
///         let malformed = Rejection::new(RejectionKind::Malformed, "malformed_length");
///         let left = value.to_str().ok().and_then(|text| text.parse().ok()).ok_or(malformed)?;
///         Ok(Check::streaming(Box::new(Countdown(left))))
///     }
/// }
///
/// struct Countdown(i64);
///
/// impl BodyCheck for Countdown {
///     fn update(&mut self, chunk: &[u8]) {
///         self.0 -= chunk.len() as i64;
///     }
///
///     fn finish(self: Box<Self>) -> Result<Proof, Rejection> {
///         match self.0 {
///             0 => Ok(Proof::new(0)),
///             _ => Err(Rejection::new(RejectionKind::Mismatch, "mismatch")),
///         }
///     }
/// }
///
/// let (head, ()) = http::Request::post("/").header("x-length", "5").body(()).unwrap().into_parts();
/// let mut check = Length.begin(&head, SystemTime::now())?;
/// check.update(b"hel");
/// check.update(b"lo");
/// assert!(matches!(check.finish(&"hello".into()), Decision::Made(Ok(_))));
/// # Ok::<(), Rejection>(())
/// ```
pub trait Scheme: fmt::Debug + Send + Sync {
    /// The name of the scheme in records and logs, such as `"github"`.
    fn name(&self) -> &'static str;

    /// Judges the head and starts the check of the body.
    ///
    /// A scheme that tells stale from forged measures freshness by `now` here and reports it from
    /// [`Check::finish`], after the signature was found right.
    ///
    /// # Errors
    ///
    /// [`Rejection`] where the delivery can be refused without its body.
    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection>;

    /// Reads the names of a delivery whose check passed. Default: it has none.
    fn identify(&self, head: &Parts, body: &[u8]) -> Identity {
        let _ = (head, body);
        Identity::default()
    }

    /// The name of the key with this number, for records; never the key itself. Default: the number.
    fn key_id(&self, key: u32) -> Arc<str> {
        key.to_string().into()
    }

    /// Whether the user has named the key with this number. [`EnqueueService`](crate::EnqueueService)
    /// then stores the name with each job whose delivery it signed. Default: no.
    fn key_is_named(&self, key: u32) -> bool {
        let _ = key;
        false
    }

    /// The methods the sender uses; another one is refused with 405. Default: `POST` only.
    fn methods(&self) -> &'static [Method] {
        POST_ONLY
    }

    /// The longest body the sender sends, in bytes, unless the layer sets another limit. Default:
    /// 1 MiB.
    fn body_limit(&self) -> usize {
        DEFAULT_BODY_LIMIT
    }

    /// What the sender wants to hear once its delivery is stored. Default: 202 with the job's id.
    fn success(&self) -> Success {
        Success::job_id()
    }

    /// The status for a delivery that [is not authentic](Rejection::is_unauthentic), for a sender
    /// that drops events after a 4xx or insists on one. Default: the rejection's own, 401 or 400.
    fn refusal(&self) -> Option<StatusCode> {
        None
    }

    /// Answers a request that asks whether somebody is here and that nobody has signed. Default:
    /// there is no such request.
    ///
    /// [`VerifyLayer::answer_handshakes`](crate::VerifyLayer::answer_handshakes) asks before anything
    /// is verified, so the answer is for everybody. A request that is none, or shows a wrong token, is given back by
    /// `None` and goes on to verification.
    fn open_handshake(&self, head: &Parts) -> Option<Response<Bytes>> {
        let _ = head;
        None
    }

    /// Answers a request that asks whether somebody is here, after its signature was found right by
    /// the key with this number. Default: there is no such request.
    ///
    /// What is answered is not enqueued, so it must not be taken for more than it is: an event that
    /// merely holds a challenge is an event.
    fn signed_handshake(&self, key: u32, head: &Parts, body: &[u8]) -> Option<Response<Bytes>> {
        let _ = (key, head, body);
        None
    }
}

impl<S: Scheme + ?Sized> Scheme for Arc<S> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        (**self).begin(head, now)
    }

    fn identify(&self, head: &Parts, body: &[u8]) -> Identity {
        (**self).identify(head, body)
    }

    fn key_id(&self, key: u32) -> Arc<str> {
        (**self).key_id(key)
    }

    fn key_is_named(&self, key: u32) -> bool {
        (**self).key_is_named(key)
    }

    fn methods(&self) -> &'static [Method] {
        (**self).methods()
    }

    fn body_limit(&self) -> usize {
        (**self).body_limit()
    }

    fn success(&self) -> Success {
        (**self).success()
    }

    fn refusal(&self) -> Option<StatusCode> {
        (**self).refusal()
    }

    fn open_handshake(&self, head: &Parts) -> Option<Response<Bytes>> {
        (**self).open_handshake(head)
    }

    fn signed_handshake(&self, key: u32, head: &Parts, body: &[u8]) -> Option<Response<Bytes>> {
        (**self).signed_handshake(key, head, body)
    }
}

impl<S: Scheme + ?Sized> Scheme for Box<S> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        (**self).begin(head, now)
    }

    fn identify(&self, head: &Parts, body: &[u8]) -> Identity {
        (**self).identify(head, body)
    }

    fn key_id(&self, key: u32) -> Arc<str> {
        (**self).key_id(key)
    }

    fn key_is_named(&self, key: u32) -> bool {
        (**self).key_is_named(key)
    }

    fn methods(&self) -> &'static [Method] {
        (**self).methods()
    }

    fn body_limit(&self) -> usize {
        (**self).body_limit()
    }

    fn success(&self) -> Success {
        (**self).success()
    }

    fn refusal(&self) -> Option<StatusCode> {
        (**self).refusal()
    }

    fn open_handshake(&self, head: &Parts) -> Option<Response<Bytes>> {
        (**self).open_handshake(head)
    }

    fn signed_handshake(&self, key: u32, head: &Parts, body: &[u8]) -> Option<Response<Bytes>> {
        (**self).signed_handshake(key, head, body)
    }
}

const _: fn(Arc<dyn Scheme>) = |_| {};
const POST_ONLY: &[Method] = &[Method::POST];
pub(crate) const DEFAULT_BODY_LIMIT: usize = 1024 * 1024;
