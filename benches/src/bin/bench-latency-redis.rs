//! What one call takes.
//!
//! `bench-latency-redis idle --redis URL` prints `pickup_p50_ms=` and `pickup_p99_ms=`, from the
//! call of enqueue to the start of the handler in an idle worker, and `commands_per_s=` that the
//! process sends while nothing happens. `leases` times acks among 100,000 leases, `dead` enqueues
//! beside 1,000,000 dead letters; both in turn with the same among 100, printing `few_N_us=` and
//! `many_N_us=` for N from 1 to 5, each the median of single calls.

use std::error::Error;
use std::fmt::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anvil_benches::crowd::Crowd;
use anvil_benches::info::commands_sent;
use anvil_benches::timing::{millis, quantile};
use anvil_benches::{deliveries, options, store};
use anvil_queue::{Job, Worker, handler_fn};
use tokio::sync::mpsc;
use tokio::time::timeout;

#[tokio::main]
async fn main() -> ExitCode {
    let args = options::args();
    let (mode, url) = match args.split_first() {
        Some((mode, rest)) => match options::values(rest, ["--redis"]) {
            Some([url]) => (mode.as_str(), url),
            None => return usage(),
        },
        None => return usage(),
    };
    let outcome = match mode {
        "idle" => idle(url).await,
        "leases" => compare(url, Crowd::Leases, 100_000).await,
        "dead" => compare(url, Crowd::Dead, 1_000_000).await,
        _ => return usage(),
    };
    match outcome {
        Ok(figures) => {
            println!("{figures}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("bench-latency-redis: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: bench-latency-redis idle|leases|dead --redis URL");
    ExitCode::from(2)
}

type Outcome = Result<String, Box<dyn Error>>;

async fn idle(url: &str) -> Outcome {
    let (started, mut starts) = mpsc::unbounded_channel();
    let handler = handler_fn(move |_job: Job, _context| {
        let _ = started.send(Instant::now());
        async { Ok(()) }
    });
    let worker = Worker::new(store::connect(url).await?, store::queue(), handler).build()?;
    tokio::spawn(async move { worker.run(std::future::pending()).await });

    tokio::time::sleep(SETTLE).await;
    let monitored = url.to_owned();
    let sent = tokio::task::spawn_blocking(move || commands_sent(&monitored, QUIET)).await??;

    let sender = store::connect(url).await?;
    let mut took = Vec::with_capacity(PICKUPS as usize);
    for number in 0..PICKUPS {
        tokio::time::sleep(PAUSE).await;
        let called = Instant::now();
        deliveries::store(&*sender, &store::queue(), number..number + 1).await?;
        let start = timeout(PICKUP_LIMIT, starts.recv()).await?;
        let start: Instant = start.ok_or("the worker stopped")?;
        took.push(start.saturating_duration_since(called));
    }
    Ok(format!(
        "pickup_p50_ms={:.3} pickup_p99_ms={:.3} commands_per_s={:.2}",
        millis(quantile(&mut took, 0.5)),
        millis(quantile(&mut took, 0.99)),
        sent as f64 / QUIET.as_secs_f64()
    ))
}

/// Times the same calls in two queues, one crowded and one not, turn by turn.
async fn compare(url: &str, crowd: Crowd, many: u64) -> Outcome {
    let backend = store::connect(url).await?;
    let queues = [
        ("few", store::queue_of("few"), 100),
        ("many", store::queue_of("many"), many),
    ];
    for (_, queue, size) in &queues {
        crowd.gather(&backend, queue, *size).await?;
    }
    let mut figures = String::new();
    // The first turn warms up.
    for turn in 0..=TURNS {
        for (name, queue, size) in &queues {
            let first = size + turn * CALLS;
            let mut took = crowd.time(&backend, queue, first..first + CALLS).await?;
            if turn > 0 {
                let median = quantile(&mut took, 0.5);
                write!(figures, "{name}_{turn}_us={:.1} ", millis(median) * 1e3)?;
            }
        }
    }
    Ok(figures)
}

const SETTLE: Duration = Duration::from_secs(2);
const QUIET: Duration = Duration::from_secs(6);
const PAUSE: Duration = Duration::from_millis(10);
const PICKUP_LIMIT: Duration = Duration::from_secs(10);
const PICKUPS: u64 = 300;
const TURNS: u64 = 5;
const CALLS: u64 = 500;
