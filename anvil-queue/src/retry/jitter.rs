use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Spreads delays: a counter through a bit mixer (SplitMix64), shared without a lock.
#[derive(Debug)]
pub(crate) struct Jitter(AtomicU64);

impl Jitter {
    /// Seeded by the operating system's randomness, through the standard hasher's keys.
    pub(crate) fn from_os() -> Self {
        Self::from_seed(RandomState::new().hash_one(0_u8))
    }

    pub(crate) fn from_seed(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// A duration drawn evenly from zero to `max`.
    pub(crate) fn up_to(&self, max: Duration) -> Duration {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut x = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^= x >> 31;
        // The top 32 bits as a fraction of one; exact enough for a delay.
        let fraction = (x >> 32) as u128;
        let nanos = max.as_nanos().saturating_mul(fraction) >> 32;
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}
