//! `cargo xtask test`: every test of the workspace, the examples in the docs included.

use crate::error::Error;
use crate::needs;
use crate::process::{cargo, run, succeeds};

/// Installs what the tests need, then runs them all.
pub(crate) fn run_all() -> Result<(), Error> {
    needs::ensure(needs::TEST)?;

    if succeeds(&mut cargo(&["nextest", "--version"])) {
        println!("running the tests with cargo-nextest");
        run(&mut cargo(&[
            "nextest",
            "run",
            "--workspace",
            "--all-features",
        ]))?;
    } else {
        println!("running the tests with cargo test (cargo-nextest is not installed)");
        let targets = ["--lib", "--bins", "--tests", "--examples"];
        run(cargo(&["test", "--workspace", "--all-features"]).args(targets))?;
    }

    println!("running the examples in the docs with cargo test --doc");
    run(&mut cargo(&[
        "test",
        "--doc",
        "--workspace",
        "--all-features",
    ]))
}
