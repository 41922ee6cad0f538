use super::{Facts, Preset, Signing};
use crate::ConfigError;
use crate::hmac::{Encoding, Headers, HmacBuilder, HmacScheme, SecretEncoding};

pub(super) const LIST: &[&Facts] = &[Preset::STANDARD_WEBHOOKS];

impl Preset {
    /// What is known of senders that follow Standard Webhooks.
    pub const STANDARD_WEBHOOKS: &'static Facts = &Facts {
        name: "standard-webhooks",
        title: "Standard Webhooks",
        sources: &[
            "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md",
        ],
        signing: Signing::Hmac(|| {
            standard_webhooks("standard-webhooks").or_headers(standard_headers("svix"))
        }),
        ..Facts::COMMON
    };

    /// Standard Webhooks and Svix: HMAC-SHA-256 over `<id>.<timestamp>.<body>`, in
    /// `webhook-signature` or `svix-signature`
    /// ([specification](https://www.standardwebhooks.com)).
    ///
    /// The secret is `whsec_` and base64 of the key, and is decoded; the prefix may be missing.
    /// Only `v1` signatures count; there are several while a secret is rotated. Asymmetric `v1a`
    /// signatures are passed over, unless the secret is a public key, `whpk_` and base64: with the
    /// feature `ed25519` they are then the ones that count, and no `v1`. The id is signed and the same on every retry, so it is the
    /// recommended dedupe key. The kind is the `type` in the body.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes, can't be decoded or has white
    /// space around it.
    pub fn standard_webhooks(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::STANDARD_WEBHOOKS.builder().secret(secret).build()
    }
}

/// The settings that senders by this standard share, under the standard's own header names.
fn standard_webhooks(name: &'static str) -> HmacBuilder {
    HmacScheme::builder(name, standard_headers("webhook"))
        .secret_encoding(SecretEncoding::Whsec)
        .encoding(Encoding::Base64)
        .separator(b' ')
        .tag("v1,")
        .signed_content("{id}.{timestamp}.{body}")
        .kind_pointer("/type")
}

fn standard_headers(family: &str) -> Headers {
    Headers::new(format!("{family}-signature"))
        .timestamp(format!("{family}-timestamp"))
        .id(format!("{family}-id"))
}
