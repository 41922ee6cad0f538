use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use http::StatusCode;

use super::{
    Handshake, PresetBuilder, Sample, Settings, asymmetric, code, commerce, messaging, payments,
    platforms, work,
};
use crate::enqueue::Success;
use crate::hmac::HmacBuilder;
use crate::scheme::DEFAULT_BODY_LIMIT;
use crate::token::TokenBuilder;
use crate::{ConfigError, Scheme};

/// What is known of a sender, as data.
pub struct Facts {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) sources: &'static [&'static str],
    pub(crate) unconfirmed: &'static [&'static str],
    pub(crate) signing: Signing,
    pub(crate) retries_for: Duration,
    pub(crate) success: Success,
    pub(crate) refusal: Option<StatusCode>,
    pub(crate) body_limit: usize,
    pub(crate) handshake: Handshake,
    pub(crate) is_batch: bool,
    pub(crate) sample: Sample,
}

/// How a sender signs.
pub(crate) enum Signing {
    /// A scheme of its own, and what there is to say of it.
    Custom(
        fn(&Settings) -> Result<Box<dyn Scheme>, ConfigError>,
        fn() -> Described,
    ),
    /// The engine describes it.
    Hmac(fn() -> HmacBuilder),
    /// As for `Custom`, where a delivery names its key.
    #[cfg(any(feature = "jwt", feature = "rsa"))]
    NamedKeys(
        fn(&Settings) -> Result<Box<dyn Scheme>, ConfigError>,
        fn() -> Described,
    ),
    /// It sends a shared token.
    Token(fn() -> TokenBuilder),
}

impl Facts {
    /// What holds of a sender that says nothing else. `name`, `title`, `sources` and `signing` are
    /// always said.
    pub(crate) const COMMON: Self = Self {
        name: "",
        title: "",
        sources: &[],
        unconfirmed: &[],
        signing: Signing::Hmac(|| crate::hmac::HmacScheme::signed_in_body("", "")),
        retries_for: days(3),
        success: Success::job_id(),
        refusal: None,
        body_limit: DEFAULT_BODY_LIMIT,
        handshake: Handshake::NONE,
        is_batch: false,
        sample: Sample::JSON,
    };

    /// All senders that have a preset, by name.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        let lists = [
            asymmetric::LIST,
            code::LIST,
            commerce::LIST,
            messaging::LIST,
            payments::LIST,
            platforms::LIST,
            work::LIST,
        ];
        let mut all: Vec<_> = lists.concat();
        all.sort_by_key(|facts| facts.name);
        all.into_iter()
    }

    /// The sender with this name, such as `"stripe"`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().find(|facts| facts.name == name)
    }

    /// Starts a scheme for this sender.
    pub fn builder(&'static self) -> PresetBuilder {
        PresetBuilder::new(self)
    }

    /// The name in records, logs and on the command line: lower case, with dashes.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The name as the sender writes it.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// The pages on which the sender documents it, or the code that shows it.
    #[must_use]
    pub fn sources(&self) -> &'static [&'static str] {
        self.sources
    }

    /// What is taken for true without a source by the sender itself.
    #[must_use]
    pub fn unconfirmed(&self) -> &'static [&'static str] {
        self.unconfirmed
    }

    /// How it signs and names its deliveries, in words.
    #[must_use]
    pub fn described(&self) -> Described {
        match &self.signing {
            Signing::Custom(_, described) => described(),
            #[cfg(any(feature = "jwt", feature = "rsa"))]
            Signing::NamedKeys(_, described) => described(),
            Signing::Hmac(builder) => builder().described(),
            Signing::Token(builder) => builder().described(),
        }
    }

    /// The event type of a sample that names none.
    #[must_use]
    pub fn sample_event(&self) -> &'static str {
        self.sample.event
    }

    /// Whether [`Preset::sample`](super::Preset::sample) can make a delivery: not where the sender
    /// signs with a private key, in the body, or in a way of its own.
    #[must_use]
    pub fn has_sample(&self) -> bool {
        match &self.signing {
            Signing::Hmac(builder) => builder().can_sign(),
            _ => false,
        }
    }

    /// How long the sender tries again.
    #[must_use]
    pub fn retries_for(&self) -> Duration {
        self.retries_for
    }

    /// How long a delivery has to be remembered, so that none of its retries is taken for a new
    /// one: as long as the sender tries again, and three days at least.
    #[must_use]
    pub fn dedupe_window(&self) -> Duration {
        self.retries_for.max(days(3))
    }

    /// What the sender wants to hear once its delivery is stored.
    pub fn success(&self) -> Success {
        self.success
    }

    /// The status for a delivery that is not authentic, where it is not the usual one, 401 or 400:
    /// for senders that drop an event, or disable the endpoint, after a 4xx.
    #[must_use]
    pub fn refusal(&self) -> Option<StatusCode> {
        self.refusal
    }

    /// The longest body, in bytes.
    #[must_use]
    pub fn body_limit(&self) -> usize {
        self.body_limit
    }

    /// How the sender asks whether the endpoint is there, and what it is answered.
    #[must_use]
    pub fn handshake(&self) -> Option<&'static str> {
        Some(self.handshake.about).filter(|about| !about.is_empty())
    }

    /// Whether a request holds several events. It is one job; the handler splits it, and tells a
    /// repeated event by its own id.
    #[must_use]
    pub fn is_batch(&self) -> bool {
        self.is_batch
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Facts")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// How a sender signs and names its deliveries, in words.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Described {
    /// Such as `"HMAC-SHA-256, hex"`.
    pub algorithm: Cow<'static, str>,
    /// The headers that carry the signature, or where else it is.
    pub signature: Cow<'static, str>,
    /// What is signed, such as `"{timestamp}.{body}"`.
    pub signed_content: Cow<'static, str>,
    /// How old and how far ahead the signed timestamp may be; none where there is no such
    /// timestamp.
    pub tolerance: Option<(Duration, Duration)>,
    /// Where the id of a delivery is; empty where it has none.
    pub id: Cow<'static, str>,
    /// Whether the signature covers the id.
    pub id_is_signed: bool,
    /// Where the event type is; empty where there is none.
    pub kind: Cow<'static, str>,
    /// Whether the public URL of the endpoint has to be configured.
    pub needs_url: bool,
}

pub(crate) const fn hours(hours: u64) -> Duration {
    Duration::from_secs(hours * 60 * 60)
}

pub(crate) const fn days(days: u64) -> Duration {
    hours(days * 24)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_sender_has_a_name_of_its_own_a_title_and_a_source() {
        let mut names = BTreeSet::new();
        for facts in Facts::all() {
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(
                !facts.name.is_empty() && facts.name.chars().all(is_plain),
                "{facts:?}"
            );
            assert!(names.insert(facts.name), "{facts:?}");
            assert!(!facts.title.is_empty(), "{facts:?}");
            assert!(!facts.sources.is_empty(), "{facts:?}");
            assert!(
                facts
                    .sources
                    .iter()
                    .all(|source| source.starts_with("https://")),
                "{facts:?}"
            );
            let described = facts.described();
            assert!(
                !described.algorithm.is_empty() && !described.signature.is_empty(),
                "{facts:?}"
            );
        }
    }

    #[test]
    fn a_success_is_a_2xx_and_a_refusal_is_none() {
        for facts in Facts::all() {
            assert!(facts.success().status().is_success(), "{facts:?}");
            assert!(
                facts.refusal().is_none_or(|status| !status.is_success()),
                "{facts:?}"
            );
        }
    }
}
