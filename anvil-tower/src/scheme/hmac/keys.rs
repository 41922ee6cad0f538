use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use hmac::{HmacReset, KeyInit, Mac as _};
use sha1::Sha1;
use sha2::{Sha256, Sha512};
use subtle::{Choice, ConstantTimeEq};

/// The hash inside the HMAC.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Algorithm {
    /// HMAC-SHA-1, for senders that offer nothing newer. No forgery of it is known, but don't
    /// choose it where there is a choice.
    Sha1,
    /// HMAC-SHA-256.
    #[default]
    Sha256,
    /// HMAC-SHA-512.
    Sha512,
}

impl Algorithm {
    /// The length of a signature, in bytes.
    pub(crate) const fn tag_len(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha512 => 64,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sha1 => "SHA-1",
            Self::Sha256 => "SHA-256",
            Self::Sha512 => "SHA-512",
        })
    }
}

/// A secret and its name. No `Debug`, and dropped once it is hashed in.
pub(crate) struct Secret {
    pub(crate) id: Arc<str>,
    /// Whether the id is the user's, and not the secret's number.
    pub(crate) is_named: bool,
    pub(crate) bytes: Vec<u8>,
    pub(crate) expires: Option<SystemTime>,
}

/// The keys of a scheme, each hashed in once, their names and ends, by number.
pub(crate) struct Keys {
    algorithm: Algorithm,
    first: Mac,
    rest: Box<[Mac]>,
    ids: Box<[Arc<str>]>,
    /// Which keys the user has named, a bit each; there are at most eight.
    named: u8,
    /// Empty where no key expires.
    expires: Box<[Option<SystemTime>]>,
}

impl Keys {
    /// Hashes the secrets in; `None` where there is none.
    pub(crate) fn new(algorithm: Algorithm, secrets: &[Secret]) -> Option<Self> {
        let mut keys = secrets
            .iter()
            .map(|secret| Mac::keyed(algorithm, &secret.bytes));
        Some(Self {
            algorithm,
            first: keys.next()??,
            rest: keys.collect::<Option<_>>()?,
            ids: secrets
                .iter()
                .map(|secret| Arc::clone(&secret.id))
                .collect(),
            named: secrets
                .iter()
                .zip(0..u8::BITS)
                .fold(0, |bits, (secret, bit)| {
                    bits | u8::from(secret.is_named) << bit
                }),
            expires: if secrets.iter().any(|secret| secret.expires.is_some()) {
                secrets.iter().map(|secret| secret.expires).collect()
            } else {
                Box::default()
            },
        })
    }

    /// Which keys have expired by `now`, a bit each.
    #[inline]
    pub(crate) fn expired(&self, now: SystemTime) -> Expired {
        let mut bits = 0;
        for (index, expires) in self.expires.iter().enumerate() {
            if expires.is_some_and(|expires| expires <= now) {
                bits |= 1 << index;
            }
        }
        Expired(bits)
    }

    /// The HMAC of `message` under the key with this number.
    pub(crate) fn sign(&self, key: u32, message: &[u8]) -> Tag {
        let rest = usize::try_from(key).ok().and_then(|key| key.checked_sub(1));
        let mac = rest.and_then(|index| self.rest.get(index));
        let mut mac = mac.unwrap_or(&self.first).clone();
        mac.update(message);
        mac.finish()
    }

    pub(crate) fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    pub(crate) fn first(&self) -> &Mac {
        &self.first
    }

    pub(crate) fn rest(&self) -> &[Mac] {
        &self.rest
    }

    /// How many there are, at least one.
    pub(crate) fn len(&self) -> u32 {
        self.rest.len() as u32 + 1
    }

    /// The name of the key with this number.
    pub(crate) fn id(&self, key: u32) -> Arc<str> {
        let index = usize::try_from(key).unwrap_or(usize::MAX);
        let id = self.ids.get(index).map(Arc::clone);
        id.unwrap_or_else(|| key.to_string().into())
    }

    /// Whether the user has named the key with this number.
    pub(crate) fn is_named(&self, key: u32) -> bool {
        self.named.checked_shr(key).unwrap_or_default() & 1 == 1
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            algorithm,
            first: _,
            rest: _,
            ids,
            named: _,
            expires,
        } = self;
        f.debug_struct("Keys")
            .field("algorithm", algorithm)
            .field("ids", ids)
            .field("expires", expires)
            .finish()
    }
}

/// Which of at most eight keys have expired.
#[derive(Clone, Copy, Default)]
pub(crate) struct Expired(u8);

impl Expired {
    pub(crate) fn has(self, key: u32) -> bool {
        self.0.checked_shr(key).unwrap_or_default() & 1 == 1
    }
}

/// An HMAC with its key hashed in: a clone costs a copy, not two rounds of the hash.
#[derive(Clone)]
pub(crate) enum Mac {
    Sha1(HmacReset<Sha1>),
    Sha256(HmacReset<Sha256>),
    /// Boxed: its state is twice as large, and every check is moved a few times.
    Sha512(Box<HmacReset<Sha512>>),
}

impl Mac {
    /// HMAC takes keys of any length, so this is never `None` in practice.
    fn keyed(algorithm: Algorithm, key: &[u8]) -> Option<Self> {
        match algorithm {
            Algorithm::Sha1 => HmacReset::new_from_slice(key).map(Self::Sha1),
            Algorithm::Sha256 => HmacReset::new_from_slice(key).map(Self::Sha256),
            Algorithm::Sha512 => HmacReset::new_from_slice(key)
                .map(Box::new)
                .map(Self::Sha512),
        }
        .ok()
    }

    #[inline]
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha1(mac) => mac.update(bytes),
            Self::Sha256(mac) => mac.update(bytes),
            Self::Sha512(mac) => mac.update(bytes),
        }
    }

    #[inline]
    pub(crate) fn finish(&mut self) -> Tag {
        match self {
            Self::Sha1(mac) => Tag::padded(&mac.finalize_reset().into_bytes()),
            Self::Sha256(mac) => Tag::padded(&mac.finalize_reset().into_bytes()),
            Self::Sha512(mac) => Tag::padded(&mac.finalize_reset().into_bytes()),
        }
    }
}

/// A decoded signature: the longest one's length, zeros behind a shorter one.
///
/// Neither `Debug` nor `PartialEq`: it is compared in constant time or not at all.
#[derive(Clone, Copy)]
pub(crate) struct Tag([u8; Self::MAX_LEN]);

impl Tag {
    pub(super) const MAX_LEN: usize = 64;
    pub(super) const ZERO: Self = Self([0; Self::MAX_LEN]);

    /// A tag of at most [`Self::MAX_LEN`] bytes.
    pub(super) fn padded(bytes: &[u8]) -> Self {
        let mut tag = Self::ZERO;
        tag.0[..bytes.len()].copy_from_slice(bytes);
        tag
    }

    /// The first `len` bytes.
    pub(crate) fn bytes(&self, len: usize) -> &[u8] {
        &self.0[..len]
    }

    pub(super) fn bytes_mut(&mut self, len: usize) -> &mut [u8] {
        &mut self.0[..len]
    }

    fn words(&self) -> &[[u8; 8]] {
        self.0.as_chunks().0
    }
}

impl ConstantTimeEq for Tag {
    fn ct_eq(&self, other: &Self) -> Choice {
        let pairs = self.words().iter().zip(other.words());
        let differing_bits = pairs.fold(0, |bits, (a, b)| {
            bits | (u64::from_ne_bytes(*a) ^ u64::from_ne_bytes(*b))
        });
        differing_bits.ct_eq(&0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_differ_in_every_bit() {
        let tag = Tag::padded(&[7; 32]);
        assert!(bool::from(tag.ct_eq(&Tag::padded(&[7; 32]))));
        for bit in 0..256 {
            let mut other = tag;
            other.0[bit / 8] ^= 1 << (bit % 8);
            assert!(!bool::from(tag.ct_eq(&other)), "bit {bit}");
        }
    }

    #[test]
    fn debug_shows_the_ids_of_the_keys_only() {
        let keys = Keys::new(
            Algorithm::Sha256,
            &[Secret {
                id: "new".into(),
                is_named: true,
                bytes: b"hidden".to_vec(),
                expires: None,
            }],
        )
        .unwrap();
        assert_eq!(
            format!("{keys:?}"),
            r#"Keys { algorithm: Sha256, ids: ["new"], expires: [] }"#
        );
    }
}
