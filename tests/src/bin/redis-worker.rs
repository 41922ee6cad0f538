//! A worker process for tests that kill it.
//!
//! `redis-worker URL QUEUE FILE LEASE` takes jobs until none is left. LEASE is in milliseconds.
//! Before each run a line `ID ATTEMPT RECLAIMS` is added to FILE, which outlives the process. A
//! payload is a word: `abort` ends the process there and then, a number sleeps for as many
//! milliseconds.

use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::time::Duration;

use anvil_queue::{HandlerError, Job, QueueName, Worker, handler_fn};
use anvil_redis::RedisBackend;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = || arguments.next().ok_or("usage: URL QUEUE FILE LEASE");
    let backend = RedisBackend::connect(&argument()?).await?;
    let queue = QueueName::new(argument()?)?;
    let runs = File::options()
        .create(true)
        .append(true)
        .open(argument()?)?;
    let lease = Duration::from_millis(argument()?.parse()?);
    // Whoever started this knows now that the process is at work.
    println!("connected");
    let handler = handler_fn(move |job: Job, _| {
        let line = format!(
            "{} {} {}\n",
            job.id(),
            job.attempt(),
            job.counters().reclaims
        );
        // One write to a file opened for appending is never torn.
        let written = (&runs).write_all(line.as_bytes());
        async move {
            written.map_err(HandlerError::transient)?;
            if &job.payload()[..] == b"abort" {
                std::process::abort();
            }
            let text = str::from_utf8(job.payload()).map_err(HandlerError::undecodable)?;
            let millis = text.parse().map_err(HandlerError::undecodable)?;
            tokio::time::sleep(Duration::from_millis(millis)).await;
            Ok(())
        }
    });
    let worker = Worker::new(backend, queue, handler)
        .concurrency(4)
        .prefetch(60)
        .lease(lease)
        .build()?;
    worker.run_until_idle().await?;
    Ok(())
}
