//! What an answer takes at a constant rate, from the time the delivery was due.
//!
//! `bench-open-loop` sends at the rate whether or not the answers come, so that a stall counts for
//! every delivery that it holds up.

use super::figures::Figures;
use super::ingress_redis::{Contest, Edge};
use super::measure::{Bar, Measure};
use super::redis::Redis;
use super::rounds::{pairs, rounds, valid};
use super::stats::median;
use super::wrk::Requests;
use crate::error::Error;

/// Ours and the floor in turn; the bar is on the slowest thousandth.
pub(super) fn run(contest: &Contest<'_>, requests: &Requests) -> Result<Vec<Measure>, Error> {
    let sides = [Edge::Ours, Edge::Xadd];
    let mut runs = sides.map(|_| Vec::new());
    let name = format!("{RATE} a second, p99.9");
    let [ours, floor] = rounds(&name, "ms", sides.map(Edge::name), |place| {
        let figures = valid(|| run_once(contest, sides[place], requests))?;
        let slowest = figures.positive("p999_ms")?;
        runs[place].push(figures);
        Ok(slowest)
    })?;

    let mut measures = Vec::new();
    for (name, figure) in [("p50", "p50_ms"), ("p99", "p99_ms")] {
        let all = |runs: &[Figures]| runs.iter().map(|run| run.positive(figure)).collect();
        let (ours, floor): (Result<Vec<_>, _>, Result<Vec<_>, _>) = (all(&runs[0]), all(&runs[1]));
        measures.push(Measure::of_finished_pairs(
            format!("{RATE} a second, {name}"),
            "ms",
            Bar::None,
            pairs(&ours?, &floor?),
        ));
    }
    let told = pairs(&ours, &floor);
    measures.push(Measure::of_finished_pairs(
        format!("{name}, against XADD"),
        "ms",
        Bar::None,
        told,
    ));
    measures.push(Measure::of_runs(name, "ms", bar(&floor), ours));
    Ok(measures)
}

/// 15 ms, or twice the floor's where that is more.
fn bar(floor: &[f64]) -> Bar {
    Bar::AtMost((2.0 * median(floor)).max(15.0))
}

fn run_once(
    contest: &Contest<'_>,
    side: Edge,
    requests: &Requests,
) -> Result<Result<Figures, String>, Error> {
    let redis = Redis::start()?;
    let server = contest.serve(side, &redis)?;
    let file = requests.file.to_string_lossy();
    let figures = contest.programs.figures(
        "bench-open-loop",
        &[
            "--address",
            &server.address().to_string(),
            "--requests",
            &file,
            "--length",
            &requests.length.to_string(),
            "--rate",
            &RATE.to_string(),
            "--seconds",
            &SECONDS.to_string(),
        ],
    )?;
    let (sent, refused) = (figures.positive("sent")?, figures.get("refused")?);
    let counts = server.counts()?;
    let (accepted, duplicates) = (counts.get("accepted")?, counts.get("duplicates")?);
    Ok(if refused > 0.0 || duplicates > 0.0 || accepted != sent {
        Err(format!(
            "of {sent} sent, {refused} were refused, {duplicates} duplicates, {accepted} accepted"
        ))
    } else {
        Ok(figures)
    })
}

const RATE: u32 = 5_000;
const SECONDS: u32 = 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_is_fifteen_milliseconds_unless_twice_the_floor_is_more() {
        assert_eq!(bar(&[1.0, 2.0, 40.0]).to_string(), "≤ 15");
        assert_eq!(bar(&[9.0, 10.0, 11.0]).to_string(), "≤ 20");
    }
}
