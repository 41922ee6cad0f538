//! The worker of `apalis` over Redis with a handler that does nothing.
//!
//! `peer-apalis --redis URL --concurrency N --rounds N` prints `jobs_per_s=` and `jobs=`. A round
//! stores a few thousand jobs, starts a worker and times it from its first job to its last: with
//! some 8,000 jobs due at once a worker of this version stops and does not go on.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use apalis::layers::WorkerBuilderExt;
use apalis::prelude::*;
use apalis_redis::{Client, Config, ConnectionManager, RedisStorage};
use redis::IntoConnectionInfo;
use redis::io::tcp::TcpSettings;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[tokio::main]
async fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let [
        "--redis",
        url,
        "--concurrency",
        concurrency,
        "--rounds",
        rounds,
    ] = args.as_slice()
    else {
        return usage();
    };
    let (Ok(concurrency), Ok(rounds)) = (concurrency.parse(), rounds.parse()) else {
        return usage();
    };
    match measure(url, concurrency, rounds).await {
        Ok(seconds) => {
            let jobs = JOBS * rounds;
            println!("jobs_per_s={:.0} jobs={jobs}", jobs as f64 / seconds);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("peer-apalis: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: peer-apalis --redis URL --concurrency N --rounds N");
    ExitCode::from(2)
}

/// The seconds that all rounds took, without what lies between them.
async fn measure(url: &str, concurrency: usize, rounds: usize) -> Result<f64, BoxDynError> {
    let info = url.into_connection_info()?;
    let info = info.set_tcp_settings(TcpSettings::default().set_nodelay(true));
    let connection = Client::open(info)?.get_connection_manager().await?;
    let mut seconds = 0.0;
    for number in 0..rounds {
        let config = Config::default()
            .queue(format!("round-{number}"))
            .batch_size(concurrency)
            .emit_events(false)
            .persist_results(false);
        let storage = RedisStorage::new(connection.clone()).with_config(config);
        seconds += round(storage, concurrency).await?;
    }
    Ok(seconds)
}

async fn round(
    mut storage: RedisStorage<Delivery, ConnectionManager>,
    concurrency: usize,
) -> Result<f64, BoxDynError> {
    for first in (0..JOBS).step_by(BATCH) {
        let batch = first..JOBS.min(first + BATCH);
        storage
            .push_bulk(batch.map(Delivery::numbered).collect())
            .await?;
    }
    let done = Arc::new(Done::default());
    let counting = Arc::clone(&done);
    let worker = WorkerBuilder::new("bench")
        .backend(storage)
        .concurrency(concurrency)
        .build(move |delivery: Delivery| {
            let counting = Arc::clone(&counting);
            async move {
                std::hint::black_box(&delivery);
                counting.one();
            }
        });
    let start = Instant::now();
    let running = tokio::spawn(worker.run());
    tokio::time::timeout(ROUND_LIMIT, done.all.notified())
        .await
        .map_err(|_| {
            let count = done.count.load(Ordering::Relaxed);
            format!("the worker stopped after {count} of {JOBS} jobs")
        })?;
    let seconds = start.elapsed().as_secs_f64();
    running.abort();
    Ok(seconds)
}

#[derive(Debug, Deserialize, Serialize)]
struct Delivery {
    body: String,
}

impl Delivery {
    fn numbered(number: usize) -> Self {
        Self {
            body: format!("{{\"id\":{number},\"filler\":\"{:x>270}\"}}", ""),
        }
    }
}

#[derive(Debug, Default)]
struct Done {
    count: AtomicUsize,
    all: Notify,
}

impl Done {
    fn one(&self) {
        if self.count.fetch_add(1, Ordering::Relaxed) + 1 == JOBS {
            self.all.notify_one();
        }
    }
}

const JOBS: usize = 5_000;
const BATCH: usize = 500;
const ROUND_LIMIT: Duration = Duration::from_secs(20);
