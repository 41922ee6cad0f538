use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::ConfigError;

/// How the bytes of a key are written in the secret that the sender shows.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum SecretEncoding {
    /// The secret is base64 of the key, with or without padding.
    Base64,
    /// The secret is hex of the key.
    Hex,
    /// The secret is the key, byte for byte.
    #[default]
    Verbatim,
    /// The secret is `whsec_` and base64 of the key; the prefix may be missing.
    Whsec,
}

impl SecretEncoding {
    /// The key in `secret`. Errors never repeat any of it.
    pub(super) fn decode(self, secret: &[u8]) -> Result<Vec<u8>, ConfigError> {
        let key = match self {
            Self::Base64 => base64(secret).ok_or_else(|| {
                ConfigError::new("the secret is not base64; copy it again, without quotes or spaces")
            })?,
            Self::Hex => hex(secret).ok_or_else(|| {
                ConfigError::new(
                    "the secret is not an even number of hex digits; copy it again, without quotes or spaces",
                )
            })?,
            Self::Verbatim => secret.to_vec(),
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
            "the secret is an Ed25519 key (whpk_ or whsk_); this scheme takes a shared secret that starts with whsec_",
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
        ] {
            let message = encoding.decode(text.as_bytes()).unwrap_err().to_string();
            assert!(message.contains("the secret"), "{message}");
            assert!(!message.contains(text), "{message}");
        }
    }

    #[test]
    fn an_empty_secret_is_refused_in_every_encoding() {
        for encoding in [
            SecretEncoding::Base64,
            SecretEncoding::Hex,
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
