//! What a job weighs in Redis, ready and after it is done.
//!
//! `bench-memory-redis --redis URL --jobs N` prints `ready_bytes=` and `done_bytes=`, each for one
//! job: `used_memory` less that of the empty server. The first is with the dedupe record, the
//! second is what is left of it.

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use anvil_benches::info::settled_memory;
use anvil_benches::store;
use anvil_benches::{deliveries, options};
use anvil_queue::{QueueBackend, Reserve, Settled, Settlement};
use anvil_redis::RedisBackend;

#[tokio::main]
async fn main() -> ExitCode {
    let args = options::args();
    let Some([url, jobs]) = options::values(&args, ["--redis", "--jobs"]) else {
        eprintln!("usage: bench-memory-redis --redis URL --jobs N");
        return ExitCode::from(2);
    };
    match measure(url, jobs).await {
        Ok([ready, done]) => {
            println!("ready_bytes={ready:.1} done_bytes={done:.1}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("bench-memory-redis: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn measure(url: &str, jobs: &str) -> Result<[f64; 2], Box<dyn Error>> {
    let jobs: u64 = jobs.parse()?;
    let empty = settled_memory(url)?;
    let backend = store::connect(url).await?;
    deliveries::store(&*backend, &store::queue(), 0..jobs).await?;
    let ready = settled_memory(url)?;
    let completed = complete_all(&backend).await?;
    if completed != jobs {
        return Err(format!("{completed} of {jobs} jobs were completed").into());
    }
    let done = settled_memory(url)?;
    Ok([ready, done].map(|memory| (memory - empty) / jobs as f64))
}

async fn complete_all(backend: &RedisBackend) -> Result<u64, Box<dyn Error>> {
    let queue = store::queue();
    let mut completed = 0;
    loop {
        let request = Reserve::new(BATCH, Duration::from_secs(30));
        let reserved = backend.reserve(&queue, request).await?;
        if reserved.is_empty() {
            return Ok(completed);
        }
        let outcomes: Vec<_> = reserved
            .into_iter()
            .map(|reserved| (reserved.lease, Settlement::Complete))
            .collect();
        let settled = backend.settle(&queue, &outcomes).await?;
        completed += settled
            .iter()
            .filter(|settled| matches!(settled, Settled::Applied))
            .count() as u64;
    }
}

const BATCH: usize = 256;
