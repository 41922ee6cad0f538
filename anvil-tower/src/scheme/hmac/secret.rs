use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use unicode_normalization::UnicodeNormalization;

use super::keys::Secret;
use crate::ConfigError;

/// The secrets of an endpoint, as the sender shows them.
///
/// No `Debug`: it holds secrets in the clear, until they are hashed in.
#[derive(Clone, Default)]
pub(crate) struct Secrets {
    list: Vec<Entry>,
    allow_short: bool,
}

#[derive(Clone)]
struct Entry {
    id: Option<Arc<str>>,
    secret: Vec<u8>,
    expires: Option<SystemTime>,
}

impl Secrets {
    pub(crate) fn push(
        &mut self,
        id: Option<Arc<str>>,
        secret: &[u8],
        expires: Option<SystemTime>,
    ) {
        self.list.push(Entry {
            id,
            secret: secret.to_vec(),
            expires,
        });
    }

    pub(crate) fn allow_short(&mut self) {
        self.allow_short = true;
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    #[cfg(any(feature = "ed25519", feature = "jwt", feature = "rsa"))]
    pub(crate) fn any(&self, is: impl Fn(&[u8]) -> bool) -> bool {
        self.list.iter().any(|entry| is(&entry.secret))
    }

    /// The keys in the secrets, in their order; there may be none.
    pub(crate) fn decode(&self, encoding: SecretEncoding) -> Result<Vec<Secret>, ConfigError> {
        let Self { list, allow_short } = self;
        if list.len() > MAX_SECRETS {
            return Err(ConfigError::new(format!(
                "there are {} secrets; at most {MAX_SECRETS} are tried, so drop the oldest",
                list.len()
            )));
        }
        let mut keys: Vec<Secret> = Vec::with_capacity(list.len());
        for (index, entry) in list.iter().enumerate() {
            let bytes = encoding.decode(&entry.secret)?;
            if bytes.len() < MIN_KEY_LEN && !allow_short {
                return Err(ConfigError::new(format!(
                    "the secret has {} bytes; use {MIN_KEY_LEN} or more, or accept it with allow_short_secret()",
                    bytes.len()
                )));
            }
            let id = entry
                .id
                .as_ref()
                .map_or_else(|| index.to_string().into(), Arc::clone);
            if keys.iter().any(|key| key.id == id) {
                return Err(ConfigError::new(format!(
                    "two secrets are called {id:?}; the id says which one matched, so each needs its own"
                )));
            }
            keys.push(Secret {
                id,
                is_named: entry.id.is_some(),
                bytes,
                expires: entry.expires,
            });
        }
        Ok(keys)
    }
}

/// How the bytes of a key are written in the secret that the sender shows.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum SecretEncoding {
    /// The secret is base64 of the key, with or without padding.
    Base64,
    /// The secret is hex of the key.
    Hex,
    /// The key is the secret's NFKD form ([UAX #15](https://www.unicode.org/reports/tr15/)), in
    /// UTF-8. Letters of one look but other code points make one key.
    Nfkd,
    /// The secret is the key, byte for byte.
    #[default]
    Verbatim,
    /// The secret is `whpk_` and base64 of an Ed25519 public key.
    #[cfg(feature = "ed25519")]
    #[cfg_attr(docsrs, doc(cfg(feature = "ed25519")))]
    Whpk,
    /// The secret is `whsec_` and base64 of the key; the prefix may be missing.
    Whsec,
}

impl SecretEncoding {
    /// The key in `secret`. Errors never repeat any of it.
    fn decode(self, secret: &[u8]) -> Result<Vec<u8>, ConfigError> {
        let is_space = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
        if is_space(secret.first()) || is_space(secret.last()) {
            return Err(ConfigError::new(
                "the secret starts or ends with white space, such as the line end of a file; trim it",
            ));
        }
        let key = match self {
            Self::Base64 => base64(secret).ok_or_else(|| {
                ConfigError::new("the secret is not base64; copy it again, without quotes or spaces")
            })?,
            Self::Hex => hex(secret).ok_or_else(|| {
                ConfigError::new(
                    "the secret is not an even number of hex digits; copy it again, without quotes or spaces",
                )
            })?,
            Self::Nfkd => str::from_utf8(secret)
                .map_err(|_| ConfigError::new("the secret is not UTF-8; copy it again as text"))?
                .nfkd()
                .collect::<String>()
                .into_bytes(),
            Self::Verbatim => secret.to_vec(),
            #[cfg(feature = "ed25519")]
            Self::Whpk => secret
                .strip_prefix(b"whpk_")
                .and_then(base64)
                .filter(|key| key.len() == 32)
                .ok_or_else(|| {
                    ConfigError::new(
                        "a key is not whpk_ and base64 of 32 bytes; public keys are not mixed with shared secrets, which start with whsec_, nor with whsk_, the sender's private key",
                    )
                })?,
            Self::Whsec => whsec(secret)?,
        };
        if key.is_empty() {
            return Err(ConfigError::new(
                "the secret is empty; set the one the sender shows for this endpoint",
            ));
        }
        Ok(key)
    }
}

fn whsec(secret: &[u8]) -> Result<Vec<u8>, ConfigError> {
    if secret.starts_with(b"whpk_") || secret.starts_with(b"whsk_") {
        return Err(ConfigError::new(
            "the secret is an Ed25519 key; whpk_ needs the feature ed25519, whsk_ is the sender's private key, and a shared secret starts with whsec_",
        ));
    }
    base64(secret.strip_prefix(b"whsec_").unwrap_or(secret)).ok_or_else(|| {
        ConfigError::new(
            "what follows whsec_ in the secret is not base64; copy the secret again, without quotes, spaces or a leading \"v1,\"",
        )
    })
}

fn base64(text: &[u8]) -> Option<Vec<u8>> {
    ANY_PADDING.decode(text).ok()
}

fn hex(text: &[u8]) -> Option<Vec<u8>> {
    let mut key = vec![0; text.len() / 2];
    hex::decode_to_slice(text, &mut key).ok()?;
    Some(key)
}

const MAX_SECRETS: usize = 8;
const MIN_KEY_LEN: usize = 16;
const ANY_PADDING: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whsec_secret_is_decoded_with_and_without_its_prefix_and_padding() {
        for text in ["whsec_aGVsbG8=", "whsec_aGVsbG8", "aGVsbG8=", "aGVsbG8"] {
            assert_eq!(
                SecretEncoding::Whsec.decode(text.as_bytes()).unwrap(),
                b"hello",
                "{text}"
            );
        }
    }

    #[test]
    fn an_undecodable_secret_is_refused_without_being_repeated() {
        for (encoding, text) in [
            (SecretEncoding::Whsec, "whsec_not*base64"),
            (SecretEncoding::Whsec, "v1,whsec_aGVsbG8="),
            (SecretEncoding::Whsec, "whpk_aGVsbG8="),
            (SecretEncoding::Base64, "a b c d"),
            (SecretEncoding::Hex, "abc"),
            (SecretEncoding::Hex, "zz"),
            (SecretEncoding::Verbatim, "hidden\n"),
            (SecretEncoding::Verbatim, " hidden"),
            (SecretEncoding::Whsec, "whsec_aGVsbG8=\r\n"),
        ] {
            let message = encoding.decode(text.as_bytes()).unwrap_err().to_string();
            assert!(message.contains("the secret"), "{message}");
            assert!(!message.contains(text), "{message}");
        }
    }

    #[test]
    fn nfkd_makes_one_key_of_one_look() {
        let key = |text: &str| SecretEncoding::Nfkd.decode(text.as_bytes()).unwrap();
        assert_eq!(key("caf\u{e9} \u{fb01}"), key("cafe\u{301} fi"));
        assert!(SecretEncoding::Nfkd.decode(b"\xff").is_err());
    }

    #[test]
    fn an_empty_secret_is_refused_in_every_encoding() {
        for encoding in [
            SecretEncoding::Base64,
            SecretEncoding::Hex,
            SecretEncoding::Nfkd,
            SecretEncoding::Verbatim,
        ] {
            assert!(
                encoding
                    .decode(b"")
                    .unwrap_err()
                    .to_string()
                    .contains("empty")
            );
        }
        assert!(
            SecretEncoding::Whsec
                .decode(b"whsec_")
                .unwrap_err()
                .to_string()
                .contains("empty")
        );
    }
}
