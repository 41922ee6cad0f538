use std::sync::Arc;
use std::time::SystemTime;

use http::request::Parts;

use super::hmac::{Algorithm, Headers, HmacBuilder, HmacScheme};
use super::{Check, Identity, Scheme};
use crate::{ConfigError, Rejection};

/// GitHub and GitHub Enterprise: HMAC-SHA-256 over the body, in `X-Hub-Signature-256`
/// ([docs](https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries)).
///
/// The signature covers the body alone: no timestamp, and neither `X-GitHub-Delivery` nor
/// `X-GitHub-Event`. The recommended dedupe key is therefore the digest of the body, which a
/// redelivery repeats byte for byte. Form-encoded deliveries are signed, and kept, in their encoded
/// form. Bodies up to 25 MiB.
///
/// ```
/// use anvil_tower::{GitHub, VerifyLayer};
///
/// let layer = VerifyLayer::new("github", GitHub::new("It's a Secret to Everybody")?);
/// # let _ = layer;
/// # Ok::<(), anvil_tower::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct GitHub(HmacScheme);

impl GitHub {
    /// GitHub with one secret.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or can't be decoded.
    pub fn new(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::builder().secret(secret).build()
    }

    /// The settings of GitHub, without a secret.
    pub fn builder() -> HmacBuilder<Self> {
        HmacBuilder::new(
            "github",
            Headers::new("x-hub-signature-256")
                .id("x-github-delivery")
                .kind("x-github-event"),
            Self,
        )
        .tag("sha256=")
        .body_limit(BODY_LIMIT)
    }

    /// The settings of GitHub's old `X-Hub-Signature` with HMAC-SHA-1, without a secret.
    ///
    /// For old GitHub Enterprise servers only. A receiver that takes both headers is as strong as
    /// the weaker one, so this replaces the SHA-256 check and is never a fallback.
    pub fn legacy_sha1() -> HmacBuilder<Self> {
        HmacBuilder::new(
            "github-sha1",
            Headers::new("x-hub-signature")
                .id("x-github-delivery")
                .kind("x-github-event"),
            Self,
        )
        .algorithm(Algorithm::Sha1)
        .tag("sha1=")
        .body_limit(BODY_LIMIT)
    }
}

impl Scheme for GitHub {
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

const BODY_LIMIT: usize = 25 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{BODY, GITHUB, GITHUB_SHA1, SECRET, check, names};
    use sha2::{Digest, Sha256};

    const SIGNATURE: &str = "x-hub-signature-256";

    #[test]
    fn a_signed_body_passes_and_a_changed_one_does_not() {
        let scheme = GitHub::new(SECRET).unwrap();
        assert!(check(&scheme, &[(SIGNATURE, GITHUB)], BODY).is_ok());
        assert!(
            check(
                &scheme,
                &[("X-Hub-Signature-256", &GITHUB.replace("31e4", "31E4"))],
                BODY
            )
            .is_ok()
        );
        assert_eq!(
            check(&scheme, &[(SIGNATURE, GITHUB)], "{}"),
            Err("mismatch")
        );
    }

    #[test]
    fn junk_has_a_stable_cause() {
        let scheme = GitHub::new(SECRET).unwrap();
        let bare = GITHUB.strip_prefix("sha256=").unwrap();
        let twice = format!("{GITHUB},{GITHUB}");
        for (value, cause) in [
            ("", "missing_signature"),
            ("foo", "malformed_signature"),
            (bare, "malformed_signature"),
            (&twice, "malformed_signature"),
            (&GITHUB[..GITHUB.len() - 1], "malformed_signature"),
            ("sha256=", "malformed_signature"),
            (GITHUB_SHA1, "malformed_signature"),
            (
                "sha256=156404ad5f721c53151147f3d3d302329f95a3ab",
                "malformed_signature",
            ),
        ] {
            assert_eq!(
                check(&scheme, &[(SIGNATURE, value)], BODY),
                Err(cause),
                "{value}"
            );
        }
        assert_eq!(check(&scheme, &[], BODY), Err("missing_signature"));
    }

    #[test]
    fn two_different_signatures_are_refused_and_two_equal_ones_are_not() {
        let scheme = GitHub::new(SECRET).unwrap();
        let other = GITHUB.replace("31e4", "41e4");
        let conflicting = [(SIGNATURE, GITHUB), (SIGNATURE, &*other)];
        assert_eq!(
            check(&scheme, &conflicting, BODY),
            Err("conflicting_headers")
        );
        assert!(check(&scheme, &[(SIGNATURE, GITHUB), (SIGNATURE, GITHUB)], BODY).is_ok());
    }

    #[test]
    fn sha_1_is_taken_only_where_it_was_asked_for() {
        let header = [("x-hub-signature", GITHUB_SHA1)];
        assert_eq!(
            check(&GitHub::new(SECRET).unwrap(), &header, BODY),
            Err("missing_signature")
        );
        let legacy = GitHub::legacy_sha1().secret(SECRET).build().unwrap();
        assert!(check(&legacy, &header, BODY).is_ok());
        assert_eq!(
            check(&legacy, &[(SIGNATURE, GITHUB)], BODY),
            Err("missing_signature")
        );
    }

    #[test]
    fn the_unsigned_delivery_id_is_shown_and_does_not_name_the_delivery() {
        let headers = [
            (SIGNATURE, GITHUB),
            ("x-github-delivery", "72d3162e"),
            ("x-github-event", "push"),
        ];
        let (kind, id, part) = names(&GitHub::new(SECRET).unwrap(), &headers, BODY);
        assert_eq!(kind, "push");
        assert_eq!(id, Some(("72d3162e".into(), false)));
        assert_eq!(part, Sha256::digest(BODY).to_vec());
    }

    #[test]
    fn large_payloads_are_taken_as_documented() {
        assert_eq!(GitHub::new(SECRET).unwrap().body_limit(), 25 * 1024 * 1024);
    }
}
