use std::sync::Arc;
use std::time::SystemTime;

use http::request::Parts;

use super::hmac::{Headers, HmacBuilder, HmacScheme};
use super::{Check, Identity, Scheme};
use crate::{ConfigError, Rejection};

/// Slack: HMAC-SHA-256 over `v0:<timestamp>:<body>`, in `X-Slack-Signature`
/// ([docs](https://docs.slack.dev/authentication/verifying-requests-from-slack)).
///
/// For events the recommended dedupe key is the `event_id` of the signed body and the kind is the
/// type of the inner event. Slash commands and interactions are form-encoded and have neither;
/// they are named by the digest of what was signed.
///
/// ```
/// use anvil_tower::{Slack, VerifyLayer};
///
/// let layer = VerifyLayer::new("slack", Slack::new("the signing secret of the app")?);
/// # let _ = layer;
/// # Ok::<(), anvil_tower::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct Slack(HmacScheme);

impl Slack {
    /// Slack with one secret.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or can't be decoded.
    pub fn new(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::builder().secret(secret).build()
    }

    /// The settings of Slack, without a secret.
    pub fn builder() -> HmacBuilder<Self> {
        HmacBuilder::new(
            "slack",
            Headers::new("x-slack-signature").timestamp("x-slack-request-timestamp"),
            Self,
        )
        .tag("v0=")
        .signed_content("v0:{timestamp}:{body}")
        .id_pointer("/event_id")
        .kind_pointer("/event/type")
    }
}

impl Scheme for Slack {
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
    use std::time::Duration;

    use crate::testing::{
        SECRET, SLACK, SLACK_BODY, SLACK_FORM, SLACK_FORM_SIGNATURE, check, check_at, head, names,
        signed_at,
    };
    use sha2::{Digest, Sha256};

    fn headers(signature: &str) -> [(&str, &str); 2] {
        [
            ("x-slack-signature", signature),
            ("x-slack-request-timestamp", "1767225600"),
        ]
    }

    #[test]
    fn events_and_forms_pass_and_changed_ones_do_not() {
        let scheme = Slack::new(SECRET).unwrap();
        assert!(check(&scheme, &headers(SLACK), SLACK_BODY).is_ok());
        assert!(check(&scheme, &headers(SLACK_FORM_SIGNATURE), SLACK_FORM).is_ok());
        assert_eq!(check(&scheme, &headers(SLACK), SLACK_FORM), Err("mismatch"));
        assert_eq!(
            check(&scheme, &headers("v0="), SLACK_FORM),
            Err("malformed_signature")
        );
        assert_eq!(
            check(&scheme, &headers("v1=00"), SLACK_FORM),
            Err("malformed_signature")
        );
        assert_eq!(
            check(&scheme, &headers("")[..1], SLACK_FORM),
            Err("missing_signature")
        );
        assert_eq!(
            check(&scheme, &headers(SLACK)[..1], SLACK_BODY),
            Err("missing_timestamp")
        );
        assert_eq!(
            check(&scheme, &headers(SLACK)[1..], SLACK_BODY),
            Err("missing_signature")
        );
    }

    #[test]
    fn five_minutes_are_fresh_and_a_second_more_is_stale() {
        let scheme = Slack::new(SECRET).unwrap();
        let at = |seconds| {
            let now = signed_at() + Duration::from_secs(seconds);
            check_at(&scheme, &head(&headers(SLACK)), SLACK_BODY.as_bytes(), now)
        };
        assert!(at(300).is_ok());
        assert_eq!(at(301), Err("stale"));
    }

    #[test]
    fn an_event_is_named_by_its_id_and_a_form_by_what_was_signed() {
        let scheme = Slack::new(SECRET).unwrap();
        let (kind, id, part) = names(&scheme, &headers(SLACK), SLACK_BODY);
        assert_eq!((kind.as_str(), id), ("message", Some(("Ev1".into(), true))));
        assert_eq!(part, b"Ev1");
        let (kind, id, part) = names(&scheme, &headers(SLACK_FORM_SIGNATURE), SLACK_FORM);
        assert_eq!((kind.as_str(), id), ("webhook", None));
        assert_eq!(
            part,
            Sha256::digest(format!("v0:1767225600:{SLACK_FORM}")).to_vec()
        );
    }
}
