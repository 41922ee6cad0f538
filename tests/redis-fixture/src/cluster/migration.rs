//! Moving a slot, step by step.

use super::{Cluster, id};
use crate::reply::Reply;
use crate::server::Server;

/// A slot on its way from one node to another.
///
/// Until [`finish`](Self::finish) the old owner answers `ASK` for a key that it no longer has, and
/// `TRYAGAIN` for a command on keys of which only some have moved; afterwards it answers `MOVED`.
#[derive(Debug)]
#[must_use = "a slot that is left half-way blocks the next migration"]
pub struct Migration<'a> {
    cluster: &'a Cluster,
    slot: String,
    from: &'a Server,
    to: &'a Server,
}

impl<'a> Migration<'a> {
    pub(super) fn begin(cluster: &'a Cluster, slot: u16, to: usize) -> Self {
        let from = &cluster.nodes[cluster.owner(slot)];
        let to = &cluster.nodes[to];
        let slot = slot.to_string();
        to.command(&["CLUSTER", "SETSLOT", &slot, "IMPORTING", &id(from)]);
        from.command(&["CLUSTER", "SETSLOT", &slot, "MIGRATING", &id(to)]);
        Self {
            cluster,
            slot,
            from,
            to,
        }
    }

    /// Moves at most so many keys of the slot; returns how many.
    ///
    /// # Panics
    ///
    /// Panics where a node refuses.
    pub fn move_keys(&self, limit: usize) -> usize {
        let limit = limit.to_string();
        let keys = self
            .from
            .command(&["CLUSTER", "GETKEYSINSLOT", &self.slot, &limit]);
        let keys = keys.array();
        if !keys.is_empty() {
            let port = self.to.port().to_string();
            let head = ["MIGRATE", "127.0.0.1", &port, "", "0", "5000", "KEYS"];
            let head = head.into_iter().map(str::as_bytes);
            let words: Vec<_> = head.chain(keys.iter().map(bytes)).collect();
            self.from.command(&words);
        }
        keys.len()
    }

    /// Gives the slot to its new owner and waits until all nodes agree.
    ///
    /// # Panics
    ///
    /// Panics where a node refuses, such as while the old owner still has a key.
    pub fn finish(self) {
        let owner = id(self.to);
        // The new owner first: the other way round nobody would own the slot for a moment.
        for node in [self.to, self.from] {
            node.command(&["CLUSTER", "SETSLOT", &self.slot, "NODE", &owner]);
        }
        self.cluster.wait_until_ok();
    }
}

fn bytes(key: &Reply) -> &[u8] {
    match key {
        Reply::Bulk(bytes) => bytes,
        other => panic!("not a key: {other:?}"),
    }
}
