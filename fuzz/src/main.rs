//! Looks for requests and settings that make a scheme panic, hang or contradict itself.
//!
//! `anvil-fuzz list` names the targets. `anvil-fuzz run TARGET SECONDS FOLDER` mutates the inputs
//! that are known for the target; an input that reaches new code is kept in `FOLDER/corpus/TARGET`,
//! and one that crashes is left in `FOLDER/crashes`. `anvil-fuzz replay TARGET FILE` runs one input.
//!
//! Exit codes: 0 no crash, 1 a crash, 2 it could not be run.

mod coverage;
mod engine;
mod mutate;
mod presets;
mod request;
mod settings;
mod target;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use std::{env, fs};

use target::Target;

fn main() -> ExitCode {
    let args: Vec<_> = env::args().skip(1).collect();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["list"] => {
            for target in Target::all() {
                println!("{} {}", target.name, target.about);
            }
            ExitCode::SUCCESS
        }
        ["run", name, seconds, folder] => {
            let (Some(target), Ok(seconds)) = (Target::named(name), seconds.parse()) else {
                return usage();
            };
            match engine::run(&target, Duration::from_secs(seconds), Path::new(folder)) {
                Ok(code) => code,
                Err(error) => {
                    eprintln!("{name}: {error}");
                    ExitCode::from(2)
                }
            }
        }
        ["replay", name, file] => {
            let (Some(target), Ok(input)) = (Target::named(name), fs::read(file)) else {
                return usage();
            };
            target.run(&input);
            println!("{name}: no crash");
            ExitCode::SUCCESS
        }
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: anvil-fuzz list | run TARGET SECONDS FOLDER | replay TARGET FILE");
    ExitCode::from(2)
}
