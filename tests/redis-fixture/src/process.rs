//! Starting and stopping programs that must not outlive the tests.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::{env, fs, process, thread};

/// A running `redis-server`, killed when this is dropped or when this process ends, however that
/// comes about.
#[derive(Debug)]
pub(crate) struct Process(Child);

impl Process {
    /// Starts `redis-server ARGUMENTS` in a directory; what it prints goes to the file [`LOG`]
    /// there.
    pub(crate) fn start(directory: &Path, arguments: &[&str]) -> Self {
        require("redis-server", "redis-server");
        let log = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(directory.join(LOG))
            .expect("the directory of a server is writable");
        let errors = log.try_clone().expect("a file can be cloned");
        let mut command = tied_to_this_process("redis-server");
        command
            .args(arguments)
            .current_dir(directory)
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(errors);
        Self(spawn(command).unwrap_or_else(|error| panic!("cannot start redis-server: {error}")))
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }

    /// Sends a signal by name, such as `STOP`.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("sh")
            .args(["-c", "kill -s \"$0\" \"$1\"", name, &self.id().to_string()])
            .status()
            .is_ok_and(|status| status.success());
        assert!(sent, "cannot send SIG{name} to {}", self.id());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only where the process has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a server prints, in its directory.
pub(crate) const LOG: &str = "redis.log";

/// A command that runs a program which the kernel kills when the thread that starts it ends.
#[cfg(target_os = "linux")]
fn tied_to_this_process(program: &str) -> Command {
    require("setpriv", "util-linux");
    // This process may have been killed before `setpriv` asked for the signal: then the parent is
    // no longer this process, and the program isn't started at all.
    let started_by_us = "test \"$PPID\" = \"$0\" && exec \"$@\"";
    let mut command = Command::new("setpriv");
    command
        .args(["--pdeathsig", "KILL", "sh", "-c", started_by_us])
        .args([&process::id().to_string(), program]);
    command
}

/// Elsewhere a server is killed by a drop only.
#[cfg(not(target_os = "linux"))]
fn tied_to_this_process(program: &str) -> Command {
    Command::new(program)
}

/// Spawns on a thread that lives as long as this process.
///
/// The kernel's "parent has died" is about the thread that forked: a server started on a test's own
/// thread would die with that test, though another still uses it.
fn spawn(command: Command) -> io::Result<Child> {
    type Order = (Command, Sender<io::Result<Child>>);
    static SPAWNER: OnceLock<Sender<Order>> = OnceLock::new();

    let spawner = SPAWNER.get_or_init(|| {
        let (orders, incoming) = channel::<Order>();
        thread::spawn(move || {
            for (mut command, answer) in incoming {
                let _ = answer.send(command.spawn());
            }
        });
        orders
    });
    let (answer, child) = channel();
    spawner
        .send((command, answer))
        .map_err(|_| io::Error::other("the thread that starts servers has ended"))?;
    child.recv().map_err(io::Error::other)?
}

/// Panics where a program is missing: a test that needs it can't be passed without it.
pub(crate) fn require(program: &str, package: &str) {
    let path = env::var_os("PATH").unwrap_or_default();
    assert!(
        env::split_paths(&path).any(|directory| directory.join(program).is_file()),
        "`{program}` is missing, and this test needs it: run `apt-get install {package}`, or \
         `cargo xtask test`, which does"
    );
}
