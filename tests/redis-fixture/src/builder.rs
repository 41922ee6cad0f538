//! The settings of a server to be started.

use crate::credentials::Credentials;
use crate::server::{Server, Setup};

/// What a server is to be like; [`start`](Self::start) makes it so.
///
/// By default a server keeps everything in memory, has no memory limit and asks for no password.
///
/// ```
/// use anvil_redis_fixture::Server;
///
/// let server = Server::builder()
///     .user("anvil", "secret")
///     .config("maxmemory-policy", "volatile-lru")
///     .start();
/// assert_eq!(server.url(), format!("redis://anvil:secret@127.0.0.1:{}", server.port()));
/// let policy = server.command(&["CONFIG", "GET", "maxmemory-policy"]);
/// assert_eq!(policy.array()[1].text(), "volatile-lru");
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Builder {
    setup: Setup,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            setup: Setup::new(),
        }
    }

    /// Keeps an append-only file, so that a restarted server has its data. Default: none.
    pub fn append_only(self, fsync: Fsync) -> Self {
        let fsync = match fsync {
            Fsync::Always => "always",
            Fsync::Everysec => "everysec",
            Fsync::No => "no",
        };
        self.config("appendonly", "yes")
            .config("appendfsync", fsync)
    }

    /// Limits the memory, in bytes; what happens at the limit is the server's
    /// `maxmemory-policy`, `noeviction` unless [`config`](Self::config) sets another. Default: no
    /// limit.
    pub fn max_memory(self, bytes: u64) -> Self {
        self.config("maxmemory", &bytes.to_string())
    }

    /// Asks every client for a password. Default: none.
    pub fn password(mut self, password: &str) -> Self {
        let line = format!("requirepass {}", quoted(password));
        self.setup.config.push(line);
        self.setup.credentials = Some(Credentials::new(None, password));
        self
    }

    /// Lets in only a user with a password, who may do everything. Default: everybody.
    pub fn user(mut self, name: &str, password: &str) -> Self {
        let secret = quoted(&format!(">{password}"));
        self.setup.config.push("user default off".into());
        self.setup
            .config
            .push(format!("user {name} on {secret} ~* &* +@all"));
        self.setup.credentials = Some(Credentials::new(Some(name), password));
        self
    }

    /// Speaks TLS, on a port beside the plain one, and takes any client there; see
    /// [`Server::tls_url`]. Default: no TLS.
    #[cfg(feature = "tls")]
    pub fn tls(mut self) -> Self {
        self.setup.tls = Some(false);
        self
    }

    /// Speaks TLS as [`tls`](Self::tls) does, and only with clients that show a certificate of its
    /// authority; see [`Server::client_pem`]. Default: no TLS.
    #[cfg(feature = "tls")]
    pub fn mutual_tls(mut self) -> Self {
        self.setup.tls = Some(true);
        self
    }

    /// Adds a line to the server's configuration file; the value stands as it would there.
    pub fn config(mut self, name: &str, value: &str) -> Self {
        self.setup.config.push(format!("{name} {value}"));
        self
    }

    /// Starts the server and waits until it answers.
    ///
    /// # Panics
    ///
    /// Panics with the server's log where it doesn't come up, and with the package to install where
    /// there is no `redis-server`.
    #[must_use]
    pub fn start(self) -> Server {
        Server::boot(&self.setup)
    }

    pub(crate) fn into_setup(self) -> Setup {
        self.setup
    }
}

/// When the append-only file reaches the disk.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Fsync {
    /// Before a command is answered: nothing acknowledged is lost, even with the machine.
    Always,
    /// Once a second.
    Everysec,
    /// When the system sees fit.
    No,
}

/// A string as the configuration file wants it where it holds blanks or quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
