//! A TCP proxy that fails on demand.

mod acceptor;
mod connection;
mod frame;
mod shared;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::claim::{Claim, retried};
use shared::{Mode, Rule, Shared};

/// A proxy on 127.0.0.1 between a client and a server, both of whom it can fail.
///
/// It starts by passing everything on. It reads the commands and replies that it passes, so a fault
/// can be about one of them. A connection that speaks something else, such as TLS, and one that has
/// subscribed, is passed on as bytes: there [`fail`](Self::fail) and
/// [`rename_errors`](Self::rename_errors) do nothing.
///
/// ```
/// use anvil_redis_fixture::{Client, Fault, Proxy, Server};
///
/// let server = Server::start();
/// let proxy = Proxy::start(server.port());
/// proxy.fail("INCR", Fault::LoseReply);
///
/// let mut client = Client::connect(proxy.port()).unwrap();
/// assert!(client.command(&["INCR", "runs"]).is_err());
/// // The server has done it, and the client can't know.
/// assert_eq!(server.command(&["GET", "runs"]).text(), "1");
/// ```
#[derive(Debug)]
pub struct Proxy {
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
    claim: Claim,
}

impl Proxy {
    /// Starts a proxy to a port of 127.0.0.1, on a port of its own.
    ///
    /// Where nobody listens at the target, a connection is accepted and closed.
    ///
    /// # Panics
    ///
    /// Panics where no port is free.
    #[must_use]
    pub fn start(target: u16) -> Self {
        retried(|| {
            let claim = Claim::take();
            let shared = Arc::new(Shared::new(target));
            let acceptor = acceptor::start(claim.port(), Arc::clone(&shared)).ok()?;
            Some(Self {
                shared,
                acceptor: Some(acceptor),
                claim,
            })
        })
    }

    /// Passes everything on, with what a [`stall`](Self::stall) has held back.
    pub fn pass(&self) {
        self.shared.set_mode(Mode::Pass);
        self.settled();
    }

    /// Refuses new connections, as a server that is down does; the open ones go on.
    pub fn refuse(&self) {
        self.shared.set_mode(Mode::Refuse);
        self.settled();
    }

    /// Takes connections and bytes and passes none on, in either direction, as a host does that
    /// lost its network: a client notices nothing but silence.
    pub fn stall(&self) {
        self.shared.set_mode(Mode::Stall);
        self.settled();
    }

    /// Closes all connections that are open now; new ones are taken.
    pub fn cut(&self) {
        self.shared.cut();
    }

    /// Connects new connections to another port of 127.0.0.1; the open ones stay where they are.
    pub fn retarget(&self, target: u16) {
        self.shared.set_target(target);
    }

    /// Fails the next command with this name, once, on whichever connection it comes.
    ///
    /// Names are compared without regard to case; `*` is any command, the greeting of a client
    /// library included. Several faults for one name are used one after the other.
    pub fn fail(&self, command: &str, fault: Fault) {
        self.shared.add_rule(Rule {
            command: command.to_owned(),
            fault,
        });
    }

    /// Passes each reply on only when this much time has passed since it came. Default: zero.
    pub fn delay_replies(&self, delay: Duration) {
        self.shared.set_delay(delay);
    }

    /// Replaces the start of each error that begins with `from`, both without the `-` of the
    /// protocol: `READONLY` by `ERR READONLY`. The last call counts; an empty `from` ends it.
    pub fn rename_errors(&self, from: &str, to: &str) {
        self.shared.set_renaming(from, to);
    }

    /// How many faults have not met their command yet.
    #[must_use]
    pub fn faults_left(&self) -> usize {
        self.shared.rules_left()
    }

    /// How many connections are open.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.connections()
    }

    /// The port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.claim.port()
    }

    /// The address for a client: `redis://127.0.0.1:port`. For a server that asks for a password,
    /// see [`Server::url_through`](crate::Server::url_through).
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port())
    }

    /// Waits until the listening socket is as the mode wants it.
    fn settled(&self) {
        if self.shared.is_to_stop_listening() {
            acceptor::wake(self.port());
        }
        self.shared.wait_for_listener();
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.set_mode(Mode::Closed);
        self.shared.cut();
        acceptor::wake(self.port());
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

/// What happens to one command.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// The server doesn't get the command, and the client gets this error instead, given without
    /// the `-` of the protocol: `LOADING Redis is loading the dataset in memory`.
    Answer(String),
    /// The server carries the command out; the connection is cut after this many bytes of its
    /// reply.
    CutReplyAfter(usize),
    /// The server carries the command out; the connection is cut instead of its reply.
    LoseReply,
    /// The connection is cut before the server gets the command.
    LoseRequest,
}
