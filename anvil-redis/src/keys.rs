//! The names of everything a queue keeps in Redis. All of one partition share a hash tag, so that
//! a cluster keeps them on one node and a script may touch them together.

use anvil_queue::{JobId, QueueName};

/// The keys of one partition of one queue.
#[derive(Debug)]
pub(crate) struct Keys {
    tag: String,
    pub(crate) config: String,
    pub(crate) bodies: String,
    pub(crate) records: String,
    pub(crate) ready: String,
    pub(crate) returned: String,
    pub(crate) suspects: String,
    pub(crate) scheduled: String,
    pub(crate) leases: String,
    pub(crate) dead: String,
    pub(crate) bell: String,
    pub(crate) applied: String,
    pub(crate) cancels: String,
    pub(crate) cancelled: String,
    pub(crate) key_claims: [String; 3],
    pub(crate) id_claims: [String; 3],
}

impl Keys {
    /// The tag is `prefix:{queue}`, and `prefix:{queue#i}` where there are several partitions. A
    /// queue's name has neither `{`, `}`, `:` nor `#` in it, so no two tags meet.
    pub(crate) fn new(
        prefix: &str,
        queue: &QueueName,
        partition: usize,
        partitions: usize,
    ) -> Self {
        let tag = if partitions > 1 {
            format!("{prefix}:{{{queue}#{partition}}}")
        } else {
            format!("{prefix}:{{{queue}}}")
        };
        let key = |name: &str| format!("{tag}:{name}");
        Self {
            config: key("c"),
            bodies: key("b"),
            records: key("m"),
            ready: key("r"),
            returned: key("q"),
            suspects: key("s"),
            scheduled: key("z"),
            leases: key("l"),
            dead: key("x"),
            bell: key("w"),
            applied: key("a"),
            cancels: key("k"),
            cancelled: key("t"),
            key_claims: ["d0", "d1", "d2"].map(key),
            id_claims: ["i0", "i1", "i2"].map(key),
            tag,
        }
    }

    /// What a script takes that moves or finds jobs wherever they are, in the order of all of them,
    /// and one key more.
    pub(crate) fn places<'k>(&'k self, more: &'k String) -> Vec<&'k [u8]> {
        names([
            &self.config,
            &self.bodies,
            &self.records,
            &self.ready,
            &self.returned,
            &self.suspects,
            &self.scheduled,
            &self.leases,
            &self.dead,
            &self.bell,
            &self.cancels,
            more,
        ])
    }

    /// Where a large job's payload is kept.
    pub(crate) fn payload(&self, id: JobId) -> Vec<u8> {
        self.of_job("o", id)
    }

    /// Where a large job's payload waits until its job is stored; `nonce` keeps two calls apart.
    pub(crate) fn staged(&self, id: JobId, nonce: u64) -> Vec<u8> {
        let mut key = self.of_job("u", id);
        key.extend_from_slice(format!(":{nonce:x}").as_bytes());
        key
    }

    /// Each key and what it holds, in the words of Redis; the keys of single jobs are not among
    /// them.
    pub(crate) fn types(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let hashes = [&self.config, &self.bodies, &self.records];
        let claims = self.key_claims.iter().chain(&self.id_claims);
        let lists = [&self.ready, &self.bell, &self.applied];
        let sets = [&self.cancels, &self.cancelled];
        let sorted_sets = [
            &self.returned,
            &self.suspects,
            &self.scheduled,
            &self.leases,
            &self.dead,
        ];
        (hashes.into_iter().chain(claims).map(|key| (key, "hash")))
            .chain(lists.map(|key| (key, "list")))
            .chain(sets.map(|key| (key, "set")))
            .chain(sorted_sets.map(|key| (key, "zset")))
            .map(|(key, kind)| (key.as_str(), kind))
    }

    fn of_job(&self, name: &str, id: JobId) -> Vec<u8> {
        format!("{}:{name}:{id}", self.tag).into_bytes()
    }
}

/// The names of keys as the first of a list to which those of single jobs are added.
pub(crate) fn names<const N: usize>(keys: [&String; N]) -> Vec<&[u8]> {
    keys.map(String::as_bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_a_partition_share_one_tag_and_no_other_partition_has_it() {
        let queue = QueueName::new("web.hooks").unwrap();
        let one = Keys::new("anvil", &queue, 0, 1);
        assert_eq!(one.config, "anvil:{web.hooks}:c");
        let third = Keys::new("anvil", &queue, 2, 4);
        assert_eq!(third.ready, "anvil:{web.hooks#2}:r");
        assert!(
            third
                .payload(JobId::generate())
                .starts_with(b"anvil:{web.hooks#2}:o:")
        );
    }
}
