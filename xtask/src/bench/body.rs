//! `body-memory`: what stalled senders cost.

use super::measure::{Bar, Measure, RUNS};
use super::programs::Programs;
use crate::error::Error;

/// `bench-body` prints `rss_mib=` and `answered_408=`.
pub(super) fn run(programs: &Programs) -> Result<Vec<Measure>, Error> {
    let (mut resident, mut answered) = (Vec::new(), Vec::new());
    for number in 1..=RUNS {
        let figures = programs.figures("bench-body", &[])?;
        let (mib, count) = (figures.positive("rss_mib")?, figures.get("answered_408")?);
        println!("run {number} of {RUNS}: {mib} MiB resident, {count} answered 408");
        resident.push(mib);
        answered.push(count);
    }
    Ok(vec![
        Measure::of_each_run("resident memory", "MiB", Bar::Below(300.0), resident),
        Measure::of_each_run("answered 408", "connections", Bar::Exactly(200.0), answered),
    ])
}
