use std::collections::{HashMap, HashSet};

use anvil_queue::JobId;
use anvil_redis_fixture::Reply;

use super::RedisQueue;

/// Where every job of a queue is, as its keys say.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Census {
    /// Ready, whether they came first, came back, or have a reclaim behind them.
    pub ready: HashSet<JobId>,
    /// Scheduled.
    pub scheduled: HashSet<JobId>,
    /// Leased.
    pub leased: HashSet<JobId>,
    /// Dead.
    pub dead: HashSet<JobId>,
    /// Dead without a body, because something else removed it.
    pub missing: HashSet<JobId>,
}

impl Census {
    /// Jobs that are neither done nor dead.
    #[must_use]
    pub fn open(&self) -> usize {
        self.ready.len() + self.scheduled.len() + self.leased.len()
    }

    /// Reads all keys of a queue in one transaction, so that it may be in use.
    pub(super) fn take(queue: &RedisQueue) -> Self {
        let [
            bodies,
            records,
            cancelled,
            ready,
            returned,
            suspects,
            scheduled,
            leases,
            dead,
        ] = read(queue);
        let bodies: HashSet<_> = bodies.into_iter().map(id).collect();
        let cancelled: HashSet<_> = cancelled.into_iter().map(id).collect();
        let unmarked = |mut member: Vec<u8>| {
            // One with a reclaim behind it is marked in the line.
            if member.len() == 17 && member.ends_with(b"!") {
                member.pop();
            }
            id(member)
        };
        let ready: Vec<_> = ready.into_iter().map(unmarked).collect();

        let mut places: HashMap<JobId, Vec<&str>> = HashMap::new();
        let mut census = Self::default();
        let mut stands = |set: &mut HashSet<JobId>, place, ids: Vec<JobId>| {
            for id in ids {
                places.entry(id).or_default().push(place);
                set.insert(id);
            }
        };
        stands(&mut census.ready, "ready", ready);
        let returned = returned.into_iter().map(id).collect();
        stands(&mut census.ready, "returned", returned);
        let suspects = suspects.into_iter().map(id).collect();
        stands(&mut census.ready, "suspects", suspects);
        let scheduled = scheduled.into_iter().map(unmarked).collect();
        stands(&mut census.scheduled, "scheduled", scheduled);
        let leased = leases.iter().map(|member| of_lease(member)).collect();
        stands(&mut census.leased, "leased", leased);
        let dead = dead.into_iter().map(id).collect();
        stands(&mut census.dead, "dead", dead);

        for (id, places) in &places {
            assert_eq!(places.len(), 1, "{id} stands in {places:?}");
            if !bodies.contains(id) && !cancelled.contains(id) {
                assert_eq!(places, &["dead"], "{id} has no body");
                census.missing.insert(*id);
            }
        }
        for id in &cancelled {
            assert!(!bodies.contains(id), "{id} was cancelled and has a body");
            assert!(census.ready.remove(id), "{id} was cancelled in no line");
        }
        for id in &bodies {
            assert!(places.contains_key(id), "{id} has a body and no place");
        }
        for id in records.into_iter().map(id) {
            let known = bodies.contains(&id) || census.missing.contains(&id);
            assert!(known, "{id} has a record and no body");
        }
        census
    }
}

fn read(queue: &RedisQueue) -> [Vec<Vec<u8>>; 9] {
    let mut client = queue.server().client().expect("a connection");
    let mut ask = |words: &[&str]| client.command(words).expect("a reply");
    ask(&["MULTI"]);
    let all: [(&str, &str, &[&str]); 9] = [
        ("HKEYS", "b", &[]),
        ("HKEYS", "m", &[]),
        ("SMEMBERS", "t", &[]),
        ("LRANGE", "r", &["0", "-1"]),
        ("ZRANGE", "q", &["0", "-1"]),
        ("ZRANGE", "s", &["0", "-1"]),
        ("ZRANGE", "z", &["0", "-1"]),
        ("ZRANGE", "l", &["0", "-1"]),
        ("ZRANGE", "x", &["0", "-1"]),
    ];
    for (command, letter, range) in all {
        let key = queue.key(letter);
        let words: Vec<&str> = [&[command, &key], range].concat();
        assert_eq!(ask(&words).text(), "QUEUED");
    }
    let replies = ask(&["EXEC"]);
    let members = |reply: &Reply| {
        let members = reply.array().iter().map(|member| match member {
            Reply::Bulk(bytes) => bytes.clone(),
            other => panic!("not a member: {other:?}"),
        });
        members.collect()
    };
    let lists: Vec<_> = replies.array().iter().map(members).collect();
    lists.try_into().expect("nine replies")
}

fn id(bytes: Vec<u8>) -> JobId {
    let id = bytes.try_into().map(JobId::from_bytes);
    id.unwrap_or_else(|bytes: Vec<u8>| panic!("not an id: {bytes:?}"))
}

fn of_lease(member: &[u8]) -> JobId {
    assert_eq!(member.len(), 32, "not a lease: {member:?}");
    id(member[16..].to_vec())
}
