use std::hash::{BuildHasher, Hasher, RandomState};

/// Builds the hasher of maps whose keys are ids or digests.
///
/// Such keys are random already, so a keyed multiply per eight bytes spreads them as well as
/// SipHash does at a fraction of its price. The key is random and secret, so that nobody can
/// choose deliveries whose digests meet in one bucket.
#[derive(Clone)]
pub(crate) struct FoldState(u64);

impl Default for FoldState {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for FoldState {
    type Hasher = FoldHasher;

    fn build_hasher(&self) -> FoldHasher {
        FoldHasher(self.0)
    }
}

pub(crate) struct FoldHasher(u64);

impl FoldHasher {
    fn fold(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * u128::from(MULTIPLIER);
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

impl Hasher for FoldHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.fold(u64::from_le_bytes(*word));
        }
        for byte in rest {
            self.fold(u64::from(*byte));
        }
    }

    fn write_usize(&mut self, number: usize) {
        self.fold(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Odd, with its bits spread evenly: 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use anvil_queue::JobId;

    use super::*;

    #[test]
    fn neighbouring_ids_meet_neither_in_the_low_nor_in_the_high_bits() {
        let state = FoldState::default();
        let hashes: Vec<u64> = (0..1024_u64)
            .map(|n| {
                let mut bytes = [0; 16];
                bytes[..8].copy_from_slice(&n.to_be_bytes());
                state.hash_one(JobId::from_bytes(bytes))
            })
            .collect();
        let low: HashSet<u64> = hashes.iter().map(|hash| hash & 0x3ff).collect();
        let high: HashSet<u64> = hashes.iter().map(|hash| hash >> 57).collect();
        // Random hashes fill some 647 of 1,024 buckets; half of that would be a broken spread.
        assert!(low.len() > 320, "{} of 1,024 buckets", low.len());
        assert!(high.len() > 64, "{} of 128 tags", high.len());
    }

    #[test]
    fn two_maps_hash_differently() {
        let id = JobId::from_bytes([7; 16]);
        assert_ne!(
            FoldState::default().hash_one(id),
            FoldState::default().hash_one(id)
        );
    }
}
