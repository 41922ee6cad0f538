use super::{Facts, Preset, Signing};
use crate::ConfigError;
use crate::hmac::{Headers, HmacScheme};

pub(super) const LIST: &[&Facts] = &[Preset::STRIPE];

impl Preset {
    /// What is known of Stripe.
    pub const STRIPE: &'static Facts = &Facts {
        name: "stripe",
        title: "Stripe",
        sources: &["https://docs.stripe.com/webhooks/signature"],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("stripe", Headers::new("stripe-signature"))
                .separator(b',')
                .tag("v1=")
                .timestamp_tag("t=")
                .signed_content("{timestamp}.{body}")
                .id_pointer("/id")
                .kind_pointer("/type")
        }),
        ..Facts::COMMON
    };

    /// Stripe: HMAC-SHA-256 over `<t>.<body>`, in `Stripe-Signature`
    /// ([docs](https://docs.stripe.com/webhooks/signature)).
    ///
    /// The secret is the whole string, `whsec_` included, as shown; it is not decoded. Only `v1`
    /// signatures count, so the test-mode `v0` can't be used to get around them; there are several
    /// `v1` while a secret is rolled. Stripe renews timestamp and signature with each retry, so the
    /// recommended dedupe key is the event's `id`, read from the signed body. The kind is its
    /// `type`.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn stripe(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::STRIPE.builder().secret(secret).build()
    }
}
