//! Retry policies of one's own, watched on a clock that skips the waiting.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::{
    Context, DeadLetters, DeadQuery, DeadReason, Handler, HandlerError, Job, NewJob,
    QueueBackendExt, QueueName, RetryPolicy, Worker,
};
use tokio::time::Instant;

mod policies;

use policies::{ByWorth, patient_with_timeouts};

// The clock is paused: whenever every task waits, it jumps to the next moment that matters.
#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("By worth: a payout is retried for days, the rest for minutes.");
    println!(
        "{}",
        life("payout.created", Bank::Closed, ByWorth::new()?).await?
    );
    println!(
        "{}",
        life("invoice.paid", Bank::Closed, ByWorth::new()?).await?
    );
    println!("A closure with bounds: half a minute, or a quarter of an hour after a timeout.");
    println!(
        "{}",
        life("invoice.paid", Bank::Closed, patient_with_timeouts()).await?
    );
    println!(
        "{}",
        life("invoice.paid", Bank::Silent, patient_with_timeouts()).await?
    );
    println!("The bank says when to come back, and that is longer than the policy's delay.");
    println!(
        "{}",
        life("invoice.paid", Bank::Busy, patient_with_timeouts()).await?
    );
    Ok(())
}

/// Runs one job until it is dead, and notes when.
async fn life(
    kind: &'static str,
    bank: Bank,
    policy: impl RetryPolicy,
) -> Result<Life, Box<dyn Error>> {
    let backend = Arc::new(MemoryBackend::new());
    let queue = QueueName::new("webhooks")?;
    backend
        .enqueue_one(&queue, NewJob::new("{}").kind(kind))
        .await??;

    let diary = Arc::new(Diary::default());
    let pay = Pay {
        bank,
        diary: Arc::clone(&diary),
    };
    Worker::new(Arc::clone(&backend), queue.clone(), pay)
        .retry_policy(policy)
        .timeout(RUN_TIMEOUT)
        .build()?
        .run_until_idle()
        .await?;

    let mut page = backend.list_dead(&queue, DeadQuery::new()).await?;
    let letter = page.letters.pop().ok_or("the job is not dead")?;
    Ok(Life {
        kind,
        bank,
        runs: diary.runs(),
        reason: letter.reason,
        last_error: letter.failures.last_error().unwrap_or_default().to_owned(),
    })
}

/// What the other side does to every request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Bank {
    Busy,
    Closed,
    Silent,
}

struct Pay {
    bank: Bank,
    diary: Arc<Diary>,
}

impl Handler for Pay {
    async fn handle(&self, _job: Job, _context: Context) -> Result<(), HandlerError> {
        self.diary.note_run();
        match self.bank {
            Bank::Busy => Err(HandlerError::retry_after(COME_BACK, "the bank is busy")),
            Bank::Closed => Err(HandlerError::transient("the bank is closed")),
            // The worker drops this run at its timeout.
            Bank::Silent => std::future::pending().await,
        }
    }
}

/// When the runs were.
struct Diary {
    start: Instant,
    runs: Mutex<Vec<Duration>>,
}

impl Diary {
    fn note_run(&self) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.push(self.start.elapsed());
    }

    fn runs(&self) -> Vec<Duration> {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.clone()
    }
}

impl Default for Diary {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            runs: Mutex::default(),
        }
    }
}

/// What became of one job.
struct Life {
    kind: &'static str,
    bank: Bank,
    runs: Vec<Duration>,
    reason: DeadReason,
    last_error: String,
}

impl fmt::Display for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            bank,
            runs,
            reason,
            last_error,
        } = self;
        writeln!(f, "  {kind}, {bank:?}:")?;
        for (number, at) in runs.iter().enumerate() {
            let seconds = at.as_secs();
            let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
            writeln!(
                f,
                "    run {:>2} after {hours:>3}:{minutes:02}:{:02}",
                number + 1,
                seconds % 60
            )?;
        }
        writeln!(f, "    dead, {reason}: {last_error}")
    }
}

const RUN_TIMEOUT: Duration = Duration::from_secs(10);
const COME_BACK: Duration = Duration::from_secs(600);

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(life: &Life) -> Vec<u64> {
        life.runs.iter().map(Duration::as_secs).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_payout_lives_for_days_and_an_invoice_for_minutes() {
        let payout = life("payout.created", Bank::Closed, ByWorth::new().unwrap());
        let payout = payout.await.unwrap();
        assert_eq!(payout.runs.len(), 15);
        assert!(payout.runs[14] > Duration::from_secs(2 * 24 * 3600));
        assert_eq!(payout.reason, DeadReason::Exhausted);
        let invoice = life("invoice.paid", Bank::Closed, ByWorth::new().unwrap());
        assert_eq!(seconds(&invoice.await.unwrap()), [0, 10, 70]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_bank_is_asked_every_quarter_of_an_hour_for_an_hour() {
        let life = life("invoice.paid", Bank::Silent, patient_with_timeouts());
        let life = life.await.unwrap();
        assert_eq!(seconds(&life), [0, 910, 1820, 2730]);
        assert_eq!(life.last_error, "the run took longer than 10s");
    }

    #[tokio::test(start_paused = true)]
    async fn the_longer_of_the_two_delays_holds() {
        let life = life("invoice.paid", Bank::Busy, patient_with_timeouts());
        let runs = seconds(&life.await.unwrap());
        assert_eq!(runs[..3], [0, 600, 1200]);
    }
}
