//! How fast no-op jobs go through a worker out of Redis.
//!
//! `bench-worker-redis drain --redis URL --concurrency N --jobs N` stores the jobs, then prints
//! `jobs_per_s=` and `jobs=` once all are completed. `bench-worker-redis held --redis URL
//! --backlog N` stores a job for each one completed, so that the backlog stays as it is, and prints
//! `jobs_per_s=` and `redis_us_per_job=`, the time of Redis's main thread for the whole life of a
//! job.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anvil_benches::info::main_thread_seconds;
use anvil_benches::store;
use anvil_benches::tally::Tally;
use anvil_benches::{deliveries, options};
use anvil_queue::{Job, QueueBackend, Worker, WorkerReport, handler_fn};
use anvil_redis::RedisBackend;
use tokio::sync::Semaphore;
use tokio::time::timeout;

#[tokio::main]
async fn main() -> ExitCode {
    let args = options::args();
    let outcome = match args.split_first() {
        Some((mode, rest)) if mode == "drain" => {
            match options::values(rest, ["--redis", "--concurrency", "--jobs"]) {
                Some([url, concurrency, jobs]) => drain(url, concurrency, jobs).await,
                None => return usage(),
            }
        }
        Some((mode, rest)) if mode == "held" => {
            match options::values(rest, ["--redis", "--backlog"]) {
                Some([url, backlog]) => held(url, backlog).await,
                None => return usage(),
            }
        }
        _ => return usage(),
    };
    match outcome {
        Ok(figures) => {
            println!("{figures}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("bench-worker-redis: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: bench-worker-redis drain --redis URL --concurrency N --jobs N | held --redis URL \
         --backlog N"
    );
    ExitCode::from(2)
}

type Outcome<T> = Result<T, Box<dyn Error>>;

async fn drain(url: &str, concurrency: &str, jobs: &str) -> Outcome<String> {
    let (concurrency, jobs) = (concurrency.parse()?, jobs.parse()?);
    let backend = store::connect(url).await?;
    deliveries::store(&*backend, &store::queue(), 0..jobs).await?;

    let tally = Arc::new(Tally::new(jobs));
    let start = Instant::now();
    let until_all = async {
        // A worker that stops is found out by what is left.
        let _ = timeout(LIMIT, tally.reached()).await;
    };
    let report = work(&backend, &tally, concurrency, until_all).await?;
    let seconds = start.elapsed().as_secs_f64();
    let left = backend.stats(&store::queue()).await?.open();
    if report.completed != jobs || tally.count() != jobs || left > 0 {
        return Err(format!("of {jobs} jobs, {left} are left: {report}").into());
    }
    Ok(format!(
        "jobs_per_s={:.0} jobs={jobs}",
        jobs as f64 / seconds
    ))
}

async fn held(url: &str, backlog: &str) -> Outcome<String> {
    let backlog: u64 = backlog.parse()?;
    let backend = store::connect(url).await?;
    deliveries::store(&*backend, &store::queue(), 0..backlog).await?;

    let tally = Arc::new(Tally::new(u64::MAX));
    let feeding = tokio::spawn(feed(url.to_owned(), Arc::clone(&tally), backlog));
    let window = async {
        tokio::time::sleep(WARM_UP).await;
        let (count, used, start) = (tally.count(), main_thread_seconds(url)?, Instant::now());
        tokio::time::sleep(WINDOW).await;
        let jobs = (tally.count() - count) as f64;
        let seconds = start.elapsed().as_secs_f64();
        let used = main_thread_seconds(url)? - used;
        let ready = backend.stats(&store::queue()).await?.ready as f64;
        if (ready - backlog as f64).abs() > backlog as f64 / 4.0 {
            return Err(format!("the backlog of {backlog} became {ready}").into());
        }
        Outcome::Ok(format!(
            "jobs_per_s={:.0} redis_us_per_job={:.2} ready={ready}",
            jobs / seconds,
            used * 1e6 / jobs
        ))
    };
    let mut figures = None;
    let until_measured = async { figures = Some(window.await) };
    let report = work(&backend, &tally, CONCURRENCY, until_measured).await?;
    feeding.abort();
    if report.completed != tally.count() || report.leases_lost > 0 {
        return Err(format!("{} jobs ran: {report}", tally.count()).into());
    }
    figures.ok_or("the worker stopped by itself")?
}

/// Runs a worker whose handler counts and does nothing else.
async fn work(
    backend: &Arc<RedisBackend>,
    tally: &Arc<Tally>,
    concurrency: usize,
    shutdown: impl Future<Output = ()>,
) -> Outcome<WorkerReport> {
    let counting = Arc::clone(tally);
    let handler = handler_fn(move |job: Job, _context| {
        let counting = Arc::clone(&counting);
        async move {
            std::hint::black_box(job.payload());
            counting.one();
            Ok(())
        }
    });
    let worker = Worker::new(Arc::clone(backend), store::queue(), handler)
        .concurrency(concurrency)
        .prefetch(PREFETCH)
        .build()?;
    Ok(worker.run(shutdown).await?)
}

/// Stores a job for each one that ran, over a connection of its own.
async fn feed(
    url: String,
    tally: Arc<Tally>,
    mut stored: u64,
) -> Result<(), anvil_queue::QueueError> {
    let backend = store::connect(&url).await?;
    let slots = Arc::new(Semaphore::new(FEEDS));
    let backlog = stored;
    loop {
        tally.at_least(stored + deliveries::BATCH - backlog).await;
        let slot = Arc::clone(&slots).acquire_owned().await;
        let (backend, batch) = (Arc::clone(&backend), stored..stored + deliveries::BATCH);
        stored = batch.end;
        tokio::spawn(async move {
            let fed = deliveries::store(&*backend, &store::queue(), batch).await;
            fed.expect("a batch is stored");
            drop(slot);
        });
    }
}

const LIMIT: Duration = Duration::from_secs(60);
const CONCURRENCY: usize = 100;
const PREFETCH: usize = 512;
const FEEDS: usize = 4;
const WARM_UP: Duration = Duration::from_secs(1);
const WINDOW: Duration = Duration::from_secs(5);
