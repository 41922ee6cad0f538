use std::fmt;
use std::iter;
use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac as _};
use sha1::Sha1;
use sha2::{Sha256, Sha512};
use subtle::{Choice, ConstantTimeEq};

use crate::scheme::check::KeyIds;

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
    pub(super) const fn tag_len(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha512 => 64,
        }
    }
}

/// A key and its name. No `Debug`, and dropped once it is hashed in.
pub(super) struct Key {
    pub(super) id: Arc<str>,
    pub(super) bytes: Vec<u8>,
}

/// The keys of a scheme, each hashed in once, and their names.
pub(super) struct Keys {
    algorithm: Algorithm,
    first: Mac,
    rest: Box<[Mac]>,
    ids: KeyIds,
}

impl Keys {
    /// `None` where there is no key at all.
    pub(super) fn new(algorithm: Algorithm, keys: &[Key]) -> Option<Self> {
        let (first, rest) = keys.split_first()?;
        Some(Self {
            algorithm,
            first: Mac::keyed(algorithm, &first.bytes)?,
            rest: rest
                .iter()
                .map(|key| Mac::keyed(algorithm, &key.bytes))
                .collect::<Option<_>>()?,
            ids: keys.iter().map(|key| Arc::clone(&key.id)).collect(),
        })
    }

    pub(super) fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    pub(super) fn ids(&self) -> &KeyIds {
        &self.ids
    }

    /// An HMAC under way with every key.
    pub(super) fn start(&self) -> Macs {
        Macs {
            first: self.first.clone(),
            rest: self.rest.to_vec(),
        }
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            algorithm,
            first: _,
            rest: _,
            ids,
        } = self;
        f.debug_struct("Keys")
            .field("algorithm", algorithm)
            .field("ids", ids)
            .finish()
    }
}

/// One HMAC per key. The first is inline, so that one key needs no allocation.
pub(super) struct Macs {
    first: Mac,
    rest: Vec<Mac>,
}

impl Macs {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.first.update(bytes);
        for mac in &mut self.rest {
            mac.update(bytes);
        }
    }

    /// What each key would have signed, in the order of the keys.
    pub(super) fn finish(self) -> impl Iterator<Item = Tag> {
        iter::once(self.first).chain(self.rest).map(Mac::finish)
    }
}

/// An HMAC with its key hashed in: a clone costs a copy, not two rounds of the hash.
///
/// SHA-512 is boxed: its state is twice as long, and the rare sender that uses it would make every
/// check of the others as long.
#[derive(Clone)]
enum Mac {
    Sha1(Hmac<Sha1>),
    Sha256(Hmac<Sha256>),
    Sha512(Box<Hmac<Sha512>>),
}

impl Mac {
    /// HMAC takes keys of any length, so this is never `None` in practice.
    fn keyed(algorithm: Algorithm, key: &[u8]) -> Option<Self> {
        match algorithm {
            Algorithm::Sha1 => Hmac::new_from_slice(key).map(Self::Sha1),
            Algorithm::Sha256 => Hmac::new_from_slice(key).map(Self::Sha256),
            Algorithm::Sha512 => Hmac::new_from_slice(key).map(Box::new).map(Self::Sha512),
        }
        .ok()
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha1(mac) => mac.update(bytes),
            Self::Sha256(mac) => mac.update(bytes),
            Self::Sha512(mac) => mac.update(bytes),
        }
    }

    fn finish(self) -> Tag {
        match self {
            Self::Sha1(mac) => Tag::padded(&mac.finalize().into_bytes()),
            Self::Sha256(mac) => Tag::padded(&mac.finalize().into_bytes()),
            Self::Sha512(mac) => Tag::padded(&mac.finalize().into_bytes()),
        }
    }
}

/// A signature that a key would have made, with zeros behind it up to the longest one's length.
///
/// Neither `Debug` nor `PartialEq`: it is compared in constant time or not at all.
#[derive(Clone, Copy)]
pub(super) struct Tag([u8; 64]);

impl Tag {
    fn padded(bytes: &[u8]) -> Self {
        let mut tag = Self([0; 64]);
        tag.0[..bytes.len()].copy_from_slice(bytes);
        tag
    }

    /// Compares with a presented signature, padded to a slot in the same way.
    pub(super) fn matches(&self, presented: &[u8]) -> Choice {
        let same = words(&self.0)
            .zip(words(presented))
            .map(|(a, b)| a.ct_eq(&b));
        same.fold(Choice::from(1), |all, word| all & word)
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|word| u64::from_ne_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_matches_itself_and_nothing_that_differs_in_a_bit() {
        let tag = Tag::padded(&[7; 32]);
        assert!(bool::from(tag.matches(&[7; 32])));
        for bit in 0..256 {
            let mut other = [7; 32];
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!bool::from(tag.matches(&other)), "bit {bit}");
        }
    }

    #[test]
    fn debug_shows_the_ids_of_the_keys_only() {
        let keys = Keys::new(
            Algorithm::Sha256,
            &[Key {
                id: "new".into(),
                bytes: b"hidden".to_vec(),
            }],
        )
        .unwrap();
        assert_eq!(
            format!("{keys:?}"),
            r#"Keys { algorithm: Sha256, ids: ["new"] }"#
        );
    }
}
