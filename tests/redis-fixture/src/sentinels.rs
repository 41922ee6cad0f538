//! A master, a replica, and three sentinels that watch them.

use std::time::{Duration, Instant};

use crate::builder::Builder;
use crate::claim::{Claim, retried};
use crate::reply::Reply;
use crate::server::{Server, Setup};
use crate::wait::{LIMIT, until_or};

/// A master and a replica under three sentinels, which make the replica the master when two of them
/// have missed the master for a second or so.
///
/// ```
/// use anvil_redis_fixture::Sentinels;
///
/// let sentinels = Sentinels::start();
/// let first = sentinels.master().port();
/// sentinels.fail_over();
/// assert_ne!(sentinels.master().port(), first);
/// ```
#[derive(Debug)]
pub struct Sentinels {
    nodes: [Server; 2],
    sentinels: Vec<Server>,
}

impl Sentinels {
    /// Starts all five, and waits until the replica is in sync and every sentinel knows everybody.
    ///
    /// # Panics
    ///
    /// Panics with a server's log where one doesn't come up.
    #[must_use]
    pub fn start() -> Self {
        let sentinels = retried(Self::try_start);
        for sentinel in &sentinels.sentinels {
            // By default a sentinel looks at everybody every 10 s, says hello every 2 s, and does
            // nothing for 30 s after it was itself held up for 2 s.
            sentinel.command(&[
                "SENTINEL",
                "DEBUG",
                "INFO-PERIOD",
                "1000",
                "PUBLISH-PERIOD",
                "200",
                "ASK-PERIOD",
                "200",
                "TILT-TRIGGER",
                "20000",
            ]);
        }
        sentinels.wait_until_in_sync();
        sentinels
    }

    fn try_start() -> Option<Self> {
        let master = Server::try_boot(Claim::take(), &node().into_setup())?;
        let follows = node().config("replicaof", &format!("127.0.0.1 {}", master.port()));
        let replica = Server::try_boot(Claim::take(), &follows.into_setup())?;
        let claims: Vec<_> = (0..SENTINELS).map(|_| Claim::take()).collect();
        let ports: Vec<_> = claims.iter().map(Claim::port).collect();
        let sentinels = claims.into_iter().map(|claim| {
            let config = sentinel(claim.port(), &ports, master.port(), replica.port());
            Server::try_boot(claim, &Setup::sentinel(config))
        });
        let sentinels = sentinels.collect::<Option<_>>()?;
        Some(Self {
            nodes: [master, replica],
            sentinels,
        })
    }

    /// Makes the replica the master without any failure, and waits until every sentinel says so and
    /// the old master follows the new one.
    ///
    /// # Panics
    ///
    /// Panics where that doesn't happen, such as with one of the two down.
    pub fn fail_over(&self) {
        let old = self.master().port();
        let first = &self.sentinels[0];
        let mut asked: Option<Instant> = None;
        self.until("another node is the master", || {
            // A sentinel gives up without a word where it finds its news of the replica too old.
            // A second failover would undo the first: it is asked for only after one that would
            // have ended by now.
            let may_ask = asked.is_none_or(|asked| asked.elapsed() > FAILOVER_LIMIT * 2);
            if may_ask && named_master(first) == Some(old) {
                let reply = first.try_command(&["SENTINEL", "FAILOVER", NAME]);
                if reply.is_ok_and(|reply| !reply.is_error()) {
                    asked = Some(Instant::now());
                }
            }
            self.agreed_master().filter(|master| master.port() != old)
        });
        self.wait_until_in_sync();
    }

    /// Kills the master, waits until every sentinel names the other node and that one is a master,
    /// and returns the killed one; after a [`restart`](Server::restart) of that,
    /// [`wait_until_in_sync`](Self::wait_until_in_sync).
    ///
    /// # Panics
    ///
    /// Panics where no other node takes over.
    pub fn kill_master(&self) -> &Server {
        let old = self.master();
        old.kill();
        self.wait_for_another_master(old.port());
        old
    }

    /// Waits until one node is the master, the other follows it, and every sentinel sees both.
    ///
    /// # Panics
    ///
    /// Panics where that doesn't happen, such as with one of them down.
    pub fn wait_until_in_sync(&self) {
        self.until("the two nodes are in sync, known to all", || {
            let master = self.agreed_master()?;
            let replica = self
                .nodes
                .iter()
                .find(|node| node.port() != master.port())?;
            let follows = replication(replica)?;
            let is_in_sync = follows.contains(&format!("master_port:{}\r", master.port()))
                && follows.contains("master_link_status:up\r")
                && replication(master)?.contains("state=online");
            (is_in_sync && self.sentinels.iter().all(knows_everybody)).then_some(())
        });
    }

    /// The node that every running sentinel names as the master, and that is one.
    ///
    /// # Panics
    ///
    /// Panics where they don't come to agree.
    #[must_use]
    pub fn master(&self) -> &Server {
        self.until("the sentinels agree on a master", || self.agreed_master())
    }

    /// The name under which the sentinels know the master.
    #[must_use]
    pub fn master_name(&self) -> &str {
        NAME
    }

    /// The addresses of the sentinels.
    #[must_use]
    pub fn sentinel_urls(&self) -> Vec<String> {
        self.sentinels.iter().map(Server::url).collect()
    }

    /// The sentinels, to be killed, paused and started again one by one.
    #[must_use]
    pub fn sentinels(&self) -> &[Server] {
        &self.sentinels
    }

    /// The master and the replica, in no particular order.
    #[must_use]
    pub fn nodes(&self) -> &[Server] {
        &self.nodes
    }

    fn wait_for_another_master(&self, old: u16) {
        self.until("another node is the master", || {
            self.agreed_master().filter(|master| master.port() != old)
        });
    }

    /// Waits, and shows what the sentinels have done where that was in vain.
    fn until<T>(&self, what: &str, condition: impl FnMut() -> Option<T>) -> T {
        let what = || {
            let logs: Vec<_> = self.sentinels.iter().map(Server::log).collect();
            format!("{what}\n{}", logs.join("\n"))
        };
        until_or(what, LIMIT, condition)
    }

    fn agreed_master(&self) -> Option<&Server> {
        let mut ports = self.sentinels.iter().filter_map(named_master);
        let port = ports.next()?;
        if ports.any(|other| other != port) {
            return None;
        }
        let master = self.nodes.iter().find(|node| node.port() == port)?;
        replication(master)?
            .contains("role:master\r")
            .then_some(master)
    }
}

/// A node that is copied without the usual wait for further replicas.
fn node() -> Builder {
    Server::builder()
        .config("repl-diskless-sync-delay", "0")
        .config("repl-ping-replica-period", "1")
}

/// The configuration of a sentinel that knows everybody from the start.
fn sentinel(port: u16, all: &[u16], master: u16, replica: u16) -> Vec<String> {
    let mut config = vec![
        format!("sentinel monitor {NAME} 127.0.0.1 {master} 2"),
        format!("sentinel down-after-milliseconds {NAME} 1200"),
        format!(
            "sentinel failover-timeout {NAME} {}",
            FAILOVER_LIMIT.as_millis()
        ),
        format!("sentinel myid {}", id(port)),
        format!("sentinel known-replica {NAME} 127.0.0.1 {replica}"),
    ];
    let others = all.iter().filter(|other| **other != port);
    config.extend(others.map(|&other| {
        let id = id(other);
        format!("sentinel known-sentinel {NAME} 127.0.0.1 {other} {id}")
    }));
    config
}

/// A sentinel's name among the others: 40 digits.
fn id(port: u16) -> String {
    format!("{port:040x}")
}

fn named_master(sentinel: &Server) -> Option<u16> {
    let reply = sentinel.try_command(&["SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME]);
    match reply.ok()? {
        Reply::Array(address) => address.get(1)?.text().parse().ok(),
        _ => None,
    }
}

/// Whether a sentinel has a link to the others and finds nobody down.
fn knows_everybody(sentinel: &Server) -> bool {
    let agrees = |question: &str| {
        let reply = sentinel.try_command(&["SENTINEL", question, NAME]);
        reply.is_ok_and(|reply| match reply {
            Reply::Array(members) => !members.is_empty() && members.iter().all(is_up),
            _ => false,
        })
    };
    let quorum = sentinel.try_command(&["SENTINEL", "CKQUORUM", NAME]);
    quorum.is_ok_and(|quorum| quorum.text().starts_with("OK 3 "))
        && agrees("REPLICAS")
        && agrees("SENTINELS")
}

/// Whether the description of a replica or sentinel, names and values in turn, has no flag of one
/// that is down.
fn is_up(description: &Reply) -> bool {
    let fields = description.array();
    let flags = fields.chunks(2).find(|field| field[0].text() == "flags");
    flags.is_some_and(|flags| {
        let flags = flags[1].text();
        !flags.contains("down") && !flags.contains("disconnected")
    })
}

fn replication(node: &Server) -> Option<String> {
    let reply = node.try_command(&["INFO", "replication"]).ok()?;
    (!reply.is_error()).then(|| reply.text().to_owned())
}

const NAME: &str = "anvil";
const SENTINELS: usize = 3;
const FAILOVER_LIMIT: Duration = Duration::from_secs(3);
