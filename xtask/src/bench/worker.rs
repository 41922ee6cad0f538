//! `worker-memory`: the worker over the memory backend against a bare channel.

use super::measure::{Bar, Measure, RUNS};
use super::programs::Programs;
use crate::error::Error;

/// `bench-worker ours|floor` prints `jobs_per_s=`; `bench-worker backlog` prints
/// `extra_ns_per_job=`.
pub(super) fn run(programs: &Programs) -> Result<Vec<Measure>, Error> {
    let rate = Measure::of_pairs("no-op jobs", "jobs/s", Bar::AtLeast(0.3), |side| {
        programs
            .figures("bench-worker", &[side.argument()])?
            .positive("jobs_per_s")
    })?;

    let name = "added by a backlog of 1,000,000";
    let mut added = Vec::with_capacity(RUNS);
    for number in 1..=RUNS {
        let figure = programs
            .figures("bench-worker", &["backlog"])?
            .get("extra_ns_per_job")?;
        println!("{name}: run {number} of {RUNS}: {figure} ns a job");
        added.push(figure);
    }
    Ok(vec![
        rate,
        Measure::of_runs(name, "ns a job", Bar::AtMost(1_000.0), added),
    ])
}
