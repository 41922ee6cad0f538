//! The programs of the benchmarks: built once, started afresh for every run.

use std::path::PathBuf;
use std::process::Command;

use super::figures::Figures;
use crate::error::Error;
use crate::process::{self, cargo, root, run, target_dir};

/// The built programs.
#[derive(Debug)]
pub(super) struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Builds them all with the `bench` profile.
    pub(super) fn build() -> Result<Self, Error> {
        println!("building the benchmarks");
        run(&mut cargo(&[
            "build",
            "-p",
            "anvil-benches",
            "--bins",
            "--profile",
            "bench",
        ]))
        .map_err(|error| Error::unusable(format!("the benchmarks do not build: {error}")))?;
        // Cargo puts what the `bench` profile builds where it puts a release.
        Ok(Self {
            folder: target_dir()?.join("release"),
        })
    }

    /// One of the programs, in the root of the repository.
    pub(super) fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.folder.join(name));
        command.current_dir(root());
        command
    }

    /// Runs a program to its end and reads the figures it prints.
    pub(super) fn figures(&self, name: &str, arguments: &[&str]) -> Result<Figures, Error> {
        let text = process::output(self.command(name).args(arguments))
            .map_err(|error| Error::unusable(error.to_string()))?;
        Figures::parse(&text)
            .map_err(|error| Error::unusable(format!("{name} {}: {error}", arguments.join(" "))))
    }
}
