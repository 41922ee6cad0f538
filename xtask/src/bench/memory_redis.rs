//! `memory-redis`: what a job weighs in Redis.

use super::measure::{Bar, Measure};
use super::programs::Programs;
use super::redis::Redis;
use crate::error::Error;

/// `bench-memory-redis` prints `ready_bytes=` and `done_bytes=`, each for one job.
pub(super) fn run(programs: &Programs) -> Result<Vec<Measure>, Error> {
    let (mut ready, mut done) = (Vec::new(), Vec::new());
    for number in 1..=RUNS {
        let redis = Redis::start()?;
        let arguments = ["--redis", &redis.url(), "--jobs", "500000"];
        let figures = programs.figures("bench-memory-redis", &arguments)?;
        let (before, after) = (figures.get("ready_bytes")?, figures.get("done_bytes")?);
        println!("run {number} of {RUNS}: {before} bytes a ready job, {after} after it is done");
        ready.push(before);
        done.push(after);
    }
    Ok(vec![
        Measure::of_each_run(
            "a ready job with its dedupe record",
            "bytes",
            Bar::AtMost(560.0),
            ready,
        ),
        Measure::of_each_run("after it is done", "bytes", Bar::AtMost(110.0), done),
    ])
}

/// Fewer than elsewhere: the figures hardly differ.
const RUNS: usize = 3;
