use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::{Adopt, Built, Facts, Needs, Preset, Signing};
use crate::ConfigError;
#[cfg(feature = "ed25519")]
use crate::hmac::Encoding;
use crate::hmac::{HmacBuilder, SecretEncoding, Secrets};
#[cfg(any(feature = "jwt", feature = "rsa"))]
use crate::public_key::KeySource;
#[cfg(feature = "ed25519")]
use crate::scheme::public_key::PublicKeyAlgorithm;

/// Builds a [`Preset`]: the sender's own settings, and what only the user can know.
///
/// Every setter takes whatever it is given; [`build`](Self::build) checks the whole.
#[must_use = "a preset does nothing until it is built"]
pub struct PresetBuilder {
    facts: &'static Facts,
    settings: Settings,
}

/// What the user has set; the rest is the sender's.
///
/// No `Debug`: it holds secrets in the clear.
#[derive(Default)]
pub(crate) struct Settings {
    pub(crate) secrets: Secrets,
    pub(crate) secret_encoding: Option<SecretEncoding>,
    pub(crate) past: Option<Duration>,
    pub(crate) future: Option<Duration>,
    pub(crate) public_url: Option<String>,
    pub(crate) handshake_token: Option<Box<str>>,
    adopt: Option<Adopt>,
    #[cfg(any(feature = "jwt", feature = "rsa"))]
    pub(crate) keys: Vec<(String, Vec<u8>)>,
    #[cfg(any(feature = "jwt", feature = "rsa"))]
    pub(crate) key_source: Option<Arc<dyn KeySource>>,
    #[cfg(feature = "rsa")]
    pub(crate) webhook_id: Option<String>,
    #[cfg(feature = "rsa")]
    pub(crate) topics: Vec<String>,
    #[cfg(feature = "rsa")]
    pub(crate) any_topic: bool,
    body_limit: Option<usize>,
}

#[cfg(any(feature = "jwt", feature = "rsa"))]
impl Settings {
    /// Refuses what is of no use to a sender whose deliveries name their keys.
    pub(crate) fn check_named_keys(&self, name: &str) -> Result<(), ConfigError> {
        let unused = if self.secrets.any(|_| true) || self.secret_encoding.is_some() {
            "a secret"
        } else if self.public_url.is_some() {
            "a public URL"
        } else if self.handshake_token.is_some() {
            "a handshake token"
        } else {
            return Ok(());
        };
        Err(ConfigError::new(format!(
            "{name} has no use for {unused}; leave it out"
        )))
    }

    /// Refuses keys by name for a sender that has none, and what else only such senders have.
    fn check_no_named_keys(&self, name: &str) -> Result<(), ConfigError> {
        let has_keys = !self.keys.is_empty() || self.key_source.is_some();
        #[cfg(feature = "rsa")]
        let has_keys = has_keys || self.has_webhook_id() || self.has_topics();
        if has_keys {
            return Err(ConfigError::new(format!(
                "{name} has no use for certificates, keys by id, a key source, a webhook id or topics; leave them out"
            )));
        }
        Ok(())
    }

    #[cfg(feature = "rsa")]
    pub(crate) fn has_webhook_id(&self) -> bool {
        self.webhook_id.is_some()
    }

    #[cfg(feature = "rsa")]
    pub(crate) fn has_topics(&self) -> bool {
        self.any_topic || !self.topics.is_empty()
    }
}

impl PresetBuilder {
    pub(super) fn new(facts: &'static Facts) -> Self {
        Self {
            facts,
            settings: Settings::default(),
        }
    }

    /// Adds a secret, as the sender shows it. Its id is its number, from `"0"`.
    ///
    /// While secrets are rotated there are two: a signature by any of them is accepted. Range: 1 to
    /// 8 secrets. Default: none, which is refused.
    pub fn secret(mut self, secret: impl AsRef<[u8]>) -> Self {
        self.settings.secrets.push(None, secret.as_ref(), None);
        self
    }

    /// Adds a secret under an id of its own, by which
    /// [`Verified::key_id`](crate::Verified::key_id) reports it.
    pub fn named_secret(mut self, id: impl Into<Arc<str>>, secret: impl AsRef<[u8]>) -> Self {
        let secrets = &mut self.settings.secrets;
        secrets.push(Some(id.into()), secret.as_ref(), None);
        self
    }

    /// Adds a secret under an id of its own that is accepted until `end`, the end excluded. From
    /// then on a delivery signed with it is refused as [`Expired`](crate::RejectionKind::Expired).
    pub fn expiring_secret(
        mut self,
        id: impl Into<Arc<str>>,
        secret: impl AsRef<[u8]>,
        end: SystemTime,
    ) -> Self {
        let secrets = &mut self.settings.secrets;
        secrets.push(Some(id.into()), secret.as_ref(), Some(end));
        self
    }

    /// Accepts keys under 16 bytes, which can be guessed offline from one captured delivery.
    /// Default: refused.
    pub fn allow_short_secret(mut self) -> Self {
        self.settings.secrets.allow_short();
        self
    }

    /// Sets how the key is written in the secret. Default: the sender's way.
    pub fn secret_encoding(mut self, encoding: SecretEncoding) -> Self {
        self.settings.secret_encoding = Some(encoding);
        self
    }

    /// Sets how old a signed timestamp may be; `Duration::MAX` takes any age. Default: the sender's
    /// tolerance, 300 s where it documents none.
    pub fn tolerate_past(mut self, age: Duration) -> Self {
        self.settings.past = Some(age);
        self
    }

    /// Sets how far ahead a signed timestamp may be. Default: as for the past.
    pub fn tolerate_future(mut self, lead: Duration) -> Self {
        self.settings.future = Some(lead);
        self
    }

    /// Sets the URL of the endpoint as the sender has it, for a sender that signs it. A URL without
    /// a path gets that of the request, and one without a query the request's query. Default: none,
    /// which is refused where the URL is signed.
    ///
    /// Scheme and host are never taken from the request, nor from a forwarded header.
    pub fn public_url(mut self, url: impl Into<String>) -> Self {
        self.settings.public_url = Some(url.into());
        self
    }

    /// Sets the token that an unsigned handshake has to show, such as the "verify token" of Meta.
    /// Default: none, and such a handshake is refused.
    pub fn handshake_token(mut self, token: impl Into<Box<str>>) -> Self {
        self.settings.handshake_token = Some(token.into());
        self
    }

    /// Answers an unsigned handshake that brings a secret, as that of Asana does, where `adopt` takes
    /// the secret. Default: none, and such a handshake is refused.
    ///
    /// Nobody has signed it: whoever knows the URL can offer a secret at any time. Answering does no
    /// harm by itself, since the scheme goes on verifying by the secrets that it was built with, but
    /// a secret that is kept because it was offered lets whoever offered it sign. So say yes only
    /// while your own call that creates the webhook is under way, don't take a second secret, and,
    /// where the sender repeats the secret in its answer to that call, take it from there, which
    /// nobody else can write. Then build the scheme anew with it.
    pub fn adopt_secret(mut self, adopt: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.settings.adopt = Some(Box::new(adopt));
        self
    }

    /// Adds a certificate in PEM, for the URL under which the sender's deliveries name it: the
    /// signature is then verified without a key source. The first certificate in the PEM counts.
    /// Default: none.
    #[cfg(feature = "rsa")]
    #[cfg_attr(docsrs, doc(cfg(feature = "rsa")))]
    pub fn certificate(mut self, url: impl Into<String>, pem: impl AsRef<[u8]>) -> Self {
        let pem = pem.as_ref().to_vec();
        self.settings.keys.push((url.into(), pem));
        self
    }

    /// Adds a public key as a JWK, under its key id. Default: none.
    #[cfg(feature = "jwt")]
    #[cfg_attr(docsrs, doc(cfg(feature = "jwt")))]
    pub fn key(mut self, id: impl Into<String>, jwk: impl AsRef<[u8]>) -> Self {
        let jwk = jwk.as_ref().to_vec();
        self.settings.keys.push((id.into(), jwk));
        self
    }

    /// Sets who is asked for the certificates and keys that were not given. Default: nobody, and a
    /// delivery that names such a one is refused.
    #[cfg(any(feature = "jwt", feature = "rsa"))]
    #[cfg_attr(docsrs, doc(cfg(any(feature = "jwt", feature = "rsa"))))]
    pub fn key_source(mut self, source: impl KeySource + 'static) -> Self {
        self.settings.key_source = Some(Arc::new(source));
        self
    }

    /// Sets the id of the webhook at PayPal, which is part of what is signed. Default: none, which
    /// is refused.
    #[cfg(feature = "rsa")]
    #[cfg_attr(docsrs, doc(cfg(feature = "rsa")))]
    pub fn webhook_id(mut self, id: impl Into<String>) -> Self {
        self.settings.webhook_id = Some(id.into());
        self
    }

    /// Adds the ARN of an Amazon SNS topic whose messages are accepted. Default: none, which is
    /// refused.
    #[cfg(feature = "rsa")]
    #[cfg_attr(docsrs, doc(cfg(feature = "rsa")))]
    pub fn topic(mut self, arn: impl Into<String>) -> Self {
        self.settings.topics.push(arn.into());
        self
    }

    /// Accepts messages of every Amazon SNS topic. Anybody can have Amazon sign a message, in a
    /// topic of their own, so the handler then has to check the topic. Default: refused.
    #[cfg(feature = "rsa")]
    #[cfg_attr(docsrs, doc(cfg(feature = "rsa")))]
    pub fn insecure_any_topic(mut self) -> Self {
        self.settings.any_topic = true;
        self
    }

    /// Sets the longest body, in bytes. A limit of the layer overrides it. Default: what the sender
    /// documents, else 1 MiB.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.settings.body_limit = Some(bytes);
        self
    }

    /// Builds the scheme.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] says what to change: no secret, more than 8, an empty, short or undecodable
    /// one or one with white space around it, or a setting that this sender has no use for or can't
    /// do without.
    pub fn build(self) -> Result<Preset, ConfigError> {
        let Self { facts, settings } = self;
        settings.check_handshake(facts)?;
        #[cfg(any(feature = "jwt", feature = "rsa"))]
        if !matches!(facts.signing, Signing::NamedKeys(..)) {
            settings.check_no_named_keys(facts.name())?;
        }
        settings.check_use(facts)?;
        let scheme = match facts.signing {
            #[cfg(any(feature = "jwt", feature = "rsa"))]
            Signing::NamedKeys(build, _) => {
                settings.check_named_keys(facts.name())?;
                Built::Custom(build(&settings)?)
            }
            Signing::Custom(build, _) => Built::Custom(build(&settings)?),
            Signing::Hmac(builder) => hmac(builder().settings(&settings))?,
            Signing::Token(builder) => {
                Built::Custom(Box::new(builder().settings(&settings).build()?))
            }
        };
        Ok(Preset {
            facts,
            scheme,
            body_limit: settings.body_limit.unwrap_or(facts.body_limit),
            handshake_token: settings.handshake_token,
            adopt: settings.adopt,
        })
    }
}

/// The engine, or its likeness with public keys where the user has set such ones.
fn hmac(builder: HmacBuilder) -> Result<Built, ConfigError> {
    #[cfg(feature = "ed25519")]
    if builder.has_standard_public_key() {
        let algorithm = PublicKeyAlgorithm::Ed25519(Encoding::Base64);
        let scheme = builder.standard_public_keys().build_public(algorithm)?;
        return Ok(Built::Custom(Box::new(scheme)));
    }
    Ok(Built::Hmac(builder.build()?))
}

impl Settings {
    /// Refuses a setting that changes nothing, since whoever made it expects that it does.
    fn check_use(&self, facts: &Facts) -> Result<(), ConfigError> {
        let described = facts.described();
        let is_timed = described.tolerance.is_some();
        let what = if !is_timed && (self.past.is_some() || self.future.is_some()) {
            "signs no timestamp, so a tolerance"
        } else if !described.needs_url && self.public_url.is_some() {
            "does not sign the URL, so a public URL"
        } else {
            return Ok(());
        };
        Err(ConfigError::new(format!(
            "{} {what} changes nothing; leave it out",
            facts.name
        )))
    }

    /// A setting that no handshake of the sender has a use for is refused.
    fn check_handshake(&self, facts: &Facts) -> Result<(), ConfigError> {
        let (needs, title) = (facts.handshake.needs, facts.title);
        let message = if self.handshake_token.is_some() && needs != Needs::Token {
            format!("no handshake of {title} shows a token; leave handshake_token out")
        } else if self.handshake_token.as_deref() == Some("") {
            "the handshake token is empty; set the one that was given to the sender".into()
        } else if self.adopt.is_some() && needs != Needs::Adoption {
            format!("no handshake of {title} brings a secret; leave adopt_secret out")
        } else {
            return Ok(());
        };
        Err(ConfigError::new(message))
    }
}

impl fmt::Debug for PresetBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PresetBuilder")
            .field("name", &self.facts.name())
            .field("secrets", &self.settings.secrets.len())
            .finish_non_exhaustive()
    }
}
