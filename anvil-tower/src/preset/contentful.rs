use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::request::Parts;
use http::{HeaderMap, HeaderName, StatusCode};

use super::facts::hours;
use super::{Described, Facts, Preset, Sample, Settings, Signing};
use crate::hmac::{
    Algorithm, Keys, PublicUrl, SignatureForm, Signatures, TimestampRule, TimestampUnit, Verdict,
    prove, single,
};
use crate::rejection::{
    MALFORMED_SIGNED_HEADERS, MISMATCH, MISSING_HEADER, MISSING_SIGNATURE, MISSING_TIMESTAMP,
};
use crate::{Check, ConfigError, Identity, Rejection, Scheme};

impl Preset {
    /// What is known of Contentful.
    pub const CONTENTFUL: &'static Facts = &Facts {
        name: "contentful",
        title: "Contentful",
        sources: &[
            "https://www.contentful.com/developers/docs/extensibility/webhooks/request-verification/",
            "https://github.com/contentful/node-apps-toolkit/tree/main/src/requests",
        ],
        unconfirmed: &[
            "a query is signed as it is sent; Contentful's library escapes it, and that is taken as well",
            "Contentful tries again after 429 and 5xx only: three times, 30 s apart",
        ],
        signing: Signing::Custom(
            |settings| Ok(Box::new(Contentful::new(settings)?)),
            Contentful::described,
        ),
        retries_for: hours(1),
        refusal: Some(StatusCode::SERVICE_UNAVAILABLE),
        sample: Sample::JSON,
        ..Facts::COMMON
    };

    /// Contentful: HMAC-SHA-256 over method, path, listed headers and body, in
    /// `x-contentful-signature`
    /// ([docs](https://www.contentful.com/developers/docs/extensibility/webhooks/request-verification/)).
    ///
    /// The secret is the space's signing secret, as it is. The path is signed with its query. It is
    /// that of the request, so where a proxy rewrites it, give the URL that Contentful has to
    /// [`public_url`](super::PresetBuilder::public_url). Which headers are signed is said by
    /// `x-contentful-signed-headers`; a delivery whose list lacks itself or the timestamp, or names
    /// a header that is not there, is refused. The timestamp counts milliseconds and is good for
    /// 30 s either way.
    ///
    /// There is no id, so a digest is the recommended dedupe key: of method, path, topic and body,
    /// and not of the timestamp, which a retry renews. The kind is `X-Contentful-Topic`, which
    /// Contentful lists among the signed headers. Any 2xx will do. A delivery that is not authentic
    /// is answered with 503, since Contentful does not try again after another 4xx than 429.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn contentful(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::CONTENTFUL.builder().secret(secret).build()
    }
}

/// A sender that signs a canonical form of the request.
struct Contentful {
    keys: Arc<Keys>,
    rule: TimestampRule,
    public_url: Option<PublicUrl>,
}

impl Contentful {
    fn new(settings: &Settings) -> Result<Self, ConfigError> {
        let secrets = &settings.secrets;
        let encoding = settings.secret_encoding.unwrap_or_default();
        let keys = Keys::new(Algorithm::Sha256, &secrets.decode(encoding)?).ok_or_else(|| {
            ConfigError::new("there is no secret; set the one the sender shows for this endpoint")
        })?;
        let public_url = settings.public_url.as_deref();
        Ok(Self {
            keys: Arc::new(keys),
            rule: TimestampRule {
                unit: TimestampUnit::Milliseconds,
                past: settings.past.unwrap_or(TOLERANCE),
                future: settings.future.unwrap_or(TOLERANCE),
            },
            public_url: public_url.map(PublicUrl::parse).transpose()?,
        })
    }

    fn described() -> Described {
        Described {
            algorithm: "HMAC-SHA-256, hex".into(),
            signature: "x-contentful-signature".into(),
            signed_content: "{method}\\n{path}\\n{listed headers}\\n{body}".into(),
            tolerance: Some((TOLERANCE, TOLERANCE)),
            kind: "x-contentful-topic".into(),
            ..Described::default()
        }
    }

    /// Path and query as the sender has them.
    fn path(&self, head: &Parts) -> String {
        let Some(url) = &self.public_url else {
            let path = head.uri.path_and_query();
            return path.map_or("/", |path| path.as_str()).to_owned();
        };
        let url = url.of(head);
        let rest = url.split_once("://").map_or("", |(_, rest)| rest);
        let path = rest.find(['/', '?']).map_or("", |at| &rest[at..]);
        match path.starts_with('/') {
            true => path.to_owned(),
            false => format!("/{path}"),
        }
    }

    /// What is signed before the body, for each way to write the path.
    fn befores(&self, head: &Parts, headers: &[u8]) -> Vec<Vec<u8>> {
        let path = self.path(head);
        let escaped = escape_path(&path);
        let mut paths = vec![path];
        if escaped != paths[0] {
            paths.push(escaped);
        }
        let method = head.method.as_str();
        let before =
            |path: &String| [method.as_bytes(), path.as_bytes(), headers, b""].join(&b'\n');
        paths.iter().map(before).collect()
    }
}

impl Scheme for Contentful {
    fn name(&self) -> &'static str {
        Preset::CONTENTFUL.name
    }

    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        let mut signatures = Signatures::none();
        let signature = single(&head.headers, &SIGNATURE)?.ok_or(MISSING_SIGNATURE)?;
        SignatureForm::default().read([signature], Algorithm::Sha256, &mut signatures)?;
        signatures.check()?;
        let names = signed_headers(&head.headers)?;
        let timestamp = single(&head.headers, &TIMESTAMP)?
            .filter(|timestamp| !timestamp.is_empty())
            .ok_or(MISSING_TIMESTAMP)?;
        let stamp = self.rule.judge(timestamp, now)?;
        single(&head.headers, &TOPIC)?;

        let mut headers = Vec::new();
        for name in &names {
            let value = single(&head.headers, name)?.ok_or(MISSING_HEADER)?;
            if !headers.is_empty() {
                headers.push(b';');
            }
            headers.extend_from_slice(name.as_str().as_bytes());
            headers.push(b':');
            headers.extend_from_slice(value.trim_ascii());
        }
        let befores = self.befores(head, &headers);
        let expired = self.keys.expired(now);
        let keys = Arc::clone(&self.keys);
        Ok(Check::whole_body(move |body| {
            let mut verdict = Verdict::new(&signatures);
            for before in befores {
                let signed = [&before, body].concat();
                for key in 0..keys.len() {
                    verdict.compare(&keys.sign(key, &signed), key);
                }
            }
            prove(verdict.key().ok_or(MISMATCH)?, expired, Some(stamp))
        }))
    }

    fn identify(&self, head: &Parts, _body: &[u8]) -> Identity {
        let mut identity = Identity::new().signature_header(SIGNATURE);
        let topic = head
            .headers
            .get(&TOPIC)
            .and_then(|topic| topic.to_str().ok());
        if let Some(topic) = topic {
            identity = identity.kind(topic.to_owned());
        }
        // A topic that nobody signed could be changed to make a new name.
        let is_signed = signed_headers(&head.headers).is_ok_and(|names| names.contains(&TOPIC));
        let topic = topic.filter(|_| is_signed).unwrap_or_default();
        let before = format!("{}\n{}\n{topic}\n", head.method, self.path(head));
        identity.signed_around(before.into_bytes(), Vec::new())
    }

    fn key_id(&self, key: u32) -> Arc<str> {
        self.keys.id(key)
    }

    fn key_is_named(&self, key: u32) -> bool {
        self.keys.is_named(key)
    }
}

impl fmt::Debug for Contentful {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            keys,
            rule: _,
            public_url: _,
        } = self;
        f.debug_struct("Contentful")
            .field("keys", keys)
            .finish_non_exhaustive()
    }
}

/// The names of the signed headers, in the order in which they are signed.
fn signed_headers(headers: &HeaderMap) -> Result<Vec<HeaderName>, Rejection> {
    let list = single(headers, &SIGNED_HEADERS)?.ok_or(MISSING_HEADER)?;
    let parse = |name: &[u8]| HeaderName::from_bytes(name.trim_ascii()).ok();
    let mut names = list
        .split(|byte| *byte == b',')
        .map(parse)
        .take(MAX_SIGNED_HEADERS + 1)
        .collect::<Option<Vec<_>>>()
        .filter(|names| names.len() <= MAX_SIGNED_HEADERS)
        .ok_or(MALFORMED_SIGNED_HEADERS)?;
    names.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    let count = names.len();
    names.dedup();
    let is_whole = names.contains(&SIGNED_HEADERS) && names.contains(&TIMESTAMP);
    if names.len() != count || !is_whole {
        return Err(MALFORMED_SIGNED_HEADERS);
    }
    Ok(names)
}

/// A path as Contentful's library writes it: the query is escaped as a whole, and then the escapes
/// are escaped.
fn escape_path(path: &str) -> String {
    let mut parts = path.split('?');
    let mut escaped = escape(parts.next().unwrap_or_default(), b";,/?:@&=+$#-_.!~*'()");
    if let Some(query) = parts.next().filter(|query| !query.is_empty()) {
        let query = escape(query, b"-_.!~*'()");
        escaped.push('?');
        escaped.push_str(&escape(&query, b"-_.!~*'()"));
    }
    escaped
}

fn escape(text: &str, plain: &[u8]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}

const SIGNATURE: HeaderName = HeaderName::from_static("x-contentful-signature");
const SIGNED_HEADERS: HeaderName = HeaderName::from_static("x-contentful-signed-headers");
const TIMESTAMP: HeaderName = HeaderName::from_static("x-contentful-timestamp");
const TOPIC: HeaderName = HeaderName::from_static("x-contentful-topic");
const TOLERANCE: Duration = Duration::from_secs(30);
/// Contentful lists a handful; each costs a look-up.
const MAX_SIGNED_HEADERS: usize = 32;
