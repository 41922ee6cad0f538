//! One `redis-server`.

mod boot;
#[cfg(feature = "tls")]
mod tls;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io};

use crate::builder::Builder;
use crate::claim::Claim;
use crate::client::Client;
use crate::credentials::Credentials;
use crate::process::{LOG, Process};
use crate::reply::Reply;
#[cfg(feature = "tls")]
use crate::tls::Tls;
use crate::wait::{LIMIT, until};
pub(crate) use boot::Setup;

/// A `redis-server` on a free port of 127.0.0.1, with a directory of its own.
///
/// It is killed and its directory removed when this is dropped; it dies with this process too.
///
/// ```
/// use anvil_redis_fixture::Server;
///
/// let server = Server::start();
/// assert!(server.url().starts_with("redis://127.0.0.1:"));
/// assert_eq!(server.command(&["INCR", "runs"]).integer(), 1);
/// ```
#[derive(Debug)]
pub struct Server {
    // Before the claim: the process ends first, then its port is given back.
    process: Mutex<Option<Process>>,
    claim: Claim,
    credentials: Option<Credentials>,
    arguments: &'static [&'static str],
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
}

impl Server {
    /// Starts a server with the defaults of [`builder`](Self::builder).
    ///
    /// # Panics
    ///
    /// See [`Builder::start`].
    #[must_use]
    pub fn start() -> Self {
        Self::builder().start()
    }

    /// The settings of a server to be started.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// Kills the server (`SIGKILL`) and waits until it is gone; does nothing where it is down.
    pub fn kill(&self) {
        *self.process() = None;
    }

    /// Shuts the server down in order (`SHUTDOWN`) and waits until it is gone.
    ///
    /// # Panics
    ///
    /// Panics where it is down already or doesn't end.
    pub fn stop(&self) {
        // The server closes the connection instead of answering.
        let refused = self.try_command(&["SHUTDOWN"]).ok();
        assert_eq!(refused, None, "the server refused to shut down");
        let mut process = self.process();
        until("the server ends after SHUTDOWN", LIMIT, || {
            process
                .as_mut()
                .is_none_or(Process::has_ended)
                .then_some(())
        });
        *process = None;
    }

    /// Starts the server again, with the same port, directory and settings, and waits until it
    /// answers. One that runs is killed first.
    ///
    /// Data is there again only with [`append_only`](Builder::append_only).
    ///
    /// # Panics
    ///
    /// Panics with the server's log where it doesn't come up.
    pub fn restart(&self) {
        self.kill();
        until("the server gets its port again", LIMIT, || {
            self.try_run().then_some(())
        });
    }

    /// Stops the process where it is (`SIGSTOP`): the kernel still takes connections and bytes for
    /// it, and nobody answers.
    ///
    /// # Panics
    ///
    /// Panics where the server is down.
    pub fn pause(&self) {
        self.running(|process| process.signal("STOP"));
    }

    /// Lets a paused process go on (`SIGCONT`).
    ///
    /// # Panics
    ///
    /// Panics where the server is down.
    pub fn resume(&self) {
        self.running(|process| process.signal("CONT"));
    }

    /// Sends a command on a connection of its own and returns the reply.
    ///
    /// # Panics
    ///
    /// Panics where the server can't be reached or answers with an error.
    pub fn command<W: AsRef<[u8]>>(&self, words: &[W]) -> Reply {
        let name = words.first().map_or(&b""[..], AsRef::as_ref);
        let name = String::from_utf8_lossy(name);
        match self.try_command(words) {
            Ok(Reply::Error(error)) => panic!("{name}: {error}"),
            Ok(reply) => reply,
            Err(error) => panic!("{name}: {error}\n{}", self.log()),
        }
    }

    /// Sends a command on a connection of its own and returns the reply, which may be
    /// [`Reply::Error`].
    ///
    /// # Errors
    ///
    /// Fails where the server can't be reached, or doesn't answer within 5 s.
    pub fn try_command<W: AsRef<[u8]>>(&self, words: &[W]) -> io::Result<Reply> {
        self.client()?.command(words)
    }

    /// A connection of its own, past the password.
    ///
    /// # Errors
    ///
    /// Fails where the server can't be reached.
    pub fn client(&self) -> io::Result<Client> {
        let mut client = Client::connect(self.port())?;
        if let Some(credentials) = &self.credentials {
            let words = credentials.auth();
            if let Reply::Error(error) = client.command(&words)? {
                return Err(io::Error::other(error));
            }
        }
        Ok(client)
    }

    /// The address for a client, user and password included:
    /// `redis://[user[:password]@]127.0.0.1:port`.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_through(self.port())
    }

    /// The same address with another port, such as that of a [`Proxy`](crate::Proxy).
    #[must_use]
    pub fn url_through(&self, port: u16) -> String {
        format!("redis://{}127.0.0.1:{port}", self.login())
    }

    /// The port on 127.0.0.1; a restart keeps it.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.claim.port()
    }

    /// The process, for as long as it runs; a restart changes it.
    ///
    /// # Panics
    ///
    /// Panics where the server is down.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.running(Process::id)
    }

    /// Whether the server was started and not killed or stopped since.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.process().is_some()
    }

    /// The directory with the server's files.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.claim.directory()
    }

    /// Everything the server has printed since it was first started.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.directory().join(LOG)).unwrap_or_default()
    }

    fn login(&self) -> String {
        let credentials = self.credentials.as_ref();
        credentials.map_or_else(String::new, Credentials::login)
    }

    fn process(&self) -> MutexGuard<'_, Option<Process>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running<T>(&self, act: impl FnOnce(&Process) -> T) -> T {
        let process = self.process();
        act(process.as_ref().expect("the server is running"))
    }
}
