use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use http::request::Parts;
use http::{HeaderName, StatusCode};
use sha2::{Digest, Sha256};

use super::facts::hours;
use super::{Described, Facts, Preset, Sample, Settings, Signing};
use crate::enqueue::Success;
use crate::form::{fields, is_form};
use crate::hmac::{
    Algorithm, Encoding, Keys, PublicUrl, SignatureForm, Signatures, Verdict, prove, single,
};
use crate::rejection::{MALFORMED_BODY, MISMATCH, MISSING_SIGNATURE, Rejection};
use crate::{Check, ConfigError, Identity, Proof, RejectionKind, Scheme};

impl Preset {
    /// What is known of Twilio.
    pub const TWILIO: &'static Facts = &Facts {
        name: "twilio",
        title: "Twilio",
        sources: &[
            "https://www.twilio.com/docs/usage/webhooks/webhooks-security",
            "https://github.com/twilio/twilio-node/blob/main/src/webhooks/webhooks.ts",
        ],
        unconfirmed: &[
            "X-Twilio-Webhooks-Signature-Settings with algorithm=HMAC_SHA256 says that the signature is HMAC-SHA-256, under a key of its own",
            "a body in the answer is read as TwiML, so the answer has none",
            "a retry has the I-Twilio-Idempotency-Token of the first attempt",
            "retries end within an hour; their number is set in the URL",
        ],
        signing: Signing::Custom(
            |settings| Ok(Box::new(Twilio::new(settings)?)),
            || {
                Described {
                algorithm: "HMAC-SHA-1 or, where a header says so, HMAC-SHA-256, base64".into(),
                signature: "x-twilio-signature".into(),
                signed_content: "{url}{names and values of the form, sorted}, or {url} with bodySHA256 in its query".into(),
                id: "i-twilio-idempotency-token".into(),
                needs_url: true,
                ..Described::default()
            }
            },
        ),
        retries_for: hours(1),
        // A body would be read as TwiML.
        success: Success::empty(StatusCode::NO_CONTENT),
        sample: Sample {
            event: "webhook",
            ..Sample::JSON
        },
        ..Facts::COMMON
    };

    /// Twilio: HMAC-SHA-1 over the URL and the sorted parameters of the form, base64 in
    /// `X-Twilio-Signature` ([docs](https://www.twilio.com/docs/usage/webhooks/webhooks-security)).
    ///
    /// The secret is the primary auth token of the account, as it stands. While it is replaced,
    /// configure both. `public_url` is the URL as Twilio has it; the query of the request is added,
    /// and the port is tried as configured and without it, or with the default port where none is
    /// configured, since Twilio signs now one and now the other.
    ///
    /// Signed is the URL, then each name and value, sorted by name and value, the same pair once.
    /// Nothing stands between them, so whoever captures a delivery can shift the end of a name or a
    /// value, as from `a=1&b=2` to `a=1b2`; look only for parameters you know, and check their form.
    /// A body that is no form is not signed itself: the URL then has `bodySHA256`, which has to be
    /// the hex SHA-256 of the body. A request with neither is refused, and so are more than 1000
    /// parameters. There is no timestamp, so an old delivery can be sent again for ever.
    ///
    /// `X-Twilio-Webhooks-Signature-Settings` with `algorithm=HMAC_SHA256` selects HMAC-SHA-256,
    /// for which the shared key of the account is configured as a secret beside or instead of the
    /// auth token. Any other algorithm there is refused.
    ///
    /// `I-Twilio-Idempotency-Token` is not signed, so the recommended dedupe key is the digest of
    /// what was signed. There is no kind. Only `POST` is taken: configure webhooks so, not as
    /// `GET`. Twilio is answered with 204; TwiML, which it expects for a call, can't be given once
    /// the delivery is in a queue.
    ///
    /// Unconfirmed are the header of settings, that a body in the answer would be read as TwiML, that
    /// a retry repeats the token, and that retries end within an hour.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it, or
    /// where the URL is none.
    pub fn twilio(
        secret: impl AsRef<[u8]>,
        public_url: impl Into<String>,
    ) -> Result<Self, ConfigError> {
        Self::TWILIO
            .builder()
            .secret(secret)
            .public_url(public_url)
            .build()
    }
}

/// A signature over the URL and sorted parameters.
struct Twilio {
    url: PublicUrl,
    sha1: Arc<Keys>,
    sha256: Arc<Keys>,
}

impl Twilio {
    fn new(settings: &Settings) -> Result<Self, ConfigError> {
        let url = settings.public_url.as_deref().ok_or_else(|| {
            ConfigError::new(
                "twilio signs the URL; set public_url to the URL of the endpoint as the sender has it",
            )
        })?;
        let secrets = settings
            .secrets
            .decode(settings.secret_encoding.unwrap_or_default())?;
        let keys = |algorithm| {
            let keys = Keys::new(algorithm, &secrets).ok_or_else(|| {
                ConfigError::new("there is no secret; set the auth token of the account")
            })?;
            Ok::<_, ConfigError>(Arc::new(keys))
        };
        Ok(Self {
            url: PublicUrl::parse(url)?,
            sha1: keys(Algorithm::Sha1)?,
            sha256: keys(Algorithm::Sha256)?,
        })
    }

    /// The keys with the hash that the sender says it used.
    fn keys(&self, head: &Parts) -> Result<&Arc<Keys>, Rejection> {
        let Some(settings) = single(&head.headers, &SETTINGS)? else {
            return Ok(&self.sha1);
        };
        let mut algorithms = settings
            .split(|byte| *byte == b',')
            .filter_map(|item| item.trim_ascii().strip_prefix(b"algorithm="));
        match (algorithms.next(), algorithms.next()) {
            (Some(b"HMAC_SHA256"), None) => Ok(&self.sha256),
            _ => Err(OTHER_ALGORITHM),
        }
    }
}

impl Scheme for Twilio {
    fn name(&self) -> &'static str {
        Preset::TWILIO.name
    }

    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        let keys = self.keys(head)?;
        let value = single(&head.headers, &SIGNATURE)?.ok_or(MISSING_SIGNATURE)?;
        let mut signatures = Signatures::none();
        let form = SignatureForm {
            encoding: Encoding::Base64,
            ..SignatureForm::default()
        };
        form.read([value], keys.algorithm(), &mut signatures)?;
        signatures.check()?;
        single(&head.headers, &ID)?;
        let url = self.url.of(head);
        let presented = Presented {
            keys: Arc::clone(keys),
            signatures,
            urls: spellings(&url),
            now,
        };
        match body_hashes(&url).as_slice() {
            [] if is_form(head) => Ok(Check::whole_body(move |body| {
                presented.prove(&parameters(body).ok_or(MALFORMED_BODY)?)
            })),
            [] => Err(MISSING_BODY_HASH),
            [hash] => {
                let hash = hash.ok_or(MALFORMED_BODY_HASH)?;
                let proof = presented.prove(&[])?;
                Ok(Check::whole_body(move |body| {
                    let is_body = Sha256::digest(body)[..] == hash;
                    is_body.then_some(proof).ok_or(MISMATCH)
                }))
            }
            _ => Err(MALFORMED_BODY_HASH),
        }
    }

    fn identify(&self, head: &Parts, body: &[u8]) -> Identity {
        let mut identity = Identity::new().signature_header(SIGNATURE);
        let id = head.headers.get(ID).and_then(|value| value.to_str().ok());
        if let Some(id) = id {
            identity = identity.delivery_id(id, false);
        }
        let url = self.url.of(head);
        let mut signed = url.as_bytes().to_vec();
        if body_hashes(&url).is_empty() {
            signed.extend(parameters(body).unwrap_or_default());
        }
        identity.signed_instead(signed)
    }

    fn key_id(&self, key: u32) -> Arc<str> {
        self.sha1.id(key)
    }

    fn key_is_named(&self, key: u32) -> bool {
        self.sha1.is_named(key)
    }
}

impl fmt::Debug for Twilio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            url: _,
            sha1,
            sha256: _,
        } = self;
        f.debug_struct("Twilio")
            .field("keys", sha1)
            .finish_non_exhaustive()
    }
}

/// What a delivery presents, and the URLs it may have been signed for.
struct Presented {
    keys: Arc<Keys>,
    signatures: Signatures,
    urls: [String; 2],
    now: SystemTime,
}

impl Presented {
    fn prove(&self, parameters: &[u8]) -> Result<Proof, Rejection> {
        let mut verdict = Verdict::new(&self.signatures);
        for url in &self.urls {
            let signed = [url.as_bytes(), parameters].concat();
            for key in 0..self.keys.len() {
                verdict.compare(&self.keys.sign(key, &signed), key);
            }
        }
        let key = verdict.key().ok_or(MISMATCH)?;
        prove(key, self.keys.expired(self.now), None)
    }
}

/// The URL as it is, and without its port or, where it has none, with the default one.
fn spellings(url: &str) -> [String; 2] {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let host_at = authority.rfind('@').map_or(0, |at| at + 1);
    let colon = authority[host_at..].rfind(':').map(|at| host_at + at);
    // The colons of an IPv6 address are in brackets.
    let port = colon.filter(|at| !authority[*at..].contains(']'));
    let other = match (port, scheme) {
        (Some(at), _) => format!("{scheme}://{}{path}", &authority[..at]),
        (None, "http") => format!("{scheme}://{authority}:80{path}"),
        (None, _) => format!("{scheme}://{authority}:443{path}"),
    };
    [url.to_owned(), other]
}

/// What the query says of the body; `None` for what is no hash.
fn body_hashes(url: &str) -> Vec<Option<[u8; 32]>> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let values = fields(query.as_bytes()).filter(|(name, _)| **name == *b"bodySHA256");
    values
        .take(2)
        .map(|(_, value)| {
            let mut hash = [0; 32];
            hex::decode_to_slice(value, &mut hash).ok().map(|()| hash)
        })
        .collect()
}

/// Each name and value of a form, sorted, the same pair once; `None` where they are too many.
fn parameters(body: &[u8]) -> Option<Vec<u8>> {
    let mut pairs: Vec<_> = fields(body).take(MAX_PARAMETERS + 1).collect();
    if pairs.len() > MAX_PARAMETERS {
        return None;
    }
    pairs.sort_unstable();
    pairs.dedup();
    let parts = pairs.iter().flat_map(|(name, value)| [name, value]);
    Some(parts.flat_map(|part| part.iter()).copied().collect())
}

const SIGNATURE: HeaderName = HeaderName::from_static("x-twilio-signature");
const SETTINGS: HeaderName = HeaderName::from_static("x-twilio-webhooks-signature-settings");
const ID: HeaderName = HeaderName::from_static("i-twilio-idempotency-token");
const MALFORMED_BODY_HASH: Rejection =
    Rejection::new(RejectionKind::Malformed, "malformed_body_hash");
const MISSING_BODY_HASH: Rejection = Rejection::new(RejectionKind::Missing, "missing_body_hash");
const OTHER_ALGORITHM: Rejection = Rejection::new(RejectionKind::Malformed, "other_algorithm");

/// Far more than Twilio sends; each costs memory before anything is known of the sender.
const MAX_PARAMETERS: usize = 1000;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_url_is_tried_with_and_without_a_port() {
        for (url, other) in [
            ("https://a.example/h?x=1:2", "https://a.example:443/h?x=1:2"),
            ("http://a.example/h", "http://a.example:80/h"),
            ("https://a.example:443/h", "https://a.example/h"),
            ("https://a.example:8443/h", "https://a.example/h"),
            ("https://u:p@a.example/h", "https://u:p@a.example:443/h"),
            ("https://u:p@a.example:1/h", "https://u:p@a.example/h"),
            ("https://[::1]/h", "https://[::1]:443/h"),
            ("https://[::1]:8443/h", "https://[::1]/h"),
            ("https://a.example?x=@b:1", "https://a.example:443?x=@b:1"),
        ] {
            assert_eq!(spellings(url), [url.to_owned(), other.to_owned()]);
        }
    }

    #[test]
    fn parameters_are_sorted_and_each_pair_counts_once() {
        let text = |body: &str| String::from_utf8(parameters(body.as_bytes()).unwrap()).unwrap();
        assert_eq!(text("b=2&a=+1&b=1&b=2"), "a 1b1b2");
        assert_eq!(text("A=&a&Z=%26"), "AZ&a");
        assert_eq!(text(""), "");
        assert!(parameters("a&".repeat(1000).as_bytes()).is_some());
        assert!(parameters("a&".repeat(1001).as_bytes()).is_none());
    }

    proptest! {
        #[test]
        fn no_input_panics(text: String, body: Vec<u8>) {
            spellings(&text);
            body_hashes(&text);
            parameters(&body);
        }
    }
}
