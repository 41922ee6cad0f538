//! `cargo xtask bench`: the benchmarks, each against a bar.
//!
//! A benchmark is a set of programs in the package `anvil-benches`. Every run is a fresh process
//! that prints its figures as `name=value` words. Where two programs are compared, they run in
//! pairs, and the median of the pairs' ratios is what counts: a machine that slows down half-way
//! slows both halves of a pair.

mod body;
mod figures;
mod ingress;
mod ingress_redis;
mod latency_redis;
mod measure;
mod memory_redis;
mod open_loop;
mod peers;
mod programs;
mod redis;
mod report;
mod rounds;
mod server;
mod stats;
mod timing;
mod verify;
mod worker;
mod worker_redis;
mod wrk;

use crate::error::Error;
use crate::needs::{self, Need};
use measure::Measure;
use programs::Programs;
use report::{Machine, Report};

/// Runs the named benchmarks and records them; without names, lists them.
pub(crate) fn run_all(names: &[&str]) -> Result<(), Error> {
    if names.is_empty() {
        for suite in SUITES {
            println!("{:<16} {}", suite.name, suite.about);
        }
        return Ok(());
    }
    let suites = names
        .iter()
        .map(|name| find(name))
        .collect::<Result<Vec<_>, _>>()?;
    for suite in &suites {
        needs::ensure(suite.needs)?;
    }
    let programs = Programs::build()?;
    let machine = Machine::read()?;
    let mut report = Report::load()?;
    let mut missed = Vec::new();
    for suite in suites {
        println!("{}: {}", suite.name, suite.about);
        let measures = (suite.run)(&programs)?;
        for measure in &measures {
            println!("{}: {measure}", suite.name);
            if !measure.holds() {
                missed.push(format!("{}: {}", suite.name, measure.name()));
            }
        }
        // Saved after each, so that a later one that cannot run costs no figures.
        report.replace(suite, &machine, &measures);
        report.save()?;
    }
    if missed.is_empty() {
        Ok(())
    } else {
        Err(Error::failed(format!("missed: {}", missed.join("; "))))
    }
}

/// A named benchmark.
struct Suite {
    name: &'static str,
    about: &'static str,
    needs: &'static [Need],
    run: fn(&Programs) -> Result<Vec<Measure>, Error>,
}

fn find(name: &str) -> Result<&'static Suite, Error> {
    SUITES
        .iter()
        .find(|suite| suite.name == name)
        .ok_or_else(|| {
            let names: Vec<_> = SUITES.iter().map(|suite| suite.name).collect();
            Error::unusable(format!(
                "no benchmark is called {name:?}; there are {}",
                names.join(", ")
            ))
        })
}

/// In the order of the report.
const SUITES: &[Suite] = &[
    Suite {
        name: "verify",
        about: "the whole signature check against a pre-keyed HMAC-SHA256 of the same signed bytes",
        needs: &[],
        run: verify::run,
    },
    Suite {
        name: "ingress-memory",
        about: "requests a second through verify, dedupe and enqueue, a worker draining, against \
                a bare axum route that reads the body and answers 202",
        needs: needs::LOAD,
        run: ingress::run,
    },
    Suite {
        name: "worker-memory",
        about: "no-op jobs a second at concurrency 64 against tasks spawned straight from a tokio \
                channel; what a backlog of 1,000,000 adds to a job",
        needs: &[],
        run: worker::run,
    },
    Suite {
        name: "body-memory",
        about: "resident memory while 200 connections stall one byte before the end of a 1 MiB \
                body, each answered 408 at the deadline",
        needs: &[],
        run: body::run,
    },
    Suite {
        name: "ingress-redis",
        about: "requests a second through verify, dedupe and enqueue into Redis, against an axum \
                route that does one XADD a request, unverified, and against Fastify with BullMQ; \
                what an answer takes at a constant 5,000 deliveries a second, from the time it was \
                due",
        needs: needs::REDIS_AND_PEERS,
        run: ingress_redis::run,
    },
    Suite {
        name: "worker-redis",
        about: "no-op jobs a second out of Redis against the workers of BullMQ and apalis at the \
                same concurrency; what a backlog of 1,000,000 costs; CPU time of Redis's main \
                thread for the whole life of a job",
        needs: needs::REDIS_AND_PEERS,
        run: worker_redis::run,
    },
    Suite {
        name: "memory-redis",
        about: "used_memory of Redis, less the empty server, for 500,000 jobs with a body of 300 \
                bytes",
        needs: needs::REDIS,
        run: memory_redis::run,
    },
    Suite {
        name: "latency-redis",
        about: "the way from enqueue to handler on an idle queue, and what an idle process sends; \
                an ack among 100,000 leases and an enqueue beside 1,000,000 dead letters, against \
                the same with 100",
        needs: needs::REDIS,
        run: latency_redis::run,
    },
    Suite {
        name: "timing",
        about: "whether the time of a check tells a signature that is wrong in its first byte from \
                one that is wrong in its last: Welch's t over 1,000,000 of each",
        needs: &[],
        run: timing::run,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_benchmark_is_refused_with_the_names_there_are() {
        let Err(error) = find("speed") else {
            panic!("`speed` was found")
        };
        assert!(matches!(error, Error::Unusable(_)));
        assert!(
            error
                .to_string()
                .contains("verify, ingress-memory, worker-memory, body-memory, ingress-redis")
        );
    }
}
