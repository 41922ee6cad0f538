//! `ingress-memory`: the whole chain over HTTP against a bare route, under the same load.
//!
//! `bench-ingress generate --count N --out FILE` writes N complete signed requests of equal length,
//! no two bodies alike. `bench-ingress ours|floor --port P` serves them on 127.0.0.1, prints
//! `listening` when it does, and answers `GET /counts` with `accepted=… duplicates=… refused=…`.

use std::fs;
use std::path::Path;
use std::thread;

use super::measure::{Bar, Measure, Side};
use super::programs::Programs;
use super::rounds::valid;
use super::server::Server;
use super::wrk::{Load, Requests};
use crate::error::Error;
use crate::process::{self, target_dir};

/// Generates the requests once, then compares under load.
pub(super) fn run(programs: &Programs) -> Result<Vec<Measure>, Error> {
    let requests = generate(programs, COUNT_PER_CORE)?;
    let measure = Measure::of_pairs("50 connections", "requests/s", Bar::AtLeast(0.8), |side| {
        valid(|| Ok(run_once(programs, &requests, side)?.judged()))
    });
    requests.remove()?;
    Ok(vec![measure?])
}

/// One run against a fresh server.
fn run_once(programs: &Programs, requests: &Requests, side: Side) -> Result<Load, Error> {
    let server = Server::start(programs.command("bench-ingress").arg(side.argument()))?;
    let mut load = Load::run(server.address(), requests, 50)?;
    if side == Side::Ours {
        load.add_counts(&server.counts()?)?;
    }
    Ok(load)
}

/// Signed requests in a file of their own, so many a core.
pub(super) fn generate(programs: &Programs, count_per_core: u64) -> Result<Requests, Error> {
    let file = target_dir()?.join(FILE);
    let count = count_per_core * cores().clamp(2, 5);
    println!("generating {count} signed requests");
    let mut command = programs.command("bench-ingress");
    command
        .args(["generate", "--count", &count.to_string(), "--out"])
        .arg(&file);
    process::run(&mut command).map_err(|error| Error::unusable(error.to_string()))?;
    let requests = Requests::of_file(file.clone(), file_size(&file)?, count)?;
    println!("each request has {} bytes", requests.length);
    Ok(requests)
}

fn cores() -> u64 {
    thread::available_parallelism().map_or(1, |cores| cores.get() as u64)
}

fn file_size(file: &Path) -> Result<u64, Error> {
    let metadata = fs::metadata(file);
    metadata
        .map(|metadata| metadata.len())
        .map_err(|error| Error::unusable(format!("cannot read the requests: {error}")))
}

/// Enough for 94,000 requests a second and core; a run that exhausts them says so.
const COUNT_PER_CORE: u64 = 750_000;
const FILE: &str = "signed-requests.http";
