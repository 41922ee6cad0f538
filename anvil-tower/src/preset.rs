//! Senders by name: what each signs, how, and what it expects.
//!
//! [`Preset::stripe`] and its like make a [`Scheme`] from nothing but the secret that the sender
//! shows. What they know of the sender is data, [`Facts`], which can be read and listed:
//!
//! ```
//! use anvil_tower::preset::{Facts, Preset};
//!
//! let paged: Vec<_> = Facts::all().filter(|facts| facts.name().contains("hub")).collect();
//! assert!(paged.iter().any(|facts| facts.name() == Preset::GITHUB.name()));
//! assert!(Facts::named("github").is_some());
//! ```
//!
//! For several secrets, another tolerance or a URL that the sender signs, start from the facts:
//!
//! ```
//! use anvil_tower::{Preset, VerifyLayer};
//!
//! let scheme = Preset::STRIPE
//!     .builder()
//!     .named_secret("2026-03", "whsec_the_new_endpoint_secret")
//!     .named_secret("2025-11", "whsec_the_old_endpoint_secret")
//!     .build()?;
//! let layer = VerifyLayer::new("stripe", scheme);
//! # let _ = layer;
//! # Ok::<(), anvil_tower::ConfigError>(())
//! ```
//!
//! # What is where
//!
//! One file for each line of business, and in it for each sender its facts, its constructor and its
//! place in the list. A sender that the [engine](crate::hmac) can't describe has a scheme in a file
//! of its own.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, Uri};

use crate::enqueue::Success;
use crate::hmac::HmacScheme;
use crate::{Check, ConfigError, Identity, Rejection, Scheme};

mod adyen;
mod asymmetric;
#[cfg(feature = "rsa")]
mod aws_sns;
mod builder;
mod code;
mod commerce;
mod contentful;
mod facts;
mod handshake;
mod hook0;
mod mailgun;
mod messaging;
mod payments;
#[cfg(feature = "rsa")]
mod paypal;
#[cfg(feature = "jwt")]
mod plaid;
mod platforms;
mod sample;
mod twilio;
mod work;

#[cfg(feature = "rsa")]
#[cfg_attr(docsrs, doc(cfg(feature = "rsa")))]
pub use aws_sns::SubscriptionConfirmation;
pub use builder::PresetBuilder;
pub(crate) use builder::Settings;
pub(crate) use facts::Signing;
pub use facts::{Described, Facts};
pub(crate) use handshake::{Handshake, Needs};
pub(crate) use sample::Sample;

/// A sender by name, with its secrets; see the [module docs](self).
///
/// `Debug` shows the name and the ids of the keys, never a secret.
pub struct Preset {
    facts: &'static Facts,
    scheme: Built,
    body_limit: usize,
    handshake_token: Option<Box<str>>,
    adopt: Option<Adopt>,
}

/// Whether a secret that nobody has signed for is taken.
pub(crate) type Adopt = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// The engine without an indirection, since nearly all senders are described by it.
#[expect(
    clippy::large_enum_variant,
    reason = "a preset is built once and stays where it is"
)]
pub(crate) enum Built {
    Custom(Box<dyn Scheme>),
    Hmac(HmacScheme),
}

impl Preset {
    /// What is known of the sender.
    #[must_use]
    pub fn facts(&self) -> &'static Facts {
        self.facts
    }

    /// A signed delivery as the sender might make it, for tests and local work.
    ///
    /// `event` is the event type and `id` names the delivery; both are put into a sample of the
    /// sender's own form as they are. The request is to `/`; [`sample_to`](Self::sample_to) makes
    /// one to another target.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the sender signs with a private key or in the body, or where `event`
    /// or `id` is no plain name.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use anvil_tower::Preset;
    ///
    /// let github = Preset::github("a secret of 16 bytes or more")?;
    /// let request = github.sample("push", "1", SystemTime::now())?;
    /// assert!(request.headers().contains_key("x-hub-signature-256"));
    /// # Ok::<(), anvil_tower::ConfigError>(())
    /// ```
    pub fn sample(
        &self,
        event: &str,
        id: &str,
        now: SystemTime,
    ) -> Result<Request<Bytes>, ConfigError> {
        self.sample_to(&Uri::from_static("/"), event, id, now)
    }

    /// The same to this target, for a sender that signs the path or the query.
    ///
    /// # Errors
    ///
    /// As for [`sample`](Self::sample).
    pub fn sample_to(
        &self,
        target: &Uri,
        event: &str,
        id: &str,
        now: SystemTime,
    ) -> Result<Request<Bytes>, ConfigError> {
        let Built::Hmac(scheme) = &self.scheme else {
            return Err(ConfigError::new(format!(
                "{} signs in a way that is not imitated here",
                self.facts.name
            )));
        };
        let (mut head, body) = self.facts.sample.request(event, id, now)?.into_parts();
        head.uri = target.clone();
        scheme.sign(&mut head, &body, id, now)?;
        Ok(Request::from_parts(head, body))
    }

    /// The engine with the sender's keys, where it signs with a shared secret.
    pub(crate) fn hmac(&self) -> Option<&HmacScheme> {
        match &self.scheme {
            Built::Custom(_) => None,
            Built::Hmac(scheme) => Some(scheme),
        }
    }

    /// The token that an unsigned handshake has to show.
    pub(crate) fn handshake_token(&self) -> Option<&str> {
        self.handshake_token.as_deref()
    }

    /// Whether the user takes the secret that an unsigned handshake brings.
    pub(crate) fn adopts(&self, secret: &str) -> bool {
        self.adopt.as_ref().is_some_and(|adopt| adopt(secret))
    }
}

impl Scheme for Preset {
    fn name(&self) -> &'static str {
        self.facts.name()
    }

    #[inline]
    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        match &self.scheme {
            Built::Custom(scheme) => scheme.begin(head, now),
            Built::Hmac(scheme) => scheme.begin(head, now),
        }
    }

    fn identify(&self, head: &Parts, body: &[u8]) -> Identity {
        match &self.scheme {
            Built::Custom(scheme) => scheme.identify(head, body),
            Built::Hmac(scheme) => scheme.identify(head, body),
        }
    }

    fn key_id(&self, key: u32) -> Arc<str> {
        match &self.scheme {
            Built::Custom(scheme) => scheme.key_id(key),
            Built::Hmac(scheme) => scheme.key_id(key),
        }
    }

    fn key_is_named(&self, key: u32) -> bool {
        match &self.scheme {
            Built::Custom(scheme) => scheme.key_is_named(key),
            Built::Hmac(scheme) => scheme.key_is_named(key),
        }
    }

    fn methods(&self) -> &'static [Method] {
        match &self.scheme {
            Built::Custom(scheme) => scheme.methods(),
            Built::Hmac(scheme) => scheme.methods(),
        }
    }

    fn body_limit(&self) -> usize {
        self.body_limit
    }

    fn success(&self) -> Success {
        self.facts.success()
    }

    fn refusal(&self) -> Option<StatusCode> {
        self.facts.refusal()
    }

    fn open_handshake(&self, head: &Parts) -> Option<Response<Bytes>> {
        (self.facts.handshake.open)(self, head)
    }

    fn signed_handshake(&self, key: u32, head: &Parts, body: &[u8]) -> Option<Response<Bytes>> {
        (self.facts.handshake.signed)(self, key, head, body)
    }
}

impl fmt::Debug for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.scheme {
            Built::Custom(scheme) => f.debug_tuple("Preset").field(scheme).finish(),
            Built::Hmac(scheme) => f.debug_tuple("Preset").field(scheme).finish(),
        }
    }
}

#[cfg(test)]
mod tests;
