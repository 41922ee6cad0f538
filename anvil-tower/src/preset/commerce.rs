use super::facts::hours;
use super::{Facts, Preset, Sample, Signing};
use crate::ConfigError;
use crate::hmac::{Encoding, Headers, HmacScheme};

pub(super) const LIST: &[&Facts] = &[Preset::SHOPIFY];

impl Preset {
    /// What is known of Shopify.
    pub const SHOPIFY: &'static Facts = &Facts {
        name: "shopify",
        title: "Shopify",
        sources: &["https://shopify.dev/docs/apps/build/webhooks/verify-deliveries"],
        signing: Signing::Hmac(|| {
            let headers = |prefix: &str| {
                Headers::new(format!("{prefix}shopify-hmac-sha256"))
                    .id(format!("{prefix}shopify-webhook-id"))
                    .kind(format!("{prefix}shopify-topic"))
            };
            HmacScheme::builder("shopify", headers("x-"))
                .or_headers(headers(""))
                .encoding(Encoding::Base64)
        }),
        retries_for: hours(4),
        sample: Sample {
            event: "orders/create",
            headers: &[("x-shopify-topic", "{event}")],
            body: r#"{"id":"{id}"}"#,
        },
        ..Facts::COMMON
    };

    /// Shopify: HMAC-SHA-256 over the body, base64 in `X-Shopify-Hmac-SHA256`
    /// ([docs](https://shopify.dev/docs/apps/build/webhooks/verify-deliveries)).
    ///
    /// The secret is the app's client secret; for up to an hour after a rotation Shopify still
    /// signs with the old one, so configure both. The signature covers the body alone: neither
    /// `X-Shopify-Webhook-Id` nor `X-Shopify-Topic`. The recommended dedupe key is therefore the
    /// digest of the body. The newer header names without `X-` are read as well.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn shopify(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::SHOPIFY.builder().secret(secret).build()
    }
}
