//! `ingress-redis`: the chain into Redis against what others do with a delivery.
//!
//! Each contestant serves `POST /hooks` on 127.0.0.1, prints `listening`, and answers `GET /counts`
//! with `accepted=… duplicates=… refused=…`. Every run has a server and a Redis of its own.

use super::ingress::generate;
use super::measure::{Bar, Measure};
use super::open_loop;
use super::peers::Peers;
use super::programs::Programs;
use super::redis::Redis;
use super::rounds::{pairs, rounds, valid};
use super::server::Server;
use super::wrk::{Load, Requests};
use crate::error::Error;

/// Generates the requests once, then compares under load.
pub(super) fn run(programs: &Programs) -> Result<Vec<Measure>, Error> {
    let contest = Contest {
        programs,
        peers: Peers::build()?,
    };
    let requests = generate(programs, COUNT_PER_CORE)?;
    let measures = contest.all(&requests);
    requests.remove()?;
    measures
}

/// The programs that take deliveries.
pub(super) struct Contest<'a> {
    pub(super) programs: &'a Programs,
    peers: Peers,
}

impl Contest<'_> {
    fn all(&self, requests: &Requests) -> Result<Vec<Measure>, Error> {
        let mut measures = self.at(50, [Bar::AtLeast(0.85), Bar::AtLeast(3.5)], requests)?;
        measures.extend(self.at(200, [Bar::AtLeast(1.0), Bar::None], requests)?);
        measures.extend(open_loop::run(self, requests)?);
        Ok(measures)
    }

    fn at(
        &self,
        connections: u16,
        [xadd, bullmq]: [Bar; 2],
        requests: &Requests,
    ) -> Result<Vec<Measure>, Error> {
        let name = format!("{connections} connections");
        let sides = [Edge::Ours, Edge::Xadd, Edge::BullMq];
        let figures = rounds(&name, UNIT, sides.map(Edge::name), |place| {
            valid(|| {
                let redis = Redis::start()?;
                let server = self.serve(sides[place], &redis)?;
                let mut load = Load::run(server.address(), requests, connections)?;
                load.add_counts(&server.counts()?)?;
                Ok(load.judged())
            })
        })?;
        let [ours, xadds, bullmqs] = &figures;
        let against = |other: Edge, bar, others: &[f64]| {
            let name = format!("{name}, against {}", other.name());
            Measure::of_finished_pairs(name, UNIT, bar, pairs(ours, others))
        };
        Ok(vec![
            against(Edge::Xadd, xadd, xadds),
            against(Edge::BullMq, bullmq, bullmqs),
        ])
    }

    /// A fresh server over this Redis.
    pub(super) fn serve(&self, side: Edge, redis: &Redis) -> Result<Server, Error> {
        let mut command = match side {
            Edge::Ours => self.programs.command("bench-ingress-redis"),
            Edge::Xadd => self.peers.rust("peer-floor"),
            Edge::BullMq => self.peers.bullmq("ingress.js"),
        };
        Server::start(command.args(["--redis", &redis.url()]))
    }
}

/// Who takes the deliveries.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edge {
    Ours,
    Xadd,
    BullMq,
}

impl Edge {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Xadd => "XADD",
            Self::BullMq => "Fastify with BullMQ",
        }
    }
}

const UNIT: &str = "requests/s";
/// Enough for 120,000 requests a second on two cores; a run that exhausts them says so.
const COUNT_PER_CORE: u64 = 300_000;
