//! Worker processes, and what they ran.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

use anvil_queue::JobId;
use anvil_tests::RedisQueue;

/// A worker process. Killed when this is dropped.
pub(crate) struct Process(Child);

impl Process {
    /// Starts a worker and waits until it is connected.
    pub(crate) fn start(queue: &RedisQueue, lease_millis: u64) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_redis-worker"))
            .args([&queue.server().url(), queue.name().as_str()])
            .arg(file(queue))
            .arg(lease_millis.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "connected\n");
        Self(child)
    }

    /// `kill -9`.
    pub(crate) fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    pub(crate) fn wait(mut self) -> ExitStatus {
        self.0.wait().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only where it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// One run as the process wrote it down before it began.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) attempt: u32,
    pub(crate) reclaims: u32,
}

/// The runs of all processes so far, in order.
pub(crate) fn runs(queue: &RedisQueue) -> HashMap<JobId, Vec<Run>> {
    let mut runs: HashMap<JobId, Vec<Run>> = HashMap::new();
    let text = std::fs::read_to_string(file(queue)).unwrap_or_default();
    for line in text.lines() {
        let mut words = line.split(' ');
        let id = words.next().unwrap().parse().unwrap();
        let mut number = || words.next().unwrap().parse().unwrap();
        let (attempt, reclaims) = (number(), number());
        runs.entry(id).or_default().push(Run { attempt, reclaims });
    }
    runs
}

fn file(queue: &RedisQueue) -> PathBuf {
    queue.server().directory().join("runs")
}
