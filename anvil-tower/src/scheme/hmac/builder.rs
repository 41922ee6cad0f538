use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::headers::{Expected, Headers};
use super::keys::{Algorithm, Keys};
use super::public_url::PublicUrl;
use super::secret::{SecretEncoding, Secrets};
use super::signatures::{Encoding, SignatureForm};
use super::template::Template;
use super::timestamp::{TimestampRule, TimestampUnit};
use super::{HmacScheme, Source};
use crate::ConfigError;
use crate::json::JsonPointer;
use crate::preset::{Described, Settings};
use crate::scheme::DEFAULT_BODY_LIMIT;
#[cfg(any(feature = "ecdsa", feature = "ed25519"))]
use crate::scheme::public_key::{PublicKeyAlgorithm, PublicKeyScheme};

/// Describes how a sender signs, and builds the scheme.
///
/// Every setter takes whatever it is given; [`build`](Self::build) checks the whole.
#[must_use = "a description does nothing until it is built"]
pub struct HmacBuilder {
    name: &'static str,
    place: Place,
    secrets: Secrets,
    secret_encoding: SecretEncoding,
    algorithm: Algorithm,
    form: SignatureForm,
    signed_content: String,
    payload_is_not_signed: bool,
    timestamp: TimestampRule,
    timestamp_pointer: Option<String>,
    public_url: Option<String>,
    expected_headers: Vec<(String, String)>,
    escaped_body: bool,
    /// Whether a tolerance was set, which means nothing without a timestamp.
    tolerates: bool,
    id_pointer: Option<String>,
    kind_pointers: Vec<String>,
    body_limit: usize,
}

/// Where the signature is.
#[derive(Debug)]
pub(super) enum Place {
    Body(String),
    Headers(Vec<Headers>),
}

impl HmacBuilder {
    pub(super) fn new(name: &'static str, place: Place) -> Self {
        Self {
            name,
            place,
            secrets: Secrets::default(),
            secret_encoding: SecretEncoding::default(),
            algorithm: Algorithm::default(),
            form: SignatureForm::default(),
            signed_content: String::new(),
            payload_is_not_signed: false,
            timestamp: TimestampRule {
                unit: TimestampUnit::default(),
                past: DEFAULT_TOLERANCE,
                future: DEFAULT_TOLERANCE,
            },
            timestamp_pointer: None,
            public_url: None,
            expected_headers: Vec::new(),
            escaped_body: false,
            tolerates: false,
            id_pointer: None,
            kind_pointers: Vec::new(),
            body_limit: DEFAULT_BODY_LIMIT,
        }
    }

    /// Adds a secret, as the sender shows it. Its id is its number, from `"0"`.
    ///
    /// While secrets are rotated there are two: a signature by any of them is accepted. Range: 1 to
    /// 8 secrets. Default: none, which is refused.
    pub fn secret(mut self, secret: impl AsRef<[u8]>) -> Self {
        self.secrets.push(None, secret.as_ref(), None);
        self
    }

    /// Adds a secret under an id of its own, by which
    /// [`Verified::key_id`](crate::Verified::key_id) reports it.
    pub fn named_secret(mut self, id: impl Into<Arc<str>>, secret: impl AsRef<[u8]>) -> Self {
        self.secrets.push(Some(id.into()), secret.as_ref(), None);
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
        self.secrets
            .push(Some(id.into()), secret.as_ref(), Some(end));
        self
    }

    /// Takes what the user of a preset has set.
    pub(crate) fn settings(mut self, settings: &Settings) -> Self {
        self.secrets = settings.secrets.clone();
        self.secret_encoding = settings.secret_encoding.unwrap_or(self.secret_encoding);
        self.tolerates |= settings.past.is_some() || settings.future.is_some();
        self.timestamp.past = settings.past.unwrap_or(self.timestamp.past);
        self.timestamp.future = settings.future.unwrap_or(self.timestamp.future);
        self.public_url.clone_from(&settings.public_url);
        self
    }

    /// What the description says, in words.
    pub(crate) fn described(&self) -> Described {
        let sets = self.header_sets();
        let signed = self.content();
        let id_header = sets.iter().find_map(Headers::id_name);
        let kind_header = sets.iter().find_map(Headers::kind_name);
        let in_body = |pointer: &String| format!("{pointer} in the body");
        let id_is_signed = match &self.id_pointer {
            Some(pointer) => signed.contains("{body}") || signed.contains(pointer.as_str()),
            None => signed.contains("{id}"),
        };
        let is_timed = signed.contains("{timestamp}") || self.timestamp_pointer.is_some();
        let id = self.id_pointer.as_ref().map(in_body);
        let kinds = kind_header.map(str::to_owned).into_iter();
        let kinds = kinds.chain(self.kind_pointers.iter().map(in_body));
        Described {
            algorithm: format!("HMAC-{}, {}", self.algorithm, self.form.encoding).into(),
            signature: match &self.place {
                Place::Body(pointer) => in_body(pointer).into(),
                Place::Headers(sets) => {
                    let names: Vec<_> = sets.iter().flat_map(Headers::signature_names).collect();
                    names.join(" or ").into()
                }
            },
            signed_content: signed.to_owned().into(),
            tolerance: is_timed.then_some((self.timestamp.past, self.timestamp.future)),
            id: id
                .or_else(|| id_header.map(str::to_owned))
                .unwrap_or_default()
                .into(),
            id_is_signed,
            kind: kinds.collect::<Vec<_>>().join(", ").into(),
            needs_url: signed.contains("{url}"),
        }
    }

    /// Whether [`HmacScheme::sign`] can write what is described.
    pub(crate) fn can_sign(&self) -> bool {
        matches!(self.place, Place::Headers(_)) && !self.content().contains("{json:")
    }

    /// Accepts keys under 16 bytes, which can be guessed offline from one captured delivery.
    /// Default: refused.
    pub fn allow_short_secret(mut self) -> Self {
        self.secrets.allow_short();
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
    /// no two sets are mixed. Default: one set. A sender that was said to sign in the body signs in
    /// these headers instead.
    pub fn or_headers(mut self, headers: Headers) -> Self {
        match &mut self.place {
            Place::Body(_) => self.place = Place::Headers(vec![headers]),
            Place::Headers(sets) => sets.push(headers),
        }
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

    /// Reads the timestamp from a JSON body, by a JSON pointer. Default: the timestamp is in the head,
    /// or there is none.
    pub fn timestamp_pointer(mut self, pointer: impl Into<String>) -> Self {
        self.timestamp_pointer = Some(pointer.into());
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
        self.tolerates = true;
        self.timestamp.past = age;
        self
    }

    /// Sets how far ahead a signed timestamp may be, the end included. Default: 300 s.
    pub fn tolerate_future(mut self, lead: Duration) -> Self {
        self.tolerates = true;
        self.timestamp.future = lead;
        self
    }

    /// Sets what is signed. Default: `"{body}"`, or nothing where the signature is in the body.
    ///
    /// A text with, for the bytes that were received:
    ///
    /// * `{body}`, once; it may be missing only where the signature is in the body or
    ///   [`payload_is_not_signed`](Self::payload_is_not_signed) says so;
    /// * `{id}` and `{timestamp}`: the id header and the timestamp;
    /// * `{method}`, `{path}` (with its query) and `{header:NAME}`;
    /// * `{url}`: the [public URL](Self::public_url);
    /// * `{json:POINTER}`: a text or whole number in the body.
    pub fn signed_content(mut self, template: impl Into<String>) -> Self {
        self.signed_content = template.into();
        self
    }

    /// Accepts signed content without `{body}`: whoever captures a signature can send any payload
    /// with it, as long as its timestamp is fresh. Default: refused.
    pub fn payload_is_not_signed(mut self) -> Self {
        self.payload_is_not_signed = true;
        self
    }

    /// Sets the URL of the endpoint as the sender has it, for a sender that signs it. A URL without
    /// a path gets that of the request, and one without a query the request's query. Default: none,
    /// which is refused where the URL is signed.
    ///
    /// Scheme and host are never taken from the request, nor from a forwarded header.
    pub fn public_url(mut self, url: impl Into<String>) -> Self {
        self.public_url = Some(url.into());
        self
    }

    /// Refuses a delivery without this header, or with another value in it: for senders that name
    /// the version or the hash of their signature in a header of its own. Default: none.
    pub fn expect_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.expected_headers.push((name.into(), value.into()));
        self
    }

    /// Takes a body whose escaped form was signed as well: for a sender that escapes what it signs,
    /// behind a proxy that writes JSON anew. Default: only the bytes that came.
    pub(crate) fn or_escaped_body(mut self) -> Self {
        self.escaped_body = true;
        self
    }

    /// Reads the id of the delivery from the body, by a JSON pointer
    /// ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)) to a text or a whole number. The body
    /// is signed, so the id is. Default: the id header, where there is one.
    pub fn id_pointer(mut self, pointer: impl Into<String>) -> Self {
        self.id_pointer = Some(pointer.into());
        self
    }

    /// Adds a part of the event type that is read from the body, by a JSON pointer. The kind is the
    /// kind header and these parts, those that are there, with dots between. Default: none.
    pub fn kind_pointer(mut self, pointer: impl Into<String>) -> Self {
        self.kind_pointers.push(pointer.into());
        self
    }

    /// Sets the longest body the sender sends, in bytes. A limit of the layer overrides it.
    /// Default: 1 MiB, or what the preset documents.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Builds a scheme for a sender that signs with a private key; the secrets are public keys.
    #[cfg(any(feature = "ecdsa", feature = "ed25519"))]
    pub(crate) fn build_public(
        self,
        algorithm: PublicKeyAlgorithm,
    ) -> Result<PublicKeyScheme, ConfigError> {
        let secrets = self.secrets.decode(self.secret_encoding)?;
        let keys = secrets
            .iter()
            .map(|secret| algorithm.key(&secret.bytes))
            .collect::<Result<_, _>>()?;
        Ok(PublicKeyScheme::new(self.build()?, keys))
    }

    /// Whether the secrets are public keys of Standard Webhooks, or one of them is.
    #[cfg(feature = "ed25519")]
    pub(crate) fn has_standard_public_key(&self) -> bool {
        self.secret_encoding == SecretEncoding::Whsec
            && self.secrets.any(|secret| secret.starts_with(b"whpk_"))
    }

    /// The same sender with the `v1a` signatures of Standard Webhooks.
    #[cfg(feature = "ed25519")]
    pub(crate) fn standard_public_keys(mut self) -> Self {
        self.secret_encoding = SecretEncoding::Whpk;
        self.form.tags = vec!["v1a,".into()];
        self
    }

    /// Builds the scheme.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] says what to change: no secret, more than 8, an empty, short or undecodable
    /// one or one with white space around it, a name that can't be a header's, a template, URL or
    /// JSON pointer that can't be read, or parts that don't fit together, such as a timestamp that
    /// is not signed.
    pub fn build(self) -> Result<HmacScheme, ConfigError> {
        let template = self.template()?;
        let pointer = |text: &Option<String>| text.as_deref().map(JsonPointer::parse).transpose();
        let timestamp_pointer = pointer(&self.timestamp_pointer)?;
        let timestamp = self.timestamp_rule(&template, timestamp_pointer.as_ref())?;
        if timestamp.is_none() && self.tolerates {
            return Err(ConfigError::new(format!(
                "{} signs no timestamp, so there is nothing to tolerate; leave tolerate_past and tolerate_future out",
                self.name
            )));
        }
        self.check_id(&template)?;
        let secrets = self.secrets.decode(self.secret_encoding)?;
        let keys = Keys::new(self.algorithm, &secrets).ok_or_else(|| {
            ConfigError::new("there is no secret; set the one the sender shows for this endpoint")
        })?;
        let public_url = match (&self.public_url, template.has_url()) {
            (Some(url), true) => Some(PublicUrl::parse(url)?),
            (None, false) => None,
            (Some(_), false) => {
                return Err(ConfigError::new(format!(
                    "{} does not sign the URL, so a public URL changes nothing; leave it out",
                    self.name
                )));
            }
            (None, true) => {
                return Err(ConfigError::new(format!(
                    "{} signs the URL; set public_url to the URL of the endpoint as the sender has it",
                    self.name
                )));
            }
        };
        Ok(HmacScheme {
            name: self.name,
            signature: match &self.place {
                Place::Body(pointer) => Source::Body(JsonPointer::parse(pointer)?),
                Place::Headers(sets) => Source::Headers(
                    sets.iter()
                        .map(Headers::compile)
                        .collect::<Result<_, _>>()?,
                ),
            },
            form: self.form,
            timestamp,
            timestamp_pointer,
            template,
            public_url,
            expected_headers: self
                .expected_headers
                .iter()
                .map(|(name, value)| Expected::parse(name, value))
                .collect::<Result<_, _>>()?,
            escaped_body: self.escaped_body,
            keys: Arc::new(keys),
            id_pointer: pointer(&self.id_pointer)?,
            kind_pointers: self
                .kind_pointers
                .iter()
                .map(|text| JsonPointer::parse(text))
                .collect::<Result<_, _>>()?,
            body_limit: self.body_limit,
        })
    }

    fn template(&self) -> Result<Template, ConfigError> {
        let in_body = matches!(self.place, Place::Body(_));
        let text = self.content();
        let template = Template::parse(text)?;
        if template.has_body() && in_body {
            return Err(ConfigError::new(format!(
                "the signed content {text:?} has {{body}}, but the signature is in the body and can't sign itself; name the signed fields as {{json:POINTER}}"
            )));
        }
        if !template.has_body() && !template.has_json() && !self.payload_is_not_signed {
            return Err(ConfigError::new(format!(
                "the signed content {text:?} has no {{body}}: nothing would protect the payload; payload_is_not_signed() accepts it"
            )));
        }
        Ok(template)
    }

    fn timestamp_rule(
        &self,
        template: &Template,
        pointer: Option<&JsonPointer>,
    ) -> Result<Option<TimestampRule>, ConfigError> {
        let sets = self.header_sets();
        let with_header = sets.iter().filter(|set| set.has_timestamp()).count();
        let tagged = self.form.timestamp_tag.is_some();
        let places = usize::from(with_header != 0) + usize::from(tagged);
        if places + usize::from(pointer.is_some()) > 1
            || with_header != 0 && with_header != sets.len()
        {
            return Err(ConfigError::new(
                "the timestamp is in one place: a header of every header set, under a tag in the signature header, or at a pointer into the body",
            ));
        }
        if tagged && self.form.separator.is_none() {
            return Err(ConfigError::new(
                "the timestamp and the signatures are items of one header; say which separator stands between them",
            ));
        }
        let is_signed = match pointer {
            Some(pointer) => template.signs_json(pointer),
            None => template.has_timestamp(),
        };
        match (places != 0 || pointer.is_some(), is_signed) {
            (true, true) => Ok(Some(self.timestamp)),
            (false, false) => Ok(None),
            (true, false) => Err(ConfigError::new(
                "the timestamp is not signed, so anybody could renew it; add it to the signed content or leave the timestamp out",
            )),
            (false, true) => Err(ConfigError::new(
                "the signed content has {timestamp}; say in which header or under which tag it is",
            )),
        }
    }

    fn check_id(&self, template: &Template) -> Result<(), ConfigError> {
        let sets = self.header_sets();
        if template.has_id() && (sets.is_empty() || !sets.iter().all(Headers::has_id)) {
            return Err(ConfigError::new(
                "the signed content has {id}; say in which header it is",
            ));
        }
        Ok(())
    }

    fn content(&self) -> &str {
        match (self.signed_content.as_str(), &self.place) {
            ("", Place::Headers(_)) => "{body}",
            (text, _) => text,
        }
    }

    fn header_sets(&self) -> &[Headers] {
        match &self.place {
            Place::Body(_) => &[],
            Place::Headers(sets) => sets,
        }
    }
}

impl fmt::Debug for HmacBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HmacBuilder")
            .field("name", &self.name)
            .field("place", &self.place)
            .field("secrets", &self.secrets.len())
            .finish_non_exhaustive()
    }
}

const DEFAULT_TOLERANCE: Duration = Duration::from_secs(300);
