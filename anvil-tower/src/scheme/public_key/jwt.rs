use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::Sec1Point;
use p256::ecdsa::signature::Verifier;
use p256::ecdsa::{Signature, VerifyingKey};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::GivenKey;
use crate::ConfigError;
use crate::rejection::{MALFORMED_SIGNATURE, Rejection, UNKNOWN_ALGORITHM};

/// A JWS in its compact form, signed with ES256 and nothing else; read, not verified.
pub(crate) struct Token<C> {
    pub(crate) kid: Box<str>,
    pub(crate) claims: C,
    signed: Vec<u8>,
    signature: Signature,
}

#[derive(Deserialize)]
struct Head {
    alg: Option<String>,
    kid: Option<Box<str>>,
    /// Extensions that must be understood; none is.
    crit: Option<serde::de::IgnoredAny>,
}

impl<C: DeserializeOwned> Token<C> {
    pub(crate) fn parse(text: &[u8]) -> Result<Self, Rejection> {
        if text.len() > MAX_LEN {
            return Err(MALFORMED_SIGNATURE);
        }
        let mut parts = text.split(|byte| *byte == b'.');
        let mut part = || parts.next().ok_or(MALFORMED_SIGNATURE);
        let (head, claims, signature) = (part()?, part()?, part()?);
        if parts.next().is_some() {
            return Err(MALFORMED_SIGNATURE);
        }
        let signed = &text[..head.len() + 1 + claims.len()];
        let head: Head = json(head)?;
        // Before anything else: the delivery does not choose how it is verified.
        if head.alg.as_deref() != Some("ES256") || head.crit.is_some() {
            return Err(UNKNOWN_ALGORITHM);
        }
        let is_plain = |kid: &str| kid.len() <= 200 && kid.bytes().all(|c| c.is_ascii_graphic());
        let kid = head.kid.filter(|kid| !kid.is_empty() && is_plain(kid));
        Ok(Self {
            kid: kid.ok_or(MALFORMED_SIGNATURE)?,
            claims: json(claims)?,
            signed: signed.to_vec(),
            signature: decode(signature)
                .and_then(|bytes| Signature::from_slice(&bytes).ok())
                .ok_or(MALFORMED_SIGNATURE)?,
        })
    }

    pub(crate) fn is_signed_by(&self, key: &Jwk) -> bool {
        key.key.verify(&self.signed, &self.signature).is_ok()
    }
}

fn json<T: DeserializeOwned>(part: &[u8]) -> Result<T, Rejection> {
    decode(part)
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .ok_or(MALFORMED_SIGNATURE)
}

fn decode(part: &[u8]) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part).ok()
}

/// A public key for ES256 ([RFC 7517](https://www.rfc-editor.org/rfc/rfc7517)).
pub(crate) struct Jwk {
    key: VerifyingKey,
    pub(crate) expired_at: Option<SystemTime>,
}

#[derive(Deserialize)]
struct Fields {
    kty: String,
    crv: String,
    x: String,
    y: String,
    alg: Option<String>,
    kid: Option<String>,
    r#use: Option<String>,
    expired_at: Option<u64>,
}

/// The answer of Plaid's endpoint.
#[derive(Deserialize)]
struct Answer {
    key: Fields,
}

impl GivenKey for Jwk {
    fn read(name: &str, bytes: &[u8]) -> Result<Self, ConfigError> {
        let fields = serde_json::from_slice(bytes)
            .or_else(|_| serde_json::from_slice(bytes).map(|answer: Answer| answer.key));
        let fields: Fields =
            fields.map_err(|_| ConfigError::new("the key is no JWK of an elliptic curve"))?;
        let other = |is: &Option<String>, wanted: &str| is.as_ref().is_some_and(|is| is != wanted);
        if fields.kty != "EC" || fields.crv != "P-256" || other(&fields.alg, "ES256") {
            return Err(ConfigError::new("the key is not for ES256"));
        }
        if other(&fields.r#use, "sig") || other(&fields.kid, name) {
            return Err(ConfigError::new(
                "the key is for another use, or has another id",
            ));
        }
        let number = |text: &str| <[u8; 32]>::try_from(decode(text.as_bytes())?).ok();
        let key = number(&fields.x).zip(number(&fields.y)).and_then(|(x, y)| {
            let point = Sec1Point::from_affine_coordinates(&x.into(), &y.into(), false);
            VerifyingKey::from_sec1_point(&point).ok()
        });
        Ok(Self {
            key: key.ok_or_else(|| ConfigError::new("the key is no point of P-256"))?,
            expired_at: fields
                .expired_at
                .and_then(|at| UNIX_EPOCH.checked_add(Duration::from_secs(at))),
        })
    }

    fn ends(&self) -> Option<SystemTime> {
        self.expired_at
    }
}

impl fmt::Debug for Jwk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jwk").finish_non_exhaustive()
    }
}

const MAX_LEN: usize = 8 * 1024;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_input_panics(bytes: Vec<u8>, parts in prop::array::uniform3("[A-Za-z0-9_-]{0,90}")) {
            let _ = Jwk::read("", &bytes);
            let _ = Token::<serde_json::Value>::parse(&bytes);
            let _ = Token::<serde_json::Value>::parse(parts.join(".").as_bytes());
        }
    }
}
