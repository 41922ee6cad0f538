//! The repository's own commands, run as `cargo xtask COMMAND`.
//!
//! Only the standard library is used, so that the first command on a fresh machine is not spent
//! compiling a tool.

mod bench;
mod ci;
mod error;
mod fuzz;
mod needs;
mod presets;
mod process;
mod test;

use std::env;
use std::process::ExitCode;

use error::Error;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["test"] => test::run_all(),
        ["ci"] => ci::run_all(),
        ["presets"] => presets::write(),
        ["bench", names @ ..] => bench::run_all(names),
        ["fuzz", arguments @ ..] => fuzz::run_all(arguments),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        ["test" | "ci" | "presets", extra, ..] => {
            Err(Error::unusable(format!("unexpected argument {extra:?}")))
        }
        [unknown, ..] => Err(Error::unusable(format!(
            "no command is called {unknown:?}\n\n{USAGE}"
        ))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            error.exit_code()
        }
    }
}

const USAGE: &str = "\
cargo xtask test           run every test, installing what the tests need
cargo xtask ci             run every check a change has to pass, tests last
cargo xtask presets        write docs/presets.md from what is known of the senders
cargo xtask bench          list the benchmarks
cargo xtask bench NAME...  run the named benchmarks against their bars
cargo xtask fuzz [--seconds N]
                           give random inputs to everything that reads a request, 120 s in all

Exit codes: 0 passed; 1 a check failed, a bar was missed or an input crashed; 2 it could not be run.";
