//! The program as an operator runs it: in pipes, on a terminal, on a real Redis.

mod pipes;
mod screen;
mod senders;
mod settings;
mod signals;
mod trouble;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use anvil_queue::{
    DeadReason, ErrorText, FailureKind, FailureReport, JobId, NewJob, QueueBackend, QueueName,
    QueueStats, Reserve, Settlement,
};
use anvil_redis::RedisBackend;
use anvil_redis_fixture::Server;

/// A Redis with dead letters in its queue `hooks`.
pub(crate) struct Site {
    pub(crate) server: Server,
    backend: RedisBackend,
    queue: QueueName,
}

impl Site {
    /// Buries this many jobs with this payload.
    pub(crate) async fn with_dead(count: usize, payload: &'static str) -> Self {
        let server = Server::start();
        let backend = RedisBackend::connect(&server.url()).await.unwrap();
        Self::with_dead_of(server, backend, count, payload).await
    }

    /// The same through a backend with settings of its own.
    pub(crate) async fn with_dead_of(
        server: Server,
        backend: RedisBackend,
        count: usize,
        payload: &'static str,
    ) -> Self {
        let queue = QueueName::new("hooks").unwrap();
        let jobs = (0..count).map(|_| NewJob::new(payload)).collect();
        backend.enqueue(&queue, jobs).await.unwrap();
        let request = Reserve::new(count, Duration::from_secs(60));
        let mut reserved = Vec::new();
        // A reservation is of one partition.
        while reserved.len() < count {
            let more = backend.reserve(&queue, request.clone()).await.unwrap();
            assert!(!more.is_empty());
            reserved.extend(more);
        }
        let failure = FailureReport::new(FailureKind::Transient, ErrorText::new("no"), "w".into());
        let reason = DeadReason::Exhausted;
        let bury = |reserved: anvil_queue::Reserved| {
            let failure = failure.clone();
            (reserved.lease, Settlement::Bury { reason, failure })
        };
        let outcomes: Vec<_> = reserved.into_iter().map(bury).collect();
        backend.settle(&queue, &outcomes).await.unwrap();
        Self {
            server,
            backend,
            queue,
        }
    }

    /// The program with its environment; the arguments are split at spaces.
    pub(crate) fn anvil(&self, arguments: &str) -> Command {
        let mut command = anvil(arguments);
        command.env("ANVIL_REDIS", self.server.url());
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Ran {
        Ran::of(self.anvil(arguments).stdin(Stdio::null()).output().unwrap())
    }

    /// Runs a line of the shell, which finds the program by its name.
    pub(crate) fn shell(&self, line: &str) -> Ran {
        let folder = Path::new(env!("CARGO_BIN_EXE_anvil")).parent().unwrap();
        let path = std::env::var("PATH").unwrap();
        let mut command = Command::new("bash");
        command.args(["-c", line]).stdin(Stdio::null());
        command.env("PATH", format!("{}:{path}", folder.display()));
        command.env("ANVIL_REDIS", self.server.url());
        command.env("ANVIL_QUEUE", "hooks");
        Ran::of(command.output().unwrap())
    }

    /// Takes the body of one waiting job away behind the backend's back.
    pub(crate) fn lose_a_body(&self) -> JobId {
        let waiting = self.run("peek --limit 1 --output ids").data;
        let id: JobId = waiting.trim().parse().unwrap();
        let words: [&[u8]; 3] = [b"HDEL", b"anvil:{hooks}:b", id.as_bytes()];
        assert_eq!(self.server.command(&words).integer(), 1);
        id
    }

    pub(crate) async fn stats(&self) -> QueueStats {
        self.backend.stats(&self.queue).await.unwrap()
    }

    pub(crate) fn ids(&self) -> Vec<JobId> {
        let listed = self.run("dead list --output ids");
        listed.data.lines().map(|id| id.parse().unwrap()).collect()
    }
}

pub(crate) fn anvil(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_anvil"));
    command.args(arguments.split_whitespace());
    command
        .env("ANVIL_QUEUE", "hooks")
        .env_remove("ANVIL_REDIS");
    command
}

#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) data: String,
    pub(crate) words: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            data: String::from_utf8(output.stdout).unwrap(),
            words: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
