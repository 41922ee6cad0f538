use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anvil_queue::{Context, Handler, HandlerError, Job};
use tokio::sync::mpsc;

/// The handler: a payout needs the bank, everything else always succeeds.
pub(crate) struct Pay {
    bank: Arc<Bank>,
    told: mpsc::Sender<Run>,
}

impl Pay {
    /// Each run is told to `told`.
    pub(crate) fn new(bank: Arc<Bank>, told: mpsc::Sender<Run>) -> Self {
        Self { bank, told }
    }
}

impl Handler for Pay {
    async fn handle(&self, job: Job, _context: Context) -> Result<(), HandlerError> {
        let error = (job.kind().starts_with("payout.") && !self.bank.is_open())
            .then_some("the bank is closed");
        // Nobody has to listen.
        let _ = self.told.try_send(Run {
            kind: job.kind().to_owned(),
            attempt: job.attempt(),
            error,
        });
        error.map_or(Ok(()), |error| Err(HandlerError::transient(error)))
    }
}

/// The outside world, which is down at first.
#[derive(Default)]
pub(crate) struct Bank {
    open: AtomicBool,
}

impl Bank {
    pub(crate) fn open(&self) {
        self.open.store(true, Ordering::Release);
    }

    pub(crate) fn close(&self) {
        self.open.store(false, Ordering::Release);
    }

    fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }
}

/// One run of the handler.
pub(crate) struct Run {
    kind: String,
    attempt: u32,
    error: Option<&'static str>,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            attempt,
            error,
        } = self;
        write!(f, "worker: run {attempt} of {kind} ")?;
        match error {
            Some(error) => write!(f, "failed: {error}"),
            None => f.write_str("succeeded"),
        }
    }
}
