use std::hash::{BuildHasher, Hash};

use super::hash::FoldState;

/// Finds, by a key, the number under which somebody else keeps what belongs to it.
///
/// There are as many keys as deliveries in a window, and a new one is looked for in vain and then
/// added. Where a map of keys and values would fetch two or three lines of memory from far away
/// for that, this one fetches one: a slot is eight bytes, the number and half of the key's hash, so
/// that keys are hardly ever looked at to learn that they differ.
///
/// A table that is full moves everything it holds at once. There are many tables, which fill up at
/// slightly different moments, so that this is done in as many smaller steps.
pub(super) struct Index {
    hasher: FoldState,
    tables: Box<[Table]>,
    len: usize,
}

impl Index {
    /// The number of a key: the one of its hash that `is_it` says yes to.
    pub(super) fn find(&self, key: &impl Hash, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let (table, tag) = self.place(key);
        let table = &self.tables[table];
        table.find(tag, is_it).map(|at| number_in(table.slots[at]))
    }

    /// Puts a number under a key, in place of the one that `replaces` says yes to.
    pub(super) fn put(&mut self, key: &impl Hash, number: u32, replaces: impl Fn(u32) -> bool) {
        let (table, tag) = self.place(key);
        let table = &mut self.tables[table];
        if let Some(at) = table.find(tag, replaces) {
            table.slots[at] = slot(tag, number);
        } else {
            table.add(slot(tag, number));
            self.len += 1;
        }
    }

    /// Removes a number from under a key, where it is still there.
    pub(super) fn remove(&mut self, key: &impl Hash, number: u32) {
        let (table, tag) = self.place(key);
        let table = &mut self.tables[table];
        if let Some(at) = table.find(tag, |found| found == number) {
            table.remove(at);
            self.len -= 1;
        }
    }

    /// How many keys there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The table of a key by five bits of its hash, and the next 32, of which the last is set: no
    /// slot in use is zero.
    fn place(&self, key: &impl Hash) -> (usize, u32) {
        let hash = self.hasher.hash_one(key);
        ((hash >> 59) as usize, (hash >> 27) as u32 | 1)
    }
}

impl Default for Index {
    fn default() -> Self {
        Self {
            hasher: FoldState::default(),
            tables: (0..TABLES).map(|_| Table::of(FIRST_SLOTS)).collect(),
            len: 0,
        }
    }
}

/// A hash table with linear probing. Its length is a power of two.
struct Table {
    slots: Box<[u64]>,
    used: usize,
}

impl Table {
    fn of(slots: usize) -> Self {
        Self {
            slots: vec![FREE; slots].into(),
            used: 0,
        }
    }

    /// Where the search for a tag starts. By its highest bits, so that a table that grows keeps
    /// its order and is copied from front to back.
    fn first(&self, tag: u32) -> usize {
        ((u64::from(tag) * self.slots.len() as u64) >> 32) as usize
    }

    fn after(&self, at: usize) -> usize {
        (at + 1) & (self.slots.len() - 1)
    }

    /// How many steps it takes from one slot to another.
    fn steps(&self, from: usize, to: usize) -> usize {
        to.wrapping_sub(from) & (self.slots.len() - 1)
    }

    fn find(&self, tag: u32, is_it: impl Fn(u32) -> bool) -> Option<usize> {
        let mut at = self.first(tag);
        while self.slots[at] != FREE {
            if tag_in(self.slots[at]) == tag && is_it(number_in(self.slots[at])) {
                return Some(at);
            }
            at = self.after(at);
        }
        None
    }

    fn add(&mut self, slot: u64) {
        if (self.used + 1) * 8 > self.slots.len() * 5 {
            let mut larger = Self::of(2 * self.slots.len());
            let slots = self.slots.iter().filter(|slot| **slot != FREE);
            slots.for_each(|slot| larger.fill(*slot));
            *self = larger;
        }
        self.fill(slot);
    }

    fn fill(&mut self, slot: u64) {
        let mut at = self.first(tag_in(slot));
        while self.slots[at] != FREE {
            at = self.after(at);
        }
        self.slots[at] = slot;
        self.used += 1;
    }

    /// Frees a slot, and moves up whatever a search would no longer find behind it.
    fn remove(&mut self, at: usize) {
        let (mut gap, mut at) = (at, self.after(at));
        while self.slots[at] != FREE {
            let first = self.first(tag_in(self.slots[at]));
            if self.steps(first, at) >= self.steps(gap, at) {
                self.slots[gap] = self.slots[at];
                gap = at;
            }
            at = self.after(at);
        }
        self.slots[gap] = FREE;
        self.used -= 1;
    }
}

fn slot(tag: u32, number: u32) -> u64 {
    u64::from(tag) << 32 | u64::from(number)
}

fn tag_in(slot: u64) -> u32 {
    (slot >> 32) as u32
}

fn number_in(slot: u64) -> u32 {
    slot as u32
}

const FREE: u64 = 0;
const FIRST_SLOTS: usize = 8;
const TABLES: usize = 32;

#[cfg(test)]
mod tests {
    use anvil_queue::JobId;

    use super::*;

    #[test]
    fn what_was_put_is_found_until_it_is_removed_however_crowded_it_is() {
        let keys: Vec<_> = (0..20_000_u32).map(|n| [n; 4]).collect();
        let mut index = Index::default();
        for round in 0..3 {
            for (key, n) in keys.iter().zip(0..) {
                index.put(key, n, |_| false);
            }
            assert_eq!(index.len(), keys.len());
            // From both ends, so that what is left lies in chains with gaps.
            for (key, n) in keys.iter().zip(0..).filter(|(_, n)| n % 3 != round) {
                index.remove(key, n);
            }
            for (key, n) in keys.iter().zip(0..) {
                let expected = (n % 3 == round).then_some(n);
                assert_eq!(index.find(key, |found| found == n), expected);
            }
            for (key, n) in keys.iter().zip(0..) {
                index.remove(key, n);
            }
            assert_eq!(index.len(), 0);
        }
    }

    #[test]
    fn a_number_takes_the_place_of_the_one_it_replaces() {
        let mut index = Index::default();
        index.put(&1, 10, |_| false);
        index.put(&1, 20, |number| number == 10);
        assert_eq!(index.len(), 1);
        assert_eq!(index.find(&1, |_| true), Some(20));
        index.remove(&1, 10);
        assert_eq!(index.len(), 1, "another number stands there by now");
        index.remove(&1, 20);
        assert_eq!(index.find(&1, |_| true), None);
    }

    #[test]
    fn a_removal_that_wraps_around_the_end_loses_nothing() {
        let mut table = Table::of(8);
        let last = u32::MAX;
        for number in 1..=4 {
            table.add(slot(last, number));
        }
        table.add(slot(1, 5));
        let at = table.find(last, |number| number == 1).unwrap();
        table.remove(at);
        for (tag, number) in [(last, 2), (last, 3), (last, 4), (1, 5)] {
            assert!(table.find(tag, |found| found == number).is_some());
        }
        assert_eq!(table.slots.len(), 8);
    }

    #[test]
    fn ids_made_one_after_another_are_spread_over_all_tables() {
        let mut index = Index::default();
        for n in 0..100 * TABLES as u32 {
            index.put(&JobId::generate(), n, |_| false);
        }
        let fullest = index.tables.iter().map(|table| table.used).max();
        assert!(fullest < Some(200), "{fullest:?} of 100 expected");
    }
}
