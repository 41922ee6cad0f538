//! What the Redis benchmarks are held against: programs in `benches/peers`, built on first use.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::process::{self, cargo, root, run, target_dir};

/// The built peers.
#[derive(Debug)]
pub(super) struct Peers {
    folder: PathBuf,
}

impl Peers {
    /// Builds those in Rust and installs the packages of those for Node.js.
    pub(super) fn build() -> Result<Self, Error> {
        println!("building the peers");
        let target = target_dir()?.join("peers");
        let mut build = cargo(&["build", "--quiet", "--release", "--locked"]);
        build
            .args(["--manifest-path", "benches/peers/Cargo.toml"])
            .arg("--target-dir")
            .arg(&target);
        run(&mut build)
            .map_err(|error| Error::unusable(format!("the peers do not build: {error}")))?;
        node_packages()?;
        Ok(Self {
            folder: target.join("release"),
        })
    }

    /// One of the peers in Rust.
    pub(super) fn rust(&self, name: &str) -> Command {
        let mut command = Command::new(self.folder.join(name));
        command.current_dir(root());
        command
    }

    /// One of the programs over BullMQ.
    pub(super) fn bullmq(&self, script: &str) -> Command {
        let mut command = Command::new("node");
        command
            .current_dir(bullmq())
            .env("NODE_ENV", "production")
            .arg(script);
        command
    }
}

fn bullmq() -> PathBuf {
    root().join("benches/peers/bullmq")
}

fn node_packages() -> Result<(), Error> {
    let version = process::output(Command::new("node").arg("--version"))?;
    if major(&version).is_none_or(|major| major < NODE_MAJOR) {
        return Err(Error::unusable(format!(
            "`node` is {}; BullMQ and Fastify need {NODE_MAJOR} or newer",
            version.trim()
        )));
    }
    let folder = bullmq();
    // npm notes here what it has installed.
    let installed = folder.join("node_modules/.package-lock.json");
    if is_newer(&installed, &folder.join("package-lock.json")) {
        return Ok(());
    }
    let mut install = Command::new("npm");
    install
        .current_dir(&folder)
        .args(["ci", "--omit=dev", "--ignore-scripts", "--loglevel=error"]);
    run(&mut install)
        .map_err(|error| Error::unusable(format!("BullMQ cannot be installed: {error}")))
}

/// The first number of `v20.19.2`.
fn major(version: &str) -> Option<u32> {
    let (major, _) = version.trim().strip_prefix('v')?.split_once('.')?;
    major.parse().ok()
}

fn is_newer(file: &Path, other: &Path) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified());
    matches!((changed(file), changed(other)), (Ok(file), Ok(other)) if file >= other)
}

const NODE_MAJOR: u32 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_node_is_its_first_number() {
        assert_eq!(major("v20.19.2\n"), Some(20));
        assert_eq!(major("20.19.2"), None);
    }

    #[test]
    fn a_file_that_is_missing_is_not_newer() {
        let there = root().join("Cargo.toml");
        assert!(!is_newer(&root().join("no-such-file"), &there));
        assert!(is_newer(&there, &there));
    }
}
