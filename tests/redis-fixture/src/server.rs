//! One `redis-server`.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::builder::Builder;
use crate::claim::{Claim, retried};
use crate::client::Client;
use crate::credentials::Credentials;
use crate::process::{LOG, Process};
use crate::reply::Reply;
#[cfg(feature = "tls")]
use crate::tls::Tls;
use crate::wait::{LIMIT, until, until_or};

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

    pub(crate) fn boot(setup: &Setup) -> Self {
        retried(|| Self::try_boot(Claim::take(), setup))
    }

    /// Starts a server on a port; `None` where another program was faster to take it.
    pub(crate) fn try_boot(claim: Claim, setup: &Setup) -> Option<Self> {
        let server = Self {
            process: Mutex::new(None),
            claim,
            credentials: setup.credentials.clone(),
            arguments: setup.arguments,
            #[cfg(feature = "tls")]
            tls: setup.tls.map(|_| Tls::new()),
        };
        server.write_config(setup);
        server.try_run().then_some(server)
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

    /// The address for a client that speaks TLS: `rediss://[user[:password]@]localhost:port`.
    ///
    /// # Panics
    ///
    /// Panics where the server was built without TLS.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls_url(&self) -> String {
        format!("rediss://{}localhost:{}", self.login(), self.tls_port())
    }

    /// The port on 127.0.0.1 where the server speaks TLS; a restart keeps it.
    ///
    /// # Panics
    ///
    /// Panics where the server was built without TLS.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls_port(&self) -> u16 {
        self.tls().port()
    }

    /// The certificate, in PEM, of the authority that a client has to trust.
    ///
    /// # Panics
    ///
    /// Panics where the server was built without TLS.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn ca_pem(&self) -> &str {
        self.tls().authority()
    }

    /// The certificate that a client may show, and its key, both in PEM.
    ///
    /// # Panics
    ///
    /// Panics where the server was built without TLS.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn client_pem(&self) -> (&str, &str) {
        self.tls().client()
    }

    #[cfg(feature = "tls")]
    fn tls(&self) -> &Tls {
        let tls = self.tls.as_ref();
        tls.expect("the server was built with `tls` or `mutual_tls`")
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

    fn write_config(&self, setup: &Setup) {
        let mut lines = vec![
            "bind 127.0.0.1".to_owned(),
            format!("port {}", self.port()),
            "save \"\"".to_owned(),
            // A rewrite forks, and the fork would outlive a killed server.
            "auto-aof-rewrite-percentage 0".to_owned(),
        ];
        lines.extend_from_slice(&setup.config);
        #[cfg(feature = "tls")]
        if let (Some(tls), Some(asks_clients)) = (&self.tls, setup.tls) {
            lines.extend(tls.install(self.directory(), asks_clients));
        }
        fs::write(self.directory().join(CONFIG), lines.join("\n") + "\n")
            .expect("the directory of a server is writable");
    }

    /// Starts the process and waits until it answers; `false` where another program has the port.
    fn try_run(&self) -> bool {
        let printed_before = self.log().len();
        let mut process = Process::start(self.directory(), self.arguments);
        let unanswered = || format!("redis-server does not answer:\n{}", self.log());
        let came_up = until_or(unanswered, LIMIT, || {
            if process.has_ended() {
                let log = self.log();
                let taken = log[printed_before..].contains("Address already in use");
                assert!(taken, "redis-server has ended:\n{log}");
                return Some(false);
            }
            self.answers_as(process.id()).then_some(true)
        });
        *self.process() = came_up.then_some(process);
        came_up
    }

    /// Whether the server answers, and is this process and no other.
    fn answers_as(&self, process: u32) -> bool {
        let Ok(mut client) = self.client() else {
            return false;
        };
        let pong = client.command(&["PING"]);
        if !pong.is_ok_and(|pong| pong == Reply::Status("PONG".into())) {
            return false;
        }
        let line = format!("process_id:{process}\r");
        client
            .command(&["INFO", "server"])
            .is_ok_and(|info| info.text().contains(&line))
    }

    fn process(&self) -> MutexGuard<'_, Option<Process>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running<T>(&self, act: impl FnOnce(&Process) -> T) -> T {
        let process = self.process();
        act(process.as_ref().expect("the server is running"))
    }
}

/// Everything a server is started with.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) arguments: &'static [&'static str],
    /// Lines of the configuration file.
    pub(crate) config: Vec<String>,
    pub(crate) credentials: Option<Credentials>,
    /// Whether the server speaks TLS, and with clients that have a certificate only.
    #[cfg(feature = "tls")]
    pub(crate) tls: Option<bool>,
}

impl Setup {
    pub(crate) fn new() -> Self {
        Self {
            arguments: &[CONFIG],
            config: Vec::new(),
            credentials: None,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    pub(crate) fn sentinel(config: Vec<String>) -> Self {
        Self {
            arguments: &[CONFIG, "--sentinel"],
            config,
            ..Self::new()
        }
    }
}

const CONFIG: &str = "redis.conf";
