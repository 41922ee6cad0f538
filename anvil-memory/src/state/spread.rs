use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hash};

use super::hash::FoldState;

/// A map that grows a little at a time.
///
/// A `HashMap` that is full moves everything it holds at once, which stalls a queue of a million
/// jobs for 150 ms (measured). Spread over many maps that fill up at slightly different moments,
/// the same work is done in as many smaller steps.
pub(super) struct Spread<K, V> {
    hasher: FoldState,
    maps: Box<[HashMap<K, V, FoldState>]>,
    len: usize,
}

impl<K: Eq + Hash, V> Spread<K, V> {
    /// Adds or replaces what is under `key`.
    pub(super) fn insert(&mut self, key: K, value: V) {
        let index = self.index(&key);
        if self.maps[index].insert(key, value).is_none() {
            self.len += 1;
        }
    }

    /// Adds what is under a key that may be there already; false where it was, and is kept.
    pub(super) fn insert_new(&mut self, key: K, value: V) -> bool {
        let index = self.index(&key);
        let Entry::Vacant(vacant) = self.maps[index].entry(key) else {
            return false;
        };
        vacant.insert(value);
        self.len += 1;
        true
    }

    pub(super) fn remove(&mut self, key: &K) -> Option<V> {
        let index = self.index(key);
        let removed = self.maps[index].remove(key)?;
        self.len -= 1;
        Some(removed)
    }

    pub(super) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let index = self.index(key);
        self.maps[index].get_mut(key)
    }

    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.maps[self.index(key)].get(key)
    }

    /// Which map holds `key`, by bits of the hash that the maps themselves look at last.
    fn index(&self, key: &K) -> usize {
        (self.hasher.hash_one(key) >> 40) as usize % MAPS
    }
}

impl<K, V> Spread<K, V> {
    pub(super) fn len(&self) -> usize {
        self.len
    }
}

impl<K, V> Default for Spread<K, V> {
    fn default() -> Self {
        let hasher = FoldState::default();
        let maps = (0..MAPS)
            .map(|_| HashMap::with_hasher(hasher.clone()))
            .collect();
        Self {
            hasher,
            maps,
            len: 0,
        }
    }
}

const MAPS: usize = 32;

#[cfg(test)]
mod tests {
    use anvil_queue::JobId;

    use super::*;

    #[test]
    fn the_length_counts_each_key_once() {
        let mut map = Spread::default();
        map.insert(1, "one");
        map.insert(1, "uno");
        map.insert(2, "two");
        assert_eq!(map.len(), 2);
        assert_eq!(map.get(&1), Some(&"uno"));
        assert_eq!(map.remove(&1), Some("uno"));
        assert_eq!(map.remove(&1), None);
        assert_eq!(map.len(), 1);
    }

    #[test]
    fn ids_made_one_after_another_are_spread_over_all_maps() {
        let mut map = Spread::default();
        for _ in 0..100 * MAPS {
            map.insert(JobId::generate(), ());
        }
        let fullest = map.maps.iter().map(HashMap::len).max();
        assert!(fullest < Some(200), "{fullest:?} of 100 expected");
    }
}
