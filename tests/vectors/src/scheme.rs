use std::fmt;
use std::time::Duration;

use anvil_tower::hmac::{Algorithm, Headers, HmacScheme, SecretEncoding};
use anvil_tower::preset::Facts;
use anvil_tower::{ConfigError, Scheme};

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
    /// `generic-hmac-hex`.
    #[must_use]
    pub fn preset(&self) -> Option<&str> {
        match (self.provider.as_str(), self.scheme.as_deref()) {
            (GENERIC, _) => None,
            // HMAC-SHA-1 has to be asked for by name.
            ("github", Some("github-sha1")) => Some("github-sha1"),
            // As has the signature with a key pair.
            ("standard-webhooks", _)
                if self.secret_encoding.as_deref() == Some("whpk_base64_ed25519") =>
            {
                Some("standard-webhooks-ed25519")
            }
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
            return self.plain_hmac();
        };
        let facts = Facts::named(name).ok_or_else(|| Unbuilt::NoPreset(name.to_owned()))?;
        let mut builder = facts.builder().allow_short_secret();
        for secret in self.all_secrets() {
            builder = builder.secret(secret);
        }
        if let Some(encoding) = self.encoding() {
            builder = builder.secret_encoding(encoding);
        }
        if let Some(url) = &self.url {
            builder = builder.public_url(url);
        }
        if let Some(tolerance) = self.tolerance_secs.map(Duration::from_secs) {
            builder = builder.tolerate_past(tolerance).tolerate_future(tolerance);
        }
        Ok(Box::new(builder.build()?))
    }

    /// Bare digests, or digests behind the name of the hash, with commas between them.
    fn plain_hmac(&self) -> Result<Box<dyn Scheme>, Unbuilt> {
        let (algorithm, tag) = match self.scheme.as_deref() {
            Some("adnanh-sha1") => (Algorithm::Sha1, "sha1="),
            Some("adnanh-sha256" | "hmac-sha256") => (Algorithm::Sha256, "sha256="),
            Some("adnanh-sha512" | "hmac-sha512") => (Algorithm::Sha512, "sha512="),
            other => return Err(Unbuilt::NoPreset(format!("{GENERIC}, {other:?}"))),
        };
        let mut builder = HmacScheme::builder(GENERIC, Headers::new("x-signature"))
            .algorithm(algorithm)
            .separator(b',')
            .tag(tag)
            .tag_optional()
            .allow_short_secret();
        for secret in self.all_secrets() {
            builder = builder.secret(secret);
        }
        Ok(Box::new(builder.build()?))
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
