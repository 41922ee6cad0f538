use std::fmt;
use std::time::SystemTime;

use rsa::pkcs1v15::{Signature, VerifyingKey};
use rsa::pkcs8::DecodePublicKey;
use rsa::signature::Verifier;
use rsa::traits::PublicKeyParts;
use sha1::Sha1;
use sha2::Sha256;
use x509_cert::der::Encode;
use x509_cert::ext::pkix::KeyUsage;

use super::GivenKey;
use crate::rejection::{EARLY_CERTIFICATE, EXPIRED_CERTIFICATE};
use crate::{ConfigError, Rejection};

/// The RSA key of a certificate, and when the certificate is valid.
///
/// Checked are its dates, that its key is RSA of 2048 to 4096 bits, and that a stated key usage has
/// signatures. Not checked are the names in it, who issued it and whether it was revoked: that it
/// came from the sender's host over https is what makes it the sender's.
pub(crate) struct Certificate {
    sha1: VerifyingKey<Sha1>,
    sha256: VerifyingKey<Sha256>,
    not_before: SystemTime,
    not_after: SystemTime,
}

/// The hash inside an RSA signature (PKCS #1 v1.5).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum RsaHash {
    Sha1,
    Sha256,
}

impl Certificate {
    /// Whether the signature is right.
    pub(crate) fn verify(&self, hash: RsaHash, message: &[u8], signature: &[u8]) -> bool {
        let Ok(signature) = Signature::try_from(signature) else {
            return false;
        };
        match hash {
            RsaHash::Sha1 => self.sha1.verify(message, &signature).is_ok(),
            RsaHash::Sha256 => self.sha256.verify(message, &signature).is_ok(),
        }
    }

    /// Refuses a certificate out of its time, for after the signature was found right.
    pub(crate) fn check_dates(&self, now: SystemTime) -> Result<(), Rejection> {
        if now > self.not_after {
            return Err(EXPIRED_CERTIFICATE);
        }
        if now < self.not_before {
            return Err(EARLY_CERTIFICATE);
        }
        Ok(())
    }
}

impl GivenKey for Certificate {
    /// Reads the first certificate in PEM; others are its chain.
    fn read(_name: &str, pem: &[u8]) -> Result<Self, ConfigError> {
        let chain = x509_cert::Certificate::load_pem_chain(pem)
            .map_err(|_| ConfigError::new("the certificate is not PEM of X.509"))?;
        let certificate = chain
            .first()
            .ok_or_else(|| ConfigError::new("there is no certificate in the PEM"))?;
        let tbs = certificate.tbs_certificate();
        let usage = tbs
            .get_extension::<KeyUsage>()
            .map_err(|_| ConfigError::new("the key usage of the certificate can't be read"))?;
        if usage.is_some_and(|(_, usage)| !usage.digital_signature()) {
            return Err(ConfigError::new("the certificate is not for signatures"));
        }
        let key = tbs
            .subject_public_key_info()
            .to_der()
            .ok()
            .and_then(|der| rsa::PublicKey::from_public_key_der(&der).ok())
            .ok_or_else(|| ConfigError::new("the key of the certificate is not RSA"))?;
        if !(MIN_KEY_LEN..=MAX_KEY_LEN).contains(&key.size()) {
            return Err(ConfigError::new(
                "the RSA key of the certificate has less than 2048 or more than 4096 bits",
            ));
        }
        let validity = tbs.validity();
        Ok(Self {
            sha1: VerifyingKey::new(key.clone()),
            sha256: VerifyingKey::new(key),
            not_before: validity.not_before.to_system_time(),
            not_after: validity.not_after.to_system_time(),
        })
    }

    fn ends(&self) -> Option<SystemTime> {
        Some(self.not_after)
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate").finish_non_exhaustive()
    }
}

/// In bytes.
const MIN_KEY_LEN: usize = 256;
const MAX_KEY_LEN: usize = 512;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_input_panics(bytes: Vec<u8>, text in "[A-Za-z0-9+/=\n -]{0,200}") {
            let _ = Certificate::read("", &bytes);
            for text in [
                text.clone(),
                format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n"),
            ] {
                prop_assert!(Certificate::read("", text.as_bytes()).is_err());
            }
        }
    }
}
