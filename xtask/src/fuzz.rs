//! `cargo xtask fuzz`: random inputs to everything that reads what a stranger sends.
//!
//! The program is `fuzz`, outside the workspace. It needs no tool but a stable compiler, whose
//! counters of branches tell it which inputs lead somewhere new.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::process::{cannot_start, cargo, output, root, run, target_dir};

/// Runs every target for its share of the time, and stops at the first crash.
pub(crate) fn run_all(arguments: &[&str]) -> Result<(), Error> {
    let seconds = seconds(arguments)?;
    let program = build()?;
    let list = output(Command::new(&program).arg("list"))
        .map_err(|error| Error::unusable(error.to_string()))?;
    let names: Vec<_> = list
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    if names.is_empty() {
        return Err(Error::unusable("there is no target"));
    }
    for (number, name) in names.iter().enumerate() {
        let share = share(seconds, names.len(), number);
        println!(
            "{name}: target {} of {}, {share} s",
            number + 1,
            names.len()
        );
        run_one(&program, name, share)?;
    }
    println!("no crash in {seconds} s");
    Ok(())
}

fn run_one(program: &Path, name: &str, seconds: u64) -> Result<(), Error> {
    let folder = root().join("fuzz");
    let mut command = Command::new(program);
    command
        .args(["run", name, &seconds.to_string()])
        .arg(&folder);
    let status = command
        .status()
        .map_err(|error| cannot_start(&command, &error))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(1) => Err(Error::failed(format!(
            "{name} has crashed; its input is in fuzz/crashes"
        ))),
        Some(2) => Err(Error::unusable(format!("{name} could not be run"))),
        _ => {
            // The next run would write over it.
            let crashes = folder.join("crashes");
            let kept = format!("{name}-ended-{}", std::process::id());
            let input =
                match fs::rename(crashes.join(format!("{name}-running")), crashes.join(&kept)) {
                    Ok(()) => format!("its input is fuzz/crashes/{kept}"),
                    Err(error) => format!("its input is not there: {error}"),
                };
            Err(Error::failed(format!(
                "{name} has ended with {status}; {input}"
            )))
        }
    }
}

/// Builds with the compiler's counters, or without them where it has none for this machine.
fn build() -> Result<PathBuf, Error> {
    println!("building the targets");
    let version = output(Command::new("rustc").arg("-vV"))
        .map_err(|error| Error::unusable(error.to_string()))?;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .ok_or_else(|| Error::unusable("rustc does not say what it compiles for"))?;
    let target = target_dir()?.join("fuzz");
    let build = |flags: &str| {
        let mut build = cargo(&["build", "--release", "--locked", "--target", host]);
        build
            .args(["--manifest-path", "fuzz/Cargo.toml", "--target-dir"])
            .arg(&target)
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env("RUSTFLAGS", flags);
        run(&mut build)
    };
    if build(COUNTERS).is_err() {
        println!("without counters of branches, which this compiler does not put in");
        build("").map_err(|error| Error::unusable(format!("the targets do not build: {error}")))?;
    }
    Ok(target.join(host).join("release/anvil-fuzz"))
}

fn seconds(arguments: &[&str]) -> Result<u64, Error> {
    match arguments {
        [] => Ok(DEFAULT_SECONDS),
        ["--seconds", seconds] => seconds
            .parse()
            .ok()
            .filter(|seconds| *seconds > 0)
            .ok_or_else(|| Error::unusable(format!("{seconds:?} is no number of seconds"))),
        _ => Err(Error::unusable(
            "usage: cargo xtask fuzz [--seconds SECONDS]",
        )),
    }
}

/// The whole time over the targets; the first take what does not divide.
fn share(seconds: u64, targets: usize, number: usize) -> u64 {
    let targets = targets as u64;
    seconds / targets + u64::from((number as u64) < seconds % targets)
}

const DEFAULT_SECONDS: u64 = 120;
const COUNTERS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_split_without_a_rest() {
        let shares: Vec<_> = (0..4).map(|number| share(10, 4, number)).collect();
        assert_eq!(shares, [3, 3, 2, 2]);
    }

    #[test]
    fn a_time_that_is_none_is_unusable() {
        assert_eq!(seconds(&[]).unwrap(), DEFAULT_SECONDS);
        assert_eq!(seconds(&["--seconds", "7"]).unwrap(), 7);
        for wrong in [
            &["--seconds"][..],
            &["--seconds", "0"],
            &["--seconds", "x"],
            &["7"],
        ] {
            assert!(
                matches!(seconds(wrong), Err(Error::Unusable(_))),
                "{wrong:?}"
            );
        }
    }
}
