//! A Redis Cluster.

mod migration;

use crate::claim::{Claim, retried};
use crate::reply::Reply;
use crate::server::Server;
use crate::wait::{LIMIT, until};
pub use migration::Migration;

/// A Redis Cluster of three masters, each with a third of the slots, and with replicas if asked
/// for.
///
/// A start takes a little over two seconds: a Redis master takes part only two seconds after its
/// process began.
///
/// ```
/// use anvil_redis_fixture::Cluster;
///
/// let cluster = Cluster::start();
/// let slot = cluster.slot("{webhooks}:ready");
/// assert_eq!(slot, cluster.slot("{webhooks}:dead"));
/// let owner = &cluster.nodes()[cluster.owner(slot)];
/// owner.command(&["SET", "{webhooks}:ready", "1"]);
/// ```
#[derive(Debug)]
pub struct Cluster {
    nodes: Vec<Server>,
}

impl Cluster {
    /// Starts three masters and waits until all agree on everything.
    ///
    /// # Panics
    ///
    /// Panics with a server's log where one doesn't come up.
    #[must_use]
    pub fn start() -> Self {
        Self::start_with(0)
    }

    /// Starts three masters (nodes 0 to 2) with a replica each (nodes 3 to 5) and waits until all
    /// agree and every replica is in sync.
    ///
    /// # Panics
    ///
    /// Panics with a server's log where one doesn't come up.
    #[must_use]
    pub fn start_with_replicas() -> Self {
        let cluster = Self::start_with(MASTERS);
        for (replica, master) in cluster.nodes[MASTERS..].iter().zip(&cluster.nodes) {
            replica.command(&["CLUSTER", "REPLICATE", &id(master)]);
        }
        cluster.wait_for_replicas();
        cluster
    }

    fn start_with(replicas: usize) -> Self {
        let count = MASTERS + replicas;
        let nodes: Vec<_> = (0..count).map(|_| retried(try_start_node)).collect();
        for (number, (node, slots)) in nodes.iter().zip(SLOTS).enumerate() {
            let [first, last] = slots.map(|slot| slot.to_string());
            node.command(&["CLUSTER", "ADDSLOTSRANGE", &first, &last]);
            node.command(&["CLUSTER", "SET-CONFIG-EPOCH", &(number + 1).to_string()]);
        }
        for node in &nodes[1..] {
            nodes[0].command(&["CLUSTER", "MEET", "127.0.0.1", &node.port().to_string()]);
        }
        let cluster = Self { nodes };
        cluster.wait_until_ok();
        cluster
    }

    /// Waits until every running node finds the cluster in order and all agree on who owns what.
    ///
    /// # Panics
    ///
    /// Panics where that doesn't happen.
    pub fn wait_until_ok(&self) {
        until("every node finds the cluster in order", LIMIT, || {
            let mut views = self.running().map(|node| {
                let info = node.try_command(&["CLUSTER", "INFO"]).ok()?;
                let known = format!("cluster_known_nodes:{}\r", self.nodes.len());
                let is_ok = info.text().contains("cluster_state:ok\r");
                (is_ok && info.text().contains(&known)).then(|| owners(node))?
            });
            let first = views.next()??;
            views
                .all(|view| view.as_ref() == Some(&first))
                .then_some(())
        });
    }

    /// Kills the owner of a slot and waits until its replica has taken over.
    ///
    /// # Panics
    ///
    /// Panics where nobody takes over, as in a cluster without replicas.
    pub fn kill_owner(&self, slot: u16) {
        let old = self.owner(slot);
        self.nodes[old].kill();
        until("a replica takes over", LIMIT, || {
            self.agreed_owner(slot).filter(|owner| *owner != old)
        });
        self.wait_until_ok();
    }

    /// Makes the replica of a slot's owner the owner, without a failure, and waits until all agree.
    ///
    /// # Panics
    ///
    /// Panics where the owner has no replica.
    pub fn fail_over(&self, slot: u16) {
        let old = self.owner(slot);
        let master = id(&self.nodes[old]);
        let line = self.nodes[old].command(&["CLUSTER", "REPLICAS", &master]);
        let line = line
            .array()
            .first()
            .expect("the owner has a replica")
            .clone();
        let replica = line.text().split(' ').next().unwrap_or_default();
        let replica = self.running().find(|node| id(node) == replica);
        let replica = replica.expect("the replica is one of the nodes");
        replica.command(&["CLUSTER", "FAILOVER"]);
        until("the replica takes over", LIMIT, || {
            self.agreed_owner(slot).filter(|owner| *owner != old)
        });
        self.wait_until_ok();
    }

    /// Moves a slot and its keys to another node, and waits until all agree.
    ///
    /// # Panics
    ///
    /// Panics where a node refuses, such as for a slot that is there already.
    pub fn migrate_slot(&self, slot: u16, to: usize) {
        let migration = self.begin_migration(slot, to);
        while migration.move_keys(100) > 0 {}
        migration.finish();
    }

    /// Begins to move a slot to another node: from now on its owner answers `ASK` for a key that it
    /// does not have.
    ///
    /// # Panics
    ///
    /// Panics where a node refuses, such as for a slot that is there already.
    pub fn begin_migration(&self, slot: u16, to: usize) -> Migration<'_> {
        Migration::begin(self, slot, to)
    }

    /// The nodes, to be commanded, killed and started again one by one.
    #[must_use]
    pub fn nodes(&self) -> &[Server] {
        &self.nodes
    }

    /// The addresses of all nodes.
    #[must_use]
    pub fn urls(&self) -> Vec<String> {
        self.nodes.iter().map(Server::url).collect()
    }

    /// The slot of a key.
    ///
    /// # Panics
    ///
    /// Panics where every node is down.
    #[must_use]
    pub fn slot(&self, key: &str) -> u16 {
        let node = self.running().next().expect("a node is running");
        let slot = node.command(&["CLUSTER", "KEYSLOT", key]).integer();
        u16::try_from(slot).expect("a slot is below 16384")
    }

    /// The number of the node that owns a slot, once all running nodes agree.
    ///
    /// # Panics
    ///
    /// Panics where they don't come to agree.
    #[must_use]
    pub fn owner(&self, slot: u16) -> usize {
        until("the nodes agree on a slot's owner", LIMIT, || {
            self.agreed_owner(slot)
        })
    }

    fn agreed_owner(&self, slot: u16) -> Option<usize> {
        let mut views = self.running().map(|node| {
            let owners = owners(node)?;
            let range = owners.iter().find(|range| range.has(slot))?;
            Some(range.port)
        });
        let port = views.next()??;
        if views.any(|view| view != Some(port)) {
            return None;
        }
        self.nodes.iter().position(|node| node.port() == port)
    }

    fn wait_for_replicas(&self) {
        until("every replica is in sync", LIMIT, || {
            self.nodes[MASTERS..]
                .iter()
                .all(|replica| {
                    let info = replica.command(&["INFO", "replication"]);
                    info.text().contains("master_link_status:up\r")
                })
                .then_some(())
        });
        // The masters must know of the replicas before they can vote for one.
        until("every node knows the replicas", LIMIT, || {
            self.nodes
                .iter()
                .all(|node| {
                    let nodes = node.command(&["CLUSTER", "NODES"]);
                    nodes.text().matches("slave ").count() == MASTERS
                })
                .then_some(())
        });
        self.wait_until_ok();
    }

    fn running(&self) -> impl Iterator<Item = &Server> {
        self.nodes.iter().filter(|node| node.is_running())
    }
}

/// A range of slots, as one node sees it.
#[derive(Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Range {
    first: i64,
    last: i64,
    port: u16,
}

impl Range {
    fn has(&self, slot: u16) -> bool {
        (self.first..=self.last).contains(&i64::from(slot))
    }
}

/// Who owns what, as a node sees it.
fn owners(node: &Server) -> Option<Vec<Range>> {
    let Ok(Reply::Array(ranges)) = node.try_command(&["CLUSTER", "SLOTS"]) else {
        return None;
    };
    let mut owners = Vec::new();
    for range in &ranges {
        let [first, last, owner, ..] = range.array() else {
            return None;
        };
        owners.push(Range {
            first: first.integer(),
            last: last.integer(),
            port: u16::try_from(owner.array().get(1)?.integer()).ok()?,
        });
    }
    owners.sort();
    Some(owners)
}

fn id(node: &Server) -> String {
    node.command(&["CLUSTER", "MYID"]).text().to_owned()
}

fn try_start_node() -> Option<Server> {
    let setup = Server::builder()
        .config("cluster-enabled", "yes")
        .config("cluster-node-timeout", "1000")
        .config("cluster-replica-validity-factor", "0")
        .config("repl-diskless-sync-delay", "0")
        .append_only(crate::Fsync::No)
        .into_setup();
    Server::try_boot(Claim::take(), &setup)
}

const MASTERS: usize = 3;
const SLOTS: [[u16; 2]; MASTERS] = [[0, 5460], [5461, 10_922], [10_923, 16_383]];
