use std::fmt;

use sha2::{Digest, Sha256};

/// The name of a delivery: two deliveries with the same key are the same event.
///
/// A key is `SHA-256(len(source) ‖ source ‖ len(part) ‖ part)`, with lengths as 64-bit big-endian
/// numbers. The lengths keep `("ab", "c")` and `("a", "bc")` apart, and the source keeps apart two
/// senders that happen to use the same ids.
///
/// ```
/// use anvil_queue::DedupeKey;
///
/// let key = DedupeKey::derive("stripe", b"evt_1");
/// assert_eq!(key, DedupeKey::derive("stripe", b"evt_1"));
/// assert_ne!(DedupeKey::derive("ab", b"c"), DedupeKey::derive("a", b"bc"));
/// ```
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct DedupeKey([u8; 32]);

impl DedupeKey {
    /// The key of `part` within `source`.
    #[must_use]
    pub fn derive(source: &str, part: &[u8]) -> Self {
        let digest = Sha256::new()
            .chain_update((source.len() as u64).to_be_bytes())
            .chain_update(source)
            .chain_update((part.len() as u64).to_be_bytes())
            .chain_update(part)
            .finalize();
        Self(digest.into())
    }

    /// The key with these bytes, as a backend reads it back.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes of the key, as a backend stores it.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for DedupeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DedupeKey(")?;
        for byte in &self.0[..8] {
            write!(f, "{byte:02x}")?;
        }
        f.write_str("…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boundary_between_source_and_part_is_part_of_the_key() {
        assert_ne!(DedupeKey::derive("ab", b"c"), DedupeKey::derive("a", b"bc"));
        assert_ne!(DedupeKey::derive("", b"abc"), DedupeKey::derive("abc", b""));
    }

    #[test]
    fn the_same_id_from_two_sources_is_two_keys() {
        assert_ne!(
            DedupeKey::derive("github", b"1"),
            DedupeKey::derive("stripe", b"1")
        );
    }
}
