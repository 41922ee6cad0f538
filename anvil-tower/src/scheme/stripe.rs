use std::sync::Arc;
use std::time::SystemTime;

use http::request::Parts;

use super::hmac::{Headers, HmacBuilder, HmacScheme};
use super::{Check, Identity, Scheme};
use crate::{ConfigError, Rejection};

/// Stripe: HMAC-SHA-256 over `<t>.<body>`, in `Stripe-Signature`
/// ([docs](https://docs.stripe.com/webhooks/signature)).
///
/// The secret is the whole string, `whsec_` included, as shown; it is not decoded. Only `v1`
/// signatures count, so the test-mode `v0` can't be used to get around them; there are several
/// `v1` while a secret is rolled. Stripe renews timestamp and signature with each retry, so the
/// recommended dedupe key is the event's `id`, read from the signed body. The kind is its `type`.
///
/// ```
/// use anvil_tower::{Stripe, VerifyLayer};
///
/// let scheme = Stripe::builder()
///     .named_secret("2026-03", "whsec_the_new_endpoint_secret")
///     .named_secret("2025-11", "whsec_the_old_endpoint_secret")
///     .build()?;
/// let layer = VerifyLayer::new("stripe", scheme);
/// # let _ = layer;
/// # Ok::<(), anvil_tower::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct Stripe(HmacScheme);

impl Stripe {
    /// Stripe with one secret.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or can't be decoded.
    pub fn new(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::builder().secret(secret).build()
    }

    /// The settings of Stripe, without a secret.
    pub fn builder() -> HmacBuilder<Self> {
        HmacBuilder::new("stripe", Headers::new("stripe-signature"), Self)
            .separator(b',')
            .tag("v1=")
            .timestamp_tag("t=")
            .signed_content("{timestamp}.{body}")
            .id_pointer("/id")
            .kind_pointer("/type")
    }
}

impl Scheme for Stripe {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    #[inline]
    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        self.0.begin(head, now)
    }

    fn identify(&self, head: &Parts, body: &[u8]) -> Identity {
        self.0.identify(head, body)
    }

    fn key_id(&self, key: u32) -> Arc<str> {
        self.0.key_id(key)
    }

    fn body_limit(&self) -> usize {
        self.0.body_limit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{BODY, SECRET, STRIPE, STRIPE_RETRY, check, names, signed_at};

    const SIGNATURE: &str = "stripe-signature";

    fn cause(value: &str) -> Result<(), &'static str> {
        check(&Stripe::new(SECRET).unwrap(), &[(SIGNATURE, value)], BODY).map(|_| ())
    }

    #[test]
    fn a_signed_event_passes_with_its_timestamp() {
        let proof = check(&Stripe::new(SECRET).unwrap(), &[(SIGNATURE, STRIPE)], BODY).unwrap();
        assert_eq!(proof.timestamp, Some(signed_at()));
        assert_eq!(
            check(&Stripe::new(SECRET).unwrap(), &[(SIGNATURE, STRIPE)], "{}"),
            Err("mismatch")
        );
    }

    #[test]
    fn a_good_v1_beside_bad_ones_passes_in_any_order() {
        let bad = "de".repeat(32);
        let (t, good) = STRIPE.split_once(',').unwrap();
        for value in [
            format!("{STRIPE},v1=bad_signature"),
            format!("{STRIPE},v1={bad}"),
            format!("{t},v1={bad},{good}"),
            format!("{good},{t},v0={bad}"),
            format!("{t}, {good}"),
        ] {
            assert_eq!(cause(&value), Ok(()), "{value}");
        }
        assert_eq!(cause(&format!("{t},v1={bad},v1={bad}")), Err("mismatch"));
    }

    #[test]
    fn a_good_digest_under_another_version_is_no_signature() {
        assert_eq!(
            cause(&STRIPE.replace("v1=", "v0=")),
            Err("malformed_signature")
        );
    }

    #[test]
    fn junk_has_a_stable_cause() {
        let (_, good) = STRIPE.split_once(',').unwrap();
        for (value, expected) in [
            ("", "missing_signature"),
            ("bad_header", "malformed_signature"),
            ("t", "malformed_signature"),
            (",,", "malformed_signature"),
            ("t,v1=,v0=", "malformed_signature"),
            (good, "missing_timestamp"),
            (&format!("t=,{good}"), "missing_timestamp"),
            (&format!("t=now,{good}"), "malformed_timestamp"),
            (&format!("t=-1,{good}"), "malformed_timestamp"),
            (&format!("t=1,t=2,{good}"), "malformed_timestamp"),
            (
                &format!("t=99999999999999999999,{good}"),
                "malformed_timestamp",
            ),
            (&format!("t=1767225601,{good}"), "mismatch"),
        ] {
            assert_eq!(cause(value), Err(expected), "{value}");
        }
    }

    #[test]
    fn an_event_signed_again_keeps_its_name() {
        let scheme = Stripe::new(SECRET).unwrap();
        let first = names(&scheme, &[(SIGNATURE, STRIPE)], BODY);
        assert_eq!(first.0, "invoice.paid");
        assert_eq!(first.1, Some(("evt_1".into(), true)));
        assert_eq!(first, names(&scheme, &[(SIGNATURE, STRIPE_RETRY)], BODY));
    }

    #[test]
    fn a_whsec_secret_is_used_as_it_is() {
        assert!(Stripe::new("whsec_not*base64*at*all").is_ok());
    }
}
