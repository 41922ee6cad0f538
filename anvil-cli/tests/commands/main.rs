//! The commands, run in this process against the in-memory backend.

mod broken;
mod bulk;
mod interrupted;
mod letters;
mod long;
mod look;
mod store;

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anvil_cli::{Cli, Exit, Terminal, run};
use anvil_memory::MemoryBackend;
use anvil_queue::{
    DeadReason, ErrorText, FailureKind, FailureReport, JobId, NewJob, QueueBackend,
    QueueBackendExt, QueueName, Settlement, Store,
};

/// What a command wrote, and how it ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) exit: Exit,
    pub(crate) data: String,
    pub(crate) words: String,
}

impl Ran {
    pub(crate) fn lines(&self) -> Vec<&str> {
        self.data.lines().collect()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.data).unwrap()
    }
}

/// A backend, and the queue `hooks` of it.
pub(crate) struct Bench {
    pub(crate) backend: Arc<MemoryBackend>,
    pub(crate) queue: QueueName,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            backend: Arc::new(MemoryBackend::new()),
            queue: QueueName::new("hooks").unwrap(),
        }
    }

    /// Runs a command as in a pipe.
    pub(crate) async fn anvil(&self, arguments: &str) -> Ran {
        let store: Arc<dyn Store> = Arc::clone(&self.backend) as _;
        anvil_on(store, arguments, |terminal| terminal).await
    }

    /// Runs a command in front of a person who types `input`.
    pub(crate) async fn attended(&self, arguments: &str, input: &'static str) -> Ran {
        let store: Arc<dyn Store> = Arc::clone(&self.backend) as _;
        anvil_on(store, arguments, |terminal| {
            terminal.attended(input.as_bytes())
        })
        .await
    }

    pub(crate) async fn enqueue(&self, job: NewJob) -> JobId {
        let answer = self.backend.enqueue_one(&self.queue, job).await;
        answer.unwrap().unwrap().id()
    }

    /// Stores a job and buries it; nothing else may be ready.
    pub(crate) async fn kill(&self, job: NewJob, reason: DeadReason, error: &str) -> JobId {
        self.enqueue(job).await;
        let minute = Duration::from_secs(60);
        let reserved = self.backend.reserve_one(&self.queue, minute).await;
        let lease = reserved.unwrap().expect("a ready job").lease;
        let id = lease.job();
        let error = ErrorText::new(error);
        let failure = FailureReport::new(FailureKind::Transient, error, "worker-1".into());
        let bury = Settlement::Bury { reason, failure };
        self.backend
            .settle_one(&self.queue, lease, bury)
            .await
            .unwrap();
        id
    }

    /// Buries this many plain jobs.
    pub(crate) async fn kill_many(&self, count: usize) -> Vec<JobId> {
        let mut ids = Vec::new();
        for n in 0..count {
            let job = NewJob::new(n.to_string());
            ids.push(self.kill(job, DeadReason::Exhausted, "no").await);
        }
        ids
    }

    /// How many jobs are ready, and how many are dead.
    pub(crate) async fn ready_and_dead(&self) -> (usize, usize) {
        let stats = self.backend.stats(&self.queue).await.unwrap();
        (stats.ready, stats.dead)
    }
}

/// Runs a command; `--queue hooks` is added, and words are split at spaces.
pub(crate) async fn anvil_on(
    store: Arc<dyn Store>,
    arguments: &str,
    change: impl FnOnce(Terminal<'static>) -> Terminal<'static>,
) -> Ran {
    let words = ["anvil", "--queue", "hooks"];
    let words = words.into_iter().chain(arguments.split_whitespace());
    let cli = Cli::try_parse_args(words).unwrap_or_else(|error| panic!("{error}"));
    let (data, words) = (Shared::default(), Shared::default());
    let mut terminal = change(Terminal::piped(data.clone(), words.clone()));
    let exit = run(&cli, store, &mut terminal).await;
    let (data, words) = (data.text(), words.text());
    Ran { exit, data, words }
}

/// The exit code of arguments that can't be read, and what is said about them.
pub(crate) fn refused(arguments: &str) -> (i32, String) {
    let words = ["anvil", "--queue", "hooks"];
    let words = words.into_iter().chain(arguments.split_whitespace());
    let error = Cli::try_parse_args(words).unwrap_err();
    (error.exit_code(), error.to_string())
}

/// What is written ends up where it can be read.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
