use std::hash::{BuildHasher, RandomState};
use std::iter;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use anvil_queue::DedupeKey;

/// Counts keys that come again under another id than before.
///
/// A key has one place in a table of fixed size, found by its first bits. In the place are more of
/// its bits and a hash of the id it came under first, in one word: so nothing is locked and nothing
/// is allocated after the first delivery, and a key is forgotten once another takes its place. The
/// hash is seeded, so that nobody can choose an id that looks like the first.
#[derive(Debug, Default)]
pub(super) struct OtherIds {
    count: AtomicU64,
    table: OnceLock<Table>,
}

#[derive(Debug)]
struct Table {
    places: Box<[AtomicU64]>,
    hasher: RandomState,
}

impl OtherIds {
    /// Whether the key came under another id before, which is then counted.
    pub(super) fn is_other(&self, key: &DedupeKey, id: &str) -> bool {
        let Table { places, hasher } = self.table.get_or_init(Table::new);
        let (chunks, _) = key.as_bytes().as_chunks::<8>();
        let [index, key_bits, ..] = chunks else {
            return false;
        };
        // A hash of a hash: its bits are as good as random, and the length is a power of two.
        let index = u64::from_ne_bytes(*index) & (places.len() as u64 - 1);
        let Some(place) = usize::try_from(index)
            .ok()
            .and_then(|index| places.get(index))
        else {
            return false;
        };
        let key_bits = u64::from_ne_bytes(*key_bits) & KEY_BITS;
        let now = key_bits | hasher.hash_one(id) & !KEY_BITS;
        let before = place.load(Ordering::Relaxed);
        if before & KEY_BITS != key_bits || before == EMPTY {
            place.store(now, Ordering::Relaxed);
            return false;
        }
        // The first id stays, so that its retries never count, whoever comes in between.
        let is_other = before != now;
        if is_other {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
        is_other
    }

    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
}

impl Table {
    fn new() -> Self {
        let empty = iter::repeat_with(|| AtomicU64::new(EMPTY));
        Self {
            places: empty.take(PLACES).collect(),
            hasher: RandomState::new(),
        }
    }
}

const EMPTY: u64 = 0;
/// The other bits are the id's: one id in sixteen million is taken for another.
const KEY_BITS: u64 = (1 << 40) - 1;
const PLACES: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u32) -> DedupeKey {
        DedupeKey::derive("github", &n.to_be_bytes())
    }

    #[test]
    fn another_id_counts_and_a_retry_under_the_first_never_does() {
        let ids = OtherIds::default();
        assert!(!ids.is_other(&key(1), "a"));
        assert!(!ids.is_other(&key(1), "a"));
        assert!(ids.is_other(&key(1), "b"));
        assert!(!ids.is_other(&key(1), "a"));
        assert!(!ids.is_other(&key(2), "b"));
        assert_eq!(ids.count(), 1);
    }

    #[test]
    fn a_flood_of_other_keys_counts_nothing_and_takes_no_more_memory() {
        let ids = OtherIds::default();
        for n in 0..100_000 {
            assert!(!ids.is_other(&key(n), "a"), "{n}");
        }
        assert_eq!(ids.count(), 0);
        let places = ids.table.get().unwrap().places.len();
        assert_eq!(places, PLACES);
        assert!(ids.is_other(&key(99_999), "b"), "the newest is remembered");
    }

    #[test]
    fn ids_that_are_counted_at_once_are_all_counted() {
        let ids = OtherIds::default();
        assert!(!ids.is_other(&key(1), "first"));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let ids = &ids;
                scope.spawn(move || {
                    for n in 0..10 {
                        ids.is_other(&key(1), &format!("{thread}-{n}"));
                    }
                });
            }
        });
        assert_eq!(ids.count(), 40);
    }
}
