use std::sync::Arc;
use std::time::SystemTime;

use http::request::Parts;

use super::hmac::{Encoding, Headers, HmacBuilder, HmacScheme};
use super::{Check, Identity, Scheme};
use crate::{ConfigError, Rejection};

/// Shopify: HMAC-SHA-256 over the body, base64 in `X-Shopify-Hmac-SHA256`
/// ([docs](https://shopify.dev/docs/apps/build/webhooks/subscribe/https)).
///
/// The secret is the app's client secret; for up to an hour after a rotation Shopify still signs
/// with the old one, so configure both. The signature covers the body alone: neither
/// `X-Shopify-Webhook-Id` nor `X-Shopify-Topic`. The recommended dedupe key is therefore the digest
/// of the body. The newer header names without `X-` are read as well.
///
/// ```
/// use anvil_tower::{Shopify, VerifyLayer};
///
/// let layer = VerifyLayer::new("shop", Shopify::new("the client secret of the app")?);
/// # let _ = layer;
/// # Ok::<(), anvil_tower::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct Shopify(HmacScheme);

impl Shopify {
    /// Shopify with one secret.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or can't be decoded.
    pub fn new(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::builder().secret(secret).build()
    }

    /// The settings of Shopify, without a secret.
    pub fn builder() -> HmacBuilder<Self> {
        let headers = |prefix: &str| {
            Headers::new(format!("{prefix}shopify-hmac-sha256"))
                .id(format!("{prefix}shopify-webhook-id"))
                .kind(format!("{prefix}shopify-topic"))
        };
        HmacBuilder::new("shopify", headers("x-"), Self)
            .or_headers(headers(""))
            .encoding(Encoding::Base64)
    }
}

impl Scheme for Shopify {
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
    use crate::testing::{BODY, SECRET, SHOPIFY, check, names};
    use sha2::{Digest, Sha256};

    #[test]
    fn a_signed_body_passes_under_either_header_name() {
        let scheme = Shopify::new(SECRET).unwrap();
        for name in ["X-Shopify-Hmac-SHA256", "shopify-hmac-sha256"] {
            assert!(check(&scheme, &[(name, SHOPIFY)], BODY).is_ok());
            assert_eq!(check(&scheme, &[(name, SHOPIFY)], "{}"), Err("mismatch"));
            assert_eq!(
                check(&scheme, &[(name, "fake")], BODY),
                Err("malformed_signature")
            );
            assert_eq!(
                check(&scheme, &[(name, "")], BODY),
                Err("missing_signature")
            );
        }
        assert_eq!(check(&scheme, &[], BODY), Err("missing_signature"));
    }

    #[test]
    fn the_body_names_the_delivery_and_the_topic_is_its_kind() {
        let headers = [
            ("x-shopify-hmac-sha256", SHOPIFY),
            ("x-shopify-topic", "orders/create"),
            ("x-shopify-webhook-id", "b54557e4"),
        ];
        let (kind, id, part) = names(&Shopify::new(SECRET).unwrap(), &headers, BODY);
        assert_eq!(kind, "orders/create");
        assert_eq!(id, Some(("b54557e4".into(), false)));
        assert_eq!(part, Sha256::digest(BODY).to_vec());
    }
}
