//! A Redis of the benchmark's own: its port, its folder, and gone when the run is over.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::server::free_address;
use crate::error::Error;
use crate::process::{cannot_start, target_dir};

/// A running `redis-server` with an append-only file; stopped and removed when this is dropped.
#[derive(Debug)]
pub(super) struct Redis {
    process: Child,
    address: SocketAddr,
    folder: PathBuf,
}

impl Redis {
    /// Starts an empty one and waits until it answers.
    pub(super) fn start() -> Result<Self, Error> {
        let address = free_address()?;
        let folder = target_dir()?.join(format!("bench-redis-{}", address.port()));
        fs::create_dir_all(&folder)
            .map_err(|error| Error::unusable(format!("no folder for Redis: {error}")))?;
        let mut command = command(address, &folder);
        let process = command
            .spawn()
            .map_err(|error| cannot_start(&command, &error))?;
        let redis = Self {
            process,
            address,
            folder,
        };
        redis.wait_until_ready()?;
        Ok(redis)
    }

    pub(super) fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    fn wait_until_ready(&self) -> Result<(), Error> {
        let deadline = Instant::now() + START_LIMIT;
        loop {
            match ping(self.address) {
                Ok(()) => return Ok(()),
                Err(error) if Instant::now() > deadline => {
                    return Err(Error::unusable(format!("Redis did not start: {error}")));
                }
                Err(_) => thread::sleep(PAUSE),
            }
        }
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // Each fails only where there is nothing left to stop or remove.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// With the file flushed every second, as most run it. The file is not rewritten: a run is too
/// short to say what a rewrite costs, and long enough to be spoilt by one.
fn command(address: SocketAddr, folder: &Path) -> Command {
    let mut command = Command::new("redis-server");
    command
        .arg("--port")
        .arg(address.port().to_string())
        .args(["--bind", "127.0.0.1", "--save", ""])
        .args(["--appendonly", "yes", "--appendfsync", "everysec"])
        .args(["--auto-aof-rewrite-percentage", "0"])
        .args(["--loglevel", "warning", "--dir"])
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

fn ping(address: SocketAddr) -> io::Result<()> {
    let mut stream = TcpStream::connect_timeout(&address, ANSWER_LIMIT)?;
    stream.set_read_timeout(Some(ANSWER_LIMIT))?;
    stream.write_all(b"PING\r\n")?;
    let mut answer = [0; 7];
    stream.read_exact(&mut answer)?;
    if &answer == b"+PONG\r\n" {
        Ok(())
    } else {
        Err(io::Error::other("it is still loading"))
    }
}

const START_LIMIT: Duration = Duration::from_secs(10);
const ANSWER_LIMIT: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);
