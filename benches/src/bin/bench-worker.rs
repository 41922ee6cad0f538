//! How fast no-op jobs go through a worker, against a loop that spawns the same tasks straight
//! from a channel; and what a long backlog adds.
//!
//! `bench-worker ours|floor` prints `jobs_per_s=`, `bench-worker backlog` prints
//! `extra_ns_per_job=`.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anvil_memory::MemoryBackend;
use anvil_queue::{Counters, Job, NewJob, QueueBackend, QueueName, Worker, handler_fn};
use tokio::sync::{Notify, Semaphore, mpsc};

#[tokio::main]
async fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("ours") => println!("jobs_per_s={:.0}", rate(JOBS, ours(JOBS, 0).await)),
        Some("floor") => println!("jobs_per_s={:.0}", rate(JOBS, floor(JOBS).await)),
        Some("backlog") => {
            let short = ours(JOBS, 0).await;
            let long = ours(JOBS, BACKLOG).await;
            let per_job = |time: Duration| time.as_nanos() as f64 / JOBS as f64;
            println!("extra_ns_per_job={:.1}", per_job(long) - per_job(short));
        }
        _ => {
            eprintln!("usage: bench-worker ours|floor|backlog");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// The time a worker takes for the first `jobs` of a queue that holds `behind` more.
async fn ours(jobs: u64, behind: u64) -> Duration {
    let backend = Arc::new(MemoryBackend::new());
    let queue = QueueName::new("bench").unwrap();
    let mut left = jobs + behind;
    while left > 0 {
        let batch = left.min(1_000);
        let jobs = (0..batch).map(|_| NewJob::new(PAYLOAD)).collect();
        backend.enqueue(&queue, jobs).await.unwrap();
        left -= batch;
    }

    let done = Arc::new(Done::new(jobs));
    let counting = Arc::clone(&done);
    let handler = handler_fn(move |job: Job, _context| {
        let counting = Arc::clone(&counting);
        async move {
            counting.one(&job);
            Ok(())
        }
    });
    let worker = Worker::new(backend, queue, handler)
        .concurrency(CONCURRENCY)
        .build()
        .unwrap();
    let start = Instant::now();
    let running = tokio::spawn(async move {
        let mut took = Duration::ZERO;
        let until_done = async {
            done.all.notified().await;
            took = start.elapsed();
        };
        worker.run(until_done).await.unwrap();
        took
    });
    running.await.unwrap()
}

/// The time a loop takes that receives jobs and spawns a task for each, 64 at a time.
async fn floor(jobs: u64) -> Duration {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    for _ in 0..jobs {
        let data = NewJob::new(PAYLOAD).into_data();
        let job = Job::new(data, Counters::default(), SystemTime::now(), Duration::ZERO);
        sender.send(job).unwrap();
    }
    let done = Arc::new(Done::new(jobs));
    let start = Instant::now();
    let counting = Arc::clone(&done);
    tokio::spawn(async move {
        let slots = Arc::new(Semaphore::new(CONCURRENCY));
        while let Some(job) = receiver.recv().await {
            let slot = Arc::clone(&slots).acquire_owned().await.unwrap();
            let counting = Arc::clone(&counting);
            tokio::spawn(async move {
                counting.one(&job);
                drop(slot);
            });
        }
    });
    done.all.notified().await;
    start.elapsed()
}

struct Done {
    left: AtomicU64,
    all: Notify,
}

impl Done {
    fn new(jobs: u64) -> Self {
        Self {
            left: AtomicU64::new(jobs),
            all: Notify::new(),
        }
    }

    fn one(&self, job: &Job) {
        std::hint::black_box(job.payload());
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.all.notify_one();
        }
    }
}

fn rate(jobs: u64, time: Duration) -> f64 {
    jobs as f64 / time.as_secs_f64()
}

const JOBS: u64 = 300_000;
const BACKLOG: u64 = 1_000_000;
const CONCURRENCY: usize = 64;
const PAYLOAD: &[u8] = b"{\"id\":\"evt_1\",\"type\":\"invoice.paid\"}";
