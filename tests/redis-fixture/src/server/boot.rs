//! Writing a server's configuration and bringing its process up.

use std::fs;
use std::sync::Mutex;

use super::Server;
use crate::claim::{Claim, retried};
use crate::credentials::Credentials;
use crate::process::Process;
use crate::reply::Reply;
#[cfg(feature = "tls")]
use crate::tls::Tls;
use crate::wait::{LIMIT, until_or};

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

impl Server {
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
    pub(super) fn try_run(&self) -> bool {
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
}

const CONFIG: &str = "redis.conf";
