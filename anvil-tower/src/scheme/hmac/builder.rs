use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::HmacScheme;
use super::headers::Headers;
use super::keys::{Algorithm, Keys, Secret};
use super::secret::SecretEncoding;
use super::signatures::{Encoding, SignatureForm};
use super::template::Template;
use super::timestamp::{TimestampRule, TimestampUnit};
use crate::ConfigError;
use crate::json::JsonPointer;
use crate::scheme::DEFAULT_BODY_LIMIT;

/// Describes how a sender signs, and builds the scheme.
///
/// The builder of a preset, such as [`Stripe::builder`](crate::Stripe::builder), starts with the
/// sender's own settings as defaults.
///
/// Every setter takes whatever it is given; [`build`](Self::build) checks the whole.
#[must_use = "a description does nothing until it is built"]
pub struct HmacBuilder<S = HmacScheme> {
    name: &'static str,
    headers: Vec<Headers>,
    secrets: Vec<(Option<Arc<str>>, Vec<u8>)>,
    secret_encoding: SecretEncoding,
    allow_short_secret: bool,
    algorithm: Algorithm,
    form: SignatureForm,
    signed_content: String,
    timestamp: TimestampRule,
    id_pointer: Option<String>,
    kind_pointer: Option<String>,
    body_limit: usize,
    wrap: fn(HmacScheme) -> S,
}

impl<S> HmacBuilder<S> {
    pub(in crate::scheme) fn new(
        name: &'static str,
        headers: Headers,
        wrap: fn(HmacScheme) -> S,
    ) -> Self {
        Self {
            name,
            headers: vec![headers],
            secrets: Vec::new(),
            secret_encoding: SecretEncoding::default(),
            allow_short_secret: false,
            algorithm: Algorithm::default(),
            form: SignatureForm::default(),
            signed_content: "{body}".to_owned(),
            timestamp: TimestampRule {
                unit: TimestampUnit::default(),
                past: DEFAULT_TOLERANCE,
                future: DEFAULT_TOLERANCE,
            },
            id_pointer: None,
            kind_pointer: None,
            body_limit: DEFAULT_BODY_LIMIT,
            wrap,
        }
    }

    /// Adds a secret, as the sender shows it. Its id is its number, from `"0"`.
    ///
    /// While secrets are rotated there are two: a signature by any of them is accepted. Range: 1 to
    /// 8 secrets. Default: none, which is refused.
    pub fn secret(mut self, secret: impl AsRef<[u8]>) -> Self {
        self.secrets.push((None, secret.as_ref().to_vec()));
        self
    }

    /// Adds a secret under an id of its own, by which
    /// [`Verified::key_id`](crate::Verified::key_id) reports it.
    pub fn named_secret(mut self, id: impl Into<Arc<str>>, secret: impl AsRef<[u8]>) -> Self {
        self.secrets
            .push((Some(id.into()), secret.as_ref().to_vec()));
        self
    }

    /// Accepts keys under 16 bytes, which can be guessed offline from one captured delivery.
    /// Default: refused.
    pub fn allow_short_secret(mut self) -> Self {
        self.allow_short_secret = true;
        self
    }

    /// Sets how the key is written in the secret. Default: verbatim.
    pub fn secret_encoding(mut self, encoding: SecretEncoding) -> Self {
        self.secret_encoding = encoding;
        self
    }

    /// Sets the hash. Default: SHA-256.
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Sets how a signature is written. Default: hex.
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.form.encoding = encoding;
        self
    }

    /// Adds another set of header names. The first set whose signature header is there counts, and
    /// no two sets are mixed. Default: one set.
    pub fn or_headers(mut self, headers: Headers) -> Self {
        self.headers.push(headers);
        self
    }

    /// Sets what stands between the items of the signature header, an ASCII character. Spaces
    /// around an item are ignored. Default: the whole header is one item.
    pub fn separator(mut self, separator: u8) -> Self {
        self.form.separator = Some(separator);
        self
    }

    /// Adds a text that an item must start with to be a signature, such as `"v1="`; other items
    /// are passed over. Default: none, and every item is a signature.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.form.tags.push(tag.into());
        self
    }

    /// Takes an item without a tag as a signature too. Default: passed over.
    pub fn tag_optional(mut self) -> Self {
        self.form.tag_optional = true;
        self
    }

    /// Reads every line of a repeated signature header. Default: lines that differ are refused.
    pub fn repeated_headers(mut self) -> Self {
        self.form.repeated = true;
        self
    }

    /// Sets the text that the timestamp's item in the signature header starts with, such as
    /// `"t="`. Default: the timestamp is in a header of its own, or there is none.
    pub fn timestamp_tag(mut self, tag: impl Into<String>) -> Self {
        self.form.timestamp_tag = Some(tag.into());
        self
    }

    /// Sets the unit of the timestamp. Default: seconds.
    pub fn timestamp_unit(mut self, unit: TimestampUnit) -> Self {
        self.timestamp.unit = unit;
        self
    }

    /// Sets how old a signed timestamp may be, in whole units of the timestamp, the end included.
    /// `Duration::MAX` takes any age: for senders whose retries carry the first timestamp. Default:
    /// 300 s.
    pub fn tolerate_past(mut self, age: Duration) -> Self {
        self.timestamp.past = age;
        self
    }

    /// Sets how far ahead a signed timestamp may be, the end included. Default: 300 s.
    pub fn tolerate_future(mut self, lead: Duration) -> Self {
        self.timestamp.future = lead;
        self
    }

    /// Sets what is signed: text with `{id}`, `{timestamp}` and, exactly once, `{body}`. The values
    /// stand for the bytes that were received. Default: `"{body}"`.
    pub fn signed_content(mut self, template: impl Into<String>) -> Self {
        self.signed_content = template.into();
        self
    }

    /// Reads the id of the delivery from the body, by a JSON pointer
    /// ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)) to a text or a whole number. The body
    /// is signed, so the id is. Default: the id header, where there is one.
    pub fn id_pointer(mut self, pointer: impl Into<String>) -> Self {
        self.id_pointer = Some(pointer.into());
        self
    }

    /// Reads the event type from the body, by a JSON pointer. Default: the kind header, where
    /// there is one.
    pub fn kind_pointer(mut self, pointer: impl Into<String>) -> Self {
        self.kind_pointer = Some(pointer.into());
        self
    }

    /// Sets the longest body the sender sends, in bytes. A limit of the layer overrides it.
    /// Default: 1 MiB, or what the preset documents.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Builds the scheme.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] says what to change: no secret, more than 8, an empty, short or undecodable
    /// one, a name that can't be a header's, a template or JSON pointer that can't be read, or
    /// parts that don't fit together, such as a timestamp that is not signed.
    pub fn build(self) -> Result<S, ConfigError> {
        let template = Template::parse(&self.signed_content)?;
        let timestamp = self.timestamp_rule(&template)?;
        self.check_id(&template)?;
        let keys = Keys::new(self.algorithm, &self.keys()?).ok_or_else(|| {
            ConfigError::new("there is no secret; set the one the sender shows for this endpoint")
        })?;
        let pointer = |text: Option<String>| text.as_deref().map(JsonPointer::parse).transpose();
        Ok((self.wrap)(HmacScheme {
            name: self.name,
            header_sets: self
                .headers
                .iter()
                .map(Headers::compile)
                .collect::<Result<_, _>>()?,
            form: self.form,
            timestamp,
            template,
            keys,
            id_pointer: pointer(self.id_pointer)?,
            kind_pointer: pointer(self.kind_pointer)?,
            body_limit: self.body_limit,
        }))
    }

    fn keys(&self) -> Result<Vec<Secret>, ConfigError> {
        if self.secrets.len() > MAX_SECRETS {
            return Err(ConfigError::new(format!(
                "there are {} secrets; at most {MAX_SECRETS} are tried, so drop the oldest",
                self.secrets.len()
            )));
        }
        let mut keys = Vec::with_capacity(self.secrets.len());
        for (index, (id, secret)) in self.secrets.iter().enumerate() {
            let bytes = self.secret_encoding.decode(secret)?;
            if bytes.len() < MIN_KEY_LEN && !self.allow_short_secret {
                return Err(ConfigError::new(format!(
                    "the secret has {} bytes; use {MIN_KEY_LEN} or more, or accept it with allow_short_secret()",
                    bytes.len()
                )));
            }
            let id = id
                .as_ref()
                .map_or_else(|| index.to_string().into(), Arc::clone);
            keys.push(Secret { id, bytes });
        }
        Ok(keys)
    }

    fn timestamp_rule(&self, template: &Template) -> Result<Option<TimestampRule>, ConfigError> {
        let with_header = self
            .headers
            .iter()
            .filter(|set| set.has_timestamp())
            .count();
        let tagged = self.form.timestamp_tag.is_some();
        if with_header != 0 && (tagged || with_header != self.headers.len()) {
            return Err(ConfigError::new(
                "the timestamp is either in a header of every header set or under a tag in the signature header",
            ));
        }
        match (with_header != 0 || tagged, template.has_timestamp()) {
            (true, true) => Ok(Some(self.timestamp)),
            (false, false) => Ok(None),
            (true, false) => Err(ConfigError::new(
                "the timestamp is not signed, so anybody could renew it; add {timestamp} to the signed content or leave the timestamp out",
            )),
            (false, true) => Err(ConfigError::new(
                "the signed content has {timestamp}; say in which header or under which tag it is",
            )),
        }
    }

    fn check_id(&self, template: &Template) -> Result<(), ConfigError> {
        if template.has_id() && !self.headers.iter().all(Headers::has_id) {
            return Err(ConfigError::new(
                "the signed content has {id}; say in which header it is",
            ));
        }
        Ok(())
    }
}

impl<S> fmt::Debug for HmacBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HmacBuilder")
            .field("name", &self.name)
            .field("headers", &self.headers)
            .field("secrets", &self.secrets.len())
            .finish_non_exhaustive()
    }
}

const DEFAULT_TOLERANCE: Duration = Duration::from_secs(300);
const MAX_SECRETS: usize = 8;
const MIN_KEY_LEN: usize = 16;
