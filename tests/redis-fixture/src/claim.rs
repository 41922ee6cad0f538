//! A port and a directory that no other fixture on this machine uses at the same time.

use std::fs::{self, File, OpenOptions};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, process};

/// A port with its directory, held by the lock on a file until this is dropped.
///
/// The lock also ends with the process, so a directory that a killed test left behind is emptied by
/// the next one that claims its port. It is held while the server is down: nobody else gets the
/// port of a server that is to come back.
#[derive(Debug)]
pub(crate) struct Claim {
    port: u16,
    directory: PathBuf,
    _lock: File,
}

impl Claim {
    pub(crate) fn take() -> Self {
        let root = root();
        fs::create_dir_all(&root)
            .unwrap_or_else(|error| panic!("cannot create {}: {error}", root.display()));
        let ports = u32::from(LAST - FIRST) + 1;
        let start = first_guess();
        (0..ports)
            .map(|step| start.wrapping_add(step) % ports)
            .find_map(|offset| Self::try_take(&root, FIRST + u16::try_from(offset).ok()?))
            .unwrap_or_else(|| panic!("every port from {FIRST} to {LAST} is taken"))
    }

    fn try_take(root: &Path, port: u16) -> Option<Self> {
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(root.join(format!("{port}.lock")))
            .ok()?;
        lock.try_lock().ok()?;
        // Somebody else's program, or the port a cluster's nodes would talk on.
        for port in [port, port + BUS] {
            TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok()?;
        }
        let directory = root.join(port.to_string());
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir(&directory).ok()?;
        Some(Self {
            port,
            directory,
            _lock: lock,
        })
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Tries again where a port was taken between the claim and its use.
pub(crate) fn retried<T>(mut start: impl FnMut() -> Option<T>) -> T {
    const ATTEMPTS: u32 = 20;
    (0..ATTEMPTS)
        .find_map(|_| start())
        .unwrap_or_else(|| panic!("other programs took {ATTEMPTS} claimed ports in a row"))
}

/// One folder for each user, since only its owner may remove what is in it.
fn root() -> PathBuf {
    let user = fs::metadata("/proc/self").map_or(0, |process| process.uid());
    env::temp_dir().join(format!("anvil-redis-{user}"))
}

/// Spreads the processes over the range, and the claims of one process.
fn first_guess() -> u32 {
    static CLAIMS: AtomicU32 = AtomicU32::new(0);
    let nanos = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| now.subsec_nanos());
    nanos
        .wrapping_add(process::id().wrapping_mul(61))
        .wrapping_add(CLAIMS.fetch_add(1, Ordering::Relaxed))
}

/// Below the ports that systems hand out by themselves (32768 and up on Linux), and so are the
/// ports of the cluster bus.
const FIRST: u16 = 20_000;
const LAST: u16 = 21_999;

/// The distance from a node's port to its port on the cluster bus.
const BUS: u16 = 10_000;
