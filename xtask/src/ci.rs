//! `cargo xtask ci`: every check a change has to pass, the cheapest first.

mod manifest;

use std::process::Command;
use std::time::Instant;
use std::{fs, io};

use crate::error::Error;
use crate::process::{cargo, output, root, run};
use crate::test;

/// Runs the checks in order and stops at the first that fails.
pub(crate) fn run_all() -> Result<(), Error> {
    let libraries = libraries()
        .map_err(|error| Error::unusable(format!("cannot read the crates' manifests: {error}")))?;

    step("format", || run(&mut cargo(&["fmt", "--all", "--check"])))?;
    for workspace in OTHER_WORKSPACES {
        step(&format!("{workspace} has its lock file"), || {
            output(&mut locked(workspace)).map(|_| ())
        })?;
    }
    step("lints", || run(&mut clippy()))?;
    step("docs", || run(&mut docs()))?;
    for library in &libraries {
        step(&format!("{} alone, without features", library.name), || {
            run(&mut check_alone(library, None))
        })?;
        for feature in &library.features {
            step(
                &format!("{} alone, with `{feature}` only", library.name),
                || run(&mut check_alone(library, Some(feature))),
            )?;
        }
    }
    for library in &libraries {
        step(&format!("{} without a web framework", library.name), || {
            no_web_framework(library)
        })?;
    }
    step("tests", test::run_all)
}

/// A published library crate, from its manifest.
struct Library {
    name: String,
    features: Vec<String>,
    /// It is a program too, which may speak HTTP as a client.
    is_program: bool,
}

/// The library crates: the folders at the top level with a `src/lib.rs` that are published.
fn libraries() -> io::Result<Vec<Library>> {
    let mut libraries = Vec::new();
    for entry in fs::read_dir(root())? {
        let folder = entry?.path();
        let manifest = folder.join("Cargo.toml");
        if !folder.join("src/lib.rs").is_file() || !manifest.is_file() {
            continue;
        }
        let manifest = fs::read_to_string(manifest)?;
        if let Some(name) = manifest::published_name(&manifest) {
            libraries.push(Library {
                name,
                features: manifest::features(&manifest),
                is_program: folder.join("src/main.rs").is_file(),
            });
        }
    }
    libraries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(libraries)
}

/// Runs one check and prints a line with its name and the time it took.
fn step(name: &str, check: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
    let start = Instant::now();
    let outcome = check();
    let seconds = start.elapsed().as_secs_f64();
    match outcome {
        Ok(()) => {
            println!("ci: {name}: passed in {seconds:.1} s");
            Ok(())
        }
        Err(error) => {
            println!("ci: {name}: failed after {seconds:.1} s");
            Err(Error::failed(format!("the step `{name}` failed: {error}")))
        }
    }
}

/// Fails where the lock file of a workspace does not fit its manifests. A dependency that a library
/// gets changes them all, and nothing else here would notice.
fn locked(workspace: &str) -> Command {
    let manifest = format!("{workspace}/Cargo.toml");
    cargo(&[
        "metadata",
        "--locked",
        "--format-version",
        "1",
        "--manifest-path",
        &manifest,
    ])
}

fn clippy() -> Command {
    let mut command = cargo(&["clippy", "--workspace", "--all-targets", "--all-features"]);
    command.args(["--", "-D", "warnings"]);
    command
}

fn docs() -> Command {
    let mut command = cargo(&["doc", "--workspace", "--no-deps", "--all-features"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    command
}

fn check_alone(library: &Library, feature: Option<&str>) -> Command {
    let mut command = cargo(&[
        "check",
        "--quiet",
        "--no-default-features",
        "-p",
        &library.name,
    ]);
    if let Some(feature) = feature {
        command.args(["--features", feature]);
    }
    command
}

/// Fails where a library's normal dependencies name a web framework, with any feature, on any
/// target.
fn no_web_framework(library: &Library) -> Result<(), Error> {
    let mut tree = cargo(&[
        "tree",
        "-p",
        &library.name,
        "-e",
        "normal",
        "--all-features",
    ]);
    tree.args(["--target", "all", "--prefix", "none", "--format", "{p}"]);
    let listing = output(&mut tree)?;
    match find_web_framework(&listing, library.is_program) {
        Some(framework) => Err(Error::failed(format!(
            "{} depends on {framework}",
            library.name
        ))),
        None => Ok(()),
    }
}

/// The first web framework in a listing of one package a line. For a program a client is none.
fn find_web_framework(listing: &str, is_program: bool) -> Option<&str> {
    let packages = listing
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    packages
        .into_iter()
        .filter(|package| !(is_program && CLIENTS.contains(package)))
        .find(|package| WEB_FRAMEWORKS.contains(package))
}

const WEB_FRAMEWORKS: &[&str] = &[
    "actix-web",
    "axum",
    "axum-core",
    "hyper",
    "hyper-util",
    "poem",
    "rocket",
    "tonic",
    "warp",
];

/// What speaks HTTP on either side.
const CLIENTS: &[&str] = &["hyper", "hyper-util"];

/// The workspaces that stand apart, so that they don't weigh on the build.
const OTHER_WORKSPACES: [&str; 2] = ["benches/peers", "fuzz"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_web_framework_in_the_tree_is_found() {
        let listing = "anvil-tower v0.1.0 (/src/anvil-tower)\nbytes v1.12.0\nhyper v1.12.0 (*)\n";
        assert_eq!(find_web_framework(listing, false), Some("hyper"));
    }

    #[test]
    fn a_program_may_speak_http_and_serve_no_framework() {
        let listing = "anvil-cli v0.1.0 (/src/anvil-cli)\nhyper v1.12.0\nhyper-util v0.1.21\n";
        assert_eq!(find_web_framework(listing, true), None);
        let listing = "hyper v1.12.0\naxum v0.8.9\n";
        assert_eq!(find_web_framework(listing, true), Some("axum"));
    }

    #[test]
    fn a_package_that_only_sounds_like_one_is_not() {
        assert_eq!(
            find_web_framework("http v1.5.0\nhyperloglog v1.0.0\n", false),
            None
        );
    }

    #[test]
    fn the_queue_is_among_the_libraries_with_its_features() {
        let libraries = libraries().unwrap();
        let queue = libraries
            .iter()
            .find(|library| library.name == "anvil-queue")
            .unwrap();
        assert!(
            queue
                .features
                .iter()
                .any(|feature| feature == "conformance")
        );
        assert!(libraries.iter().all(|library| library.name != "xtask"));
    }
}
