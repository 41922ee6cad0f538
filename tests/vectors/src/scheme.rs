use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use anvil_tower::hmac::{Algorithm, Headers, HmacBuilder, HmacScheme, SecretEncoding};
use anvil_tower::preset::Facts;
use anvil_tower::public_key::{KeySource, KeySourceError};
use anvil_tower::{ConfigError, Scheme};
use async_trait::async_trait;
use bytes::Bytes;

use crate::Record;

/// Why a record has no scheme.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "whoever runs vectors has to look at each"
)]
pub enum Unbuilt {
    /// There is no preset of this name.
    NoPreset(String),
    /// The preset does not take the settings.
    Refused(ConfigError),
}

impl Record {
    /// The name of the preset that judges the request; none for the plain HMAC of
    /// `generic-hmac-hex`, and for scalr, which is described to the engine.
    #[must_use]
    pub fn preset(&self) -> Option<&str> {
        match (self.provider.as_str(), self.scheme.as_deref()) {
            (GENERIC | SCALR, _) => None,
            // HMAC-SHA-1 has to be asked for by name.
            ("github", Some("github-sha1")) => Some("github-sha1"),
            (provider, _) => Some(provider),
        }
    }

    /// The scheme of the receiver, with its secrets.
    ///
    /// # Errors
    ///
    /// [`Unbuilt`] says why there is none.
    pub fn scheme(&self) -> Result<Box<dyn Scheme>, Unbuilt> {
        let Some(name) = self.preset() else {
            return self.described();
        };
        let facts = Facts::named(name).ok_or_else(|| Unbuilt::NoPreset(name.to_owned()))?;
        let mut builder = facts.builder().allow_short_secret();
        for secret in self.all_secrets() {
            builder = builder.secret(secret);
        }
        if let Some(encoding) = self.encoding() {
            builder = builder.secret_encoding(encoding);
        }
        // Some sign no more of it than the request has.
        if let Some(url) = self.url.as_ref().filter(|_| facts.described().needs_url) {
            builder = builder.public_url(url);
        }
        if let Some(tolerance) = self.tolerance_secs.map(Duration::from_secs) {
            builder = builder.tolerate_past(tolerance).tolerate_future(tolerance);
        }
        if let Some(id) = &self.webhook_id {
            builder = builder.webhook_id(id);
        }
        if name == "aws-sns" {
            // The vectors are of many topics.
            builder = builder.insecure_any_topic();
        }
        if !self.certificates.is_empty() || !self.keys.is_empty() {
            builder = builder.key_source(Published::of(self));
        }
        Ok(Box::new(builder.build()?))
    }

    /// A sender without a preset.
    fn described(&self) -> Result<Box<dyn Scheme>, Unbuilt> {
        let mut builder = match self.scheme.as_deref() {
            Some("adnanh-sha1") => plain_hmac(Algorithm::Sha1, "sha1="),
            Some("adnanh-sha256" | "hmac-sha256") => plain_hmac(Algorithm::Sha256, "sha256="),
            Some("adnanh-sha512" | "hmac-sha512") => plain_hmac(Algorithm::Sha512, "sha512="),
            Some(SCALR) => HmacScheme::builder(SCALR, Headers::new("x-signature"))
                .algorithm(Algorithm::Sha1)
                .signed_content("{body}{header:date}"),
            other => {
                let name = format!("{}, {other:?}", self.provider);
                return Err(Unbuilt::NoPreset(name));
            }
        };
        for secret in self.all_secrets() {
            builder = builder.secret(secret);
        }
        Ok(Box::new(builder.allow_short_secret().build()?))
    }

    fn all_secrets(&self) -> impl Iterator<Item = &String> {
        self.secret.iter().chain(&self.secrets)
    }

    /// How the key is written, where it is not written in the one way that the preset knows by
    /// itself.
    fn encoding(&self) -> Option<SecretEncoding> {
        match self.secret_encoding.as_deref() {
            Some("base64") => Some(SecretEncoding::Base64),
            Some("verbatim") => Some(SecretEncoding::Verbatim),
            _ => None,
        }
    }
}

/// Bare digests, or digests behind the name of the hash, with commas between them.
fn plain_hmac(algorithm: Algorithm, tag: &str) -> HmacBuilder {
    HmacScheme::builder(GENERIC, Headers::new("x-signature"))
        .algorithm(algorithm)
        .separator(b',')
        .tag(tag)
        .tag_optional()
}

/// The keys that a record says the sender has published.
struct Published(HashMap<String, Bytes>);

impl Published {
    fn of(record: &Record) -> Self {
        let certificates = record.certificates.iter();
        let certificates = certificates.map(|(url, pem)| (url.clone(), pem.clone().into()));
        let keys = record.keys.iter();
        let keys = keys.map(|(id, key)| (id.clone(), key.to_string().into()));
        Self(certificates.chain(keys).collect())
    }
}

#[async_trait]
impl KeySource for Published {
    async fn key(&self, name: &str) -> Result<Option<Bytes>, KeySourceError> {
        Ok(self.0.get(name).cloned())
    }
}

impl From<ConfigError> for Unbuilt {
    fn from(error: ConfigError) -> Self {
        Self::Refused(error)
    }
}

impl fmt::Display for Unbuilt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPreset(name) => write!(f, "there is no preset {name}"),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

const GENERIC: &str = "generic-hmac-hex";
const SCALR: &str = "scalr";
