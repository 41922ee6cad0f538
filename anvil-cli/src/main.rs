//! The program `anvil`; what it does is in the library.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    anvil_cli::program()
}
