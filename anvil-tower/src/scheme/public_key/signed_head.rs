use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

#[cfg(feature = "ecdsa")]
use base64::Engine;
#[cfg(feature = "ecdsa")]
use base64::engine::general_purpose::STANDARD;
use http::request::Parts;

#[cfg(feature = "ed25519")]
use crate::hmac::Encoding;
use crate::hmac::{HmacScheme, ReadHead};
use crate::rejection::{MALFORMED_SIGNATURE, MISMATCH};
use crate::{Check, ConfigError, Identity, Proof, Rejection, Scheme};

/// A sender that does what the HMAC engine describes, but signs with a private key.
///
/// The engine reads the head and names the delivery; its HMAC is never asked, since everybody knows
/// the keys.
pub(crate) struct PublicKeyScheme {
    engine: HmacScheme,
    keys: Arc<[PublicKey]>,
}

impl PublicKeyScheme {
    pub(crate) fn new(engine: HmacScheme, keys: Vec<PublicKey>) -> Self {
        Self {
            engine,
            keys: keys.into(),
        }
    }
}

impl Scheme for PublicKeyScheme {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        let head = self.engine.read_head(head, now)?;
        let signatures = decode(&self.keys, &head)?;
        let keys = Arc::clone(&self.keys);
        Ok(Check::whole_body(move |body| {
            decide(&keys, &head, &signatures, body)
        }))
    }

    fn identify(&self, head: &Parts, body: &[u8]) -> Identity {
        self.engine.identify(head, body)
    }

    fn key_id(&self, key: u32) -> Arc<str> {
        self.engine.key_id(key)
    }

    fn key_is_named(&self, key: u32) -> bool {
        self.engine.key_is_named(key)
    }
}

/// The signatures that can be one; a delivery without any ends here.
fn decode(keys: &[PublicKey], head: &ReadHead) -> Result<Vec<Signature>, Rejection> {
    let Some(key) = keys.first() else {
        return Err(MISMATCH);
    };
    let signatures: Vec<_> = head
        .signatures
        .iter()
        .filter_map(|text| key.signature(text))
        .collect();
    if signatures.is_empty() {
        return Err(MALFORMED_SIGNATURE);
    }
    Ok(signatures)
}

/// Nothing here is secret, so the first match ends it.
fn decide(
    keys: &[PublicKey],
    head: &ReadHead,
    signatures: &[Signature],
    body: &[u8],
) -> Result<Proof, Rejection> {
    let message = head.message(body);
    let is_right = |key: &PublicKey| signatures.iter().any(|sign| key.verify(&message, sign));
    let (key, _) = (0..)
        .zip(keys)
        .find(|(_, key)| is_right(key))
        .ok_or(MISMATCH)?;
    head.prove(key)
}

impl fmt::Debug for PublicKeyScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PublicKeyScheme")
            .field(&self.engine)
            .finish()
    }
}

/// How a sender signs with its private key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PublicKeyAlgorithm {
    /// ECDSA over P-256 with SHA-256; signatures are DER in base64, keys are DER.
    #[cfg(feature = "ecdsa")]
    EcdsaP256,
    /// Ed25519; keys are 32 bytes, and signatures are written so.
    #[cfg(feature = "ed25519")]
    Ed25519(Encoding),
}

impl PublicKeyAlgorithm {
    /// The key in these bytes, where it is a good one.
    pub(crate) fn key(self, bytes: &[u8]) -> Result<PublicKey, ConfigError> {
        match self {
            #[cfg(feature = "ecdsa")]
            Self::EcdsaP256 => {
                use p256::pkcs8::DecodePublicKey;
                p256::ecdsa::VerifyingKey::from_public_key_der(bytes)
                    .map(|key| PublicKey::EcdsaP256(Box::new(key)))
                    .map_err(|_| {
                        ConfigError::new(
                            "the key is no P-256 public key in DER (SubjectPublicKeyInfo); copy it again as the sender shows it",
                        )
                    })
            }
            #[cfg(feature = "ed25519")]
            Self::Ed25519(encoding) => bytes
                .try_into()
                .ok()
                .and_then(|bytes| ed25519_dalek::VerifyingKey::from_bytes(bytes).ok())
                .filter(|key| !key.is_weak())
                .map(|key| PublicKey::Ed25519(Box::new(key), encoding))
                .ok_or_else(|| {
                    ConfigError::new(
                        "the key is no Ed25519 public key of 32 bytes; copy it again as the sender shows it (a shared secret, such as whsec_, is none)",
                    )
                }),
        }
    }
}

pub(crate) enum PublicKey {
    #[cfg(feature = "ecdsa")]
    EcdsaP256(Box<p256::ecdsa::VerifyingKey>),
    #[cfg(feature = "ed25519")]
    Ed25519(Box<ed25519_dalek::VerifyingKey>, Encoding),
}

impl PublicKey {
    /// Decodes exactly one signature, or nothing.
    fn signature(&self, text: &[u8]) -> Option<Signature> {
        match self {
            #[cfg(feature = "ecdsa")]
            Self::EcdsaP256(_) => {
                if text.len() > MAX_DER_TEXT {
                    return None;
                }
                let der = STANDARD.decode(text).ok()?;
                let signature = p256::ecdsa::Signature::from_der(&der).ok()?;
                Some(Signature::EcdsaP256(signature))
            }
            #[cfg(feature = "ed25519")]
            Self::Ed25519(_, encoding) => {
                let mut bytes = [0; 64];
                encoding.decode(text, &mut bytes)?;
                let signature = ed25519_dalek::Signature::from_bytes(&bytes);
                Some(Signature::Ed25519(signature))
            }
        }
    }

    fn verify(&self, message: &[u8], signature: &Signature) -> bool {
        match (self, signature) {
            #[cfg(feature = "ecdsa")]
            (Self::EcdsaP256(key), Signature::EcdsaP256(signature)) => {
                use p256::ecdsa::signature::Verifier;
                key.verify(message, signature).is_ok()
            }
            #[cfg(feature = "ed25519")]
            (Self::Ed25519(key, _), Signature::Ed25519(signature)) => {
                key.verify_strict(message, signature).is_ok()
            }
            #[cfg(all(feature = "ecdsa", feature = "ed25519"))]
            _ => false,
        }
    }
}

enum Signature {
    #[cfg(feature = "ecdsa")]
    EcdsaP256(p256::ecdsa::Signature),
    #[cfg(feature = "ed25519")]
    Ed25519(ed25519_dalek::Signature),
}

/// The longest signature is 72 bytes.
#[cfg(feature = "ecdsa")]
const MAX_DER_TEXT: usize = 96;
