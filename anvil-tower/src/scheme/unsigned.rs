use std::sync::Arc;
use std::time::SystemTime;

use http::request::Parts;

use super::{Check, Proof, Scheme};
use crate::Rejection;

/// Accepts every delivery without a check: one of the two doors around verification.
///
/// For senders that can't sign and are kept out by other means, such as a network or mutual TLS.
/// Everybody who can reach the route can then enqueue. Building one logs a warning with the
/// reason, so that it is found in review and in the log.
///
/// ```
/// use anvil_tower::{Unsigned, VerifyLayer};
///
/// let layer = VerifyLayer::new("meter", Unsigned::accept_unverified("reachable from the plant network only"));
/// # let _ = layer;
/// ```
#[derive(Clone, Debug)]
pub struct Unsigned {
    reason: &'static str,
}

impl Unsigned {
    /// Accepts everything, for this reason.
    #[must_use]
    pub fn accept_unverified(reason: &'static str) -> Self {
        tracing::warn!(reason, "deliveries are accepted without verification");
        Self { reason }
    }

    /// Why nothing is verified.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        self.reason
    }
}

impl Scheme for Unsigned {
    fn name(&self) -> &'static str {
        "unverified"
    }

    fn begin(&self, _head: &Parts, _now: SystemTime) -> Result<Check, Rejection> {
        Ok(Check::whole_body(|_| Ok(Proof::new(0))))
    }

    fn key_id(&self, _key: u32) -> Arc<str> {
        "unverified".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Decision;

    #[test]
    fn everything_passes_and_is_marked_as_unverified() {
        let scheme = Unsigned::accept_unverified("test");
        let (head, ()) = http::Request::post("/").body(()).unwrap().into_parts();
        let mut check = scheme.begin(&head, SystemTime::now()).unwrap();
        check.update(b"anything");
        let decision = check.finish(&"anything".into());
        assert!(matches!(decision, Decision::Made(Ok(proof)) if proof == Proof::new(0)));
        assert_eq!(
            (scheme.name(), &*scheme.key_id(0)),
            ("unverified", "unverified")
        );
    }
}
