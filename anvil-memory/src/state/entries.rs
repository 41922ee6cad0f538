use anvil_queue::JobId;
use slab::Slab;

use super::entry::Entry;
use super::index::Index;

/// The entries of all jobs, by id.
///
/// They lie in a slab, where the slot that became free last is the next to be taken: in a queue
/// that keeps up, the same few are used over and over and stay in the cache.
#[derive(Default)]
pub(super) struct Entries {
    slots: Slab<(JobId, Entry)>,
    index: Index,
}

impl Entries {
    /// Adds the entry of a job that may be there already; false where it is, and is kept.
    pub(super) fn insert_new(&mut self, id: JobId, entry: Entry) -> bool {
        if self.get(&id).is_some() {
            return false;
        }
        // No memory holds four billion entries, so the number fits.
        let number = self.slots.insert((id, entry)) as u32;
        self.index.put(&id, number, |_| false);
        true
    }

    pub(super) fn remove(&mut self, id: &JobId) -> Option<Entry> {
        let number = self.number(id)?;
        self.index.remove(id, number);
        let (_, entry) = self.slots.try_remove(number as usize)?;
        Some(entry)
    }

    pub(super) fn get(&self, id: &JobId) -> Option<&Entry> {
        let (_, entry) = self.slots.get(self.number(id)? as usize)?;
        Some(entry)
    }

    pub(super) fn get_mut(&mut self, id: &JobId) -> Option<&mut Entry> {
        let number = self.number(id)?;
        let (_, entry) = self.slots.get_mut(number as usize)?;
        Some(entry)
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    fn number(&self, id: &JobId) -> Option<u32> {
        self.index.find(id, |number| {
            let slot = self.slots.get(number as usize);
            slot.is_some_and(|(other, _)| other == id)
        })
    }
}
