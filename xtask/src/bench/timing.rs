//! `timing`: whether the time of a check tells where a wrong signature differs.

use super::measure::{Bar, Measure};
use super::programs::Programs;
use crate::error::Error;

/// `bench-timing FORM SAMPLES` prints `t=`.
pub(super) fn run(programs: &Programs) -> Result<Vec<Measure>, Error> {
    let mut measures = Vec::new();
    for (form, name, bar) in FORMS {
        let mut figures = Vec::new();
        for number in 1..=RUNS {
            let run = programs.figures("bench-timing", &[form, SAMPLES])?;
            let t = run.get("t")?;
            let (first, last) = (run.positive("first_ns")?, run.positive("last_ns")?);
            println!(
                "{name}: run {number} of {RUNS}: first byte wrong {first} ns, last byte wrong {last} ns, |t| {t}"
            );
            figures.push(t);
        }
        measures.push(Measure::of_each_run(name, "|t|", bar, figures));
    }
    Ok(measures)
}

const RUNS: usize = 3;
/// Of each kind: those that are wrong in the first byte, and those in the last.
const SAMPLES: &str = "1000000";
const FORMS: [(&str, &str, Bar); 4] = [
    ("hex", "hex, wrong first or last byte", Bar::Below(5.0)),
    (
        "base64",
        "base64, wrong first or last byte",
        Bar::Below(5.0),
    ),
    ("token", "token, wrong first or last byte", Bar::Below(5.0)),
    // Were this missed, the others would mean nothing.
    (
        "early-exit",
        "an early exit, which has to be seen",
        Bar::AtLeast(5.0),
    ),
];
