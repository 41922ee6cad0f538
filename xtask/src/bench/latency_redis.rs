//! `latency-redis`: what one call takes, idle and beside a full house.

use super::figures::Figures;
use super::measure::{Bar, Measure, Pair, RUNS};
use super::programs::Programs;
use super::redis::Redis;
use crate::error::Error;

/// `bench-latency-redis idle` prints `pickup_p50_ms=`, `pickup_p99_ms=` and `commands_per_s=`;
/// `leases` and `dead` print `few_N_us=` and `many_N_us=` for N from 1, measured in turn.
pub(super) fn run(programs: &Programs) -> Result<Vec<Measure>, Error> {
    let mut measures = idle(programs)?;
    for (program, name) in [
        ("leases", "ack among 100,000 leases, against 100"),
        ("dead", "enqueue beside 1,000,000 dead letters, against 100"),
    ] {
        let figures = run_once(programs, program)?;
        let pairs: Result<Vec<_>, _> = (1..=RUNS).map(|number| pair(&figures, number)).collect();
        let pairs = pairs?;
        for Pair { ours, floor } in &pairs {
            println!("{name}: {ours} µs against {floor} µs");
        }
        measures.push(Measure::of_finished_pairs(
            name,
            "µs",
            Bar::AtMost(1.2),
            pairs,
        ));
    }
    Ok(measures)
}

fn idle(programs: &Programs) -> Result<Vec<Measure>, Error> {
    let mut runs = Vec::with_capacity(RUNS);
    for number in 1..=RUNS {
        let figures = run_once(programs, "idle")?;
        println!(
            "idle: run {number} of {RUNS}: pickup p99 {} ms, {} commands a second",
            figures.get("pickup_p99_ms")?,
            figures.get("commands_per_s")?
        );
        runs.push(figures);
    }
    let measure = |name: &str, unit, bar, figure: &str| {
        let figures: Result<Vec<_>, _> = runs.iter().map(|run| run.get(figure)).collect();
        Ok(Measure::of_runs(name, unit, bar, figures?))
    };
    Ok(vec![
        measure("pickup, p50", "ms", Bar::None, "pickup_p50_ms")?,
        measure("pickup, p99", "ms", Bar::Below(5.0), "pickup_p99_ms")?,
        measure(
            "sent while idle",
            "commands/s",
            Bar::Below(2.0),
            "commands_per_s",
        )?,
    ])
}

fn run_once(programs: &Programs, program: &str) -> Result<Figures, Error> {
    let redis = Redis::start()?;
    programs.figures("bench-latency-redis", &[program, "--redis", &redis.url()])
}

fn pair(figures: &Figures, number: usize) -> Result<Pair, Error> {
    Ok(Pair {
        ours: figures.positive(&format!("many_{number}_us"))?,
        floor: figures.positive(&format!("few_{number}_us"))?,
    })
}
