//! `worker-redis`: no-op jobs out of Redis, against other workers and under a long backlog.
//!
//! Every contestant stores its jobs first, then runs its worker and prints `jobs_per_s=` and
//! `jobs=` once every job is accounted for. `bench-worker-redis held` prints
//! `redis_us_per_job=` as well.

use super::figures::Figures;
use super::measure::{Bar, Measure};
use super::peers::Peers;
use super::programs::Programs;
use super::redis::Redis;
use super::rounds::{pairs, rounds};
use crate::error::Error;
use crate::process;

/// Compares at both concurrencies, then holds ours at two backlogs.
pub(super) fn run(programs: &Programs) -> Result<Vec<Measure>, Error> {
    let peers = Peers::build()?;
    let mut measures = Vec::new();
    for concurrency in ["20", "100"] {
        measures.extend(against_peers(programs, &peers, concurrency)?);
    }
    measures.extend(held(programs)?);
    Ok(measures)
}

fn against_peers(
    programs: &Programs,
    peers: &Peers,
    concurrency: &str,
) -> Result<Vec<Measure>, Error> {
    let name = format!("concurrency {concurrency}");
    let contestants = ["ours", "BullMQ", "apalis"];
    let [ours, bullmq, apalis] = rounds(&name, UNIT, contestants, |place| {
        let (mut command, amount) = match place {
            0 => (drain(programs), ["--jobs", "400000"]),
            1 => (peers.bullmq("worker.js"), ["--jobs", "30000"]),
            _ => (peers.rust("peer-apalis"), ["--rounds", "6"]),
        };
        let redis = Redis::start()?;
        command
            .args(["--redis", &redis.url(), "--concurrency", concurrency])
            .args(amount);
        let text = process::output(&mut command)
            .map_err(|error| Error::unusable(format!("{}: {error}", contestants[place])))?;
        Figures::parse(&text)?.positive("jobs_per_s")
    })?;
    let against = |other: &str, others: &[f64]| {
        Measure::of_finished_pairs(
            format!("{name}, against {other}"),
            UNIT,
            Bar::AtLeast(6.0),
            pairs(&ours, others),
        )
    };
    Ok(vec![against("BullMQ", &bullmq), against("apalis", &apalis)])
}

fn drain(programs: &Programs) -> std::process::Command {
    let mut command = programs.command("bench-worker-redis");
    command.arg("drain");
    command
}

fn held(programs: &Programs) -> Result<Vec<Measure>, Error> {
    let backlogs = ["1000000", "10000"];
    let name = "backlog held";
    let mut costs = Vec::new();
    let [long, short] = rounds(
        name,
        UNIT,
        ["at 1,000,000:", "at 10,000:"],
        |place| -> Result<f64, Error> {
            let redis = Redis::start()?;
            let arguments = [
                "held",
                "--redis",
                &redis.url(),
                "--backlog",
                backlogs[place],
            ];
            let figures = programs.figures("bench-worker-redis", &arguments)?;
            if place == 0 {
                costs.push(figures.positive("redis_us_per_job")?);
            }
            figures.positive("jobs_per_s")
        },
    )?;
    Ok(vec![
        Measure::of_finished_pairs(
            "backlog held at 1,000,000, against 10,000",
            UNIT,
            Bar::AtLeast(0.9),
            pairs(&long, &short),
        ),
        Measure::of_runs(
            "Redis's main thread, backlog held at 1,000,000",
            "µs a job",
            Bar::AtMost(20.0),
            costs,
        ),
    ])
}

const UNIT: &str = "jobs/s";
