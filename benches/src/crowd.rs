//! A queue full of leases or of dead letters, and single calls beside them.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anvil_queue::{
    DeadReason, ErrorText, FailureKind, FailureReport, Lease, QueueBackend, QueueError, QueueName,
    Reserve, Settled, Settlement,
};

use crate::deliveries;

/// What a queue is full of.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "of these programs only")]
pub enum Crowd {
    /// Jobs that a worker holds; acks are timed.
    Leases,
    /// Dead letters; enqueues are timed.
    Dead,
}

impl Crowd {
    /// Brings so many jobs there.
    ///
    /// # Errors
    ///
    /// [`QueueError`]
    pub async fn gather(
        self,
        backend: &Arc<impl QueueBackend>,
        queue: &QueueName,
        size: u64,
    ) -> Result<(), QueueError> {
        let mut first = 0;
        while first < size {
            let end = size.min(first + deliveries::BATCH);
            let leases = lease(backend, queue, first..end).await?;
            if matches!(self, Self::Dead) {
                settle(backend, queue, leases, &bury()).await?;
            }
            first = end;
        }
        Ok(())
    }

    /// The time of each single call, for deliveries with these numbers.
    ///
    /// # Errors
    ///
    /// [`QueueError`]
    pub async fn time(
        self,
        backend: &Arc<impl QueueBackend>,
        queue: &QueueName,
        numbers: Range<u64>,
    ) -> Result<Vec<Duration>, QueueError> {
        let mut took = Vec::new();
        match self {
            Self::Leases => {
                for lease in lease(backend, queue, numbers).await? {
                    let start = Instant::now();
                    settle(backend, queue, vec![lease], &Settlement::Complete).await?;
                    took.push(start.elapsed());
                }
            }
            Self::Dead => {
                for number in numbers {
                    let start = Instant::now();
                    deliveries::store(&**backend, queue, number..number + 1).await?;
                    took.push(start.elapsed());
                }
            }
        }
        Ok(took)
    }
}

/// Stores these deliveries and leases as many jobs.
async fn lease(
    backend: &Arc<impl QueueBackend>,
    queue: &QueueName,
    numbers: Range<u64>,
) -> Result<Vec<Lease>, QueueError> {
    let count = (numbers.end - numbers.start) as usize;
    deliveries::store(&**backend, queue, numbers).await?;
    let mut leases = Vec::with_capacity(count);
    while leases.len() < count {
        let request = Reserve::new((count - leases.len()).min(BATCH), AN_HOUR);
        let reserved = backend.reserve(queue, request).await?;
        assert!(!reserved.is_empty(), "a stored job cannot be leased");
        leases.extend(reserved.into_iter().map(|reserved| reserved.lease));
    }
    Ok(leases)
}

async fn settle(
    backend: &Arc<impl QueueBackend>,
    queue: &QueueName,
    leases: Vec<Lease>,
    settlement: &Settlement,
) -> Result<(), QueueError> {
    let outcomes: Vec<_> = leases
        .into_iter()
        .map(|lease| (lease, settlement.clone()))
        .collect();
    for settled in backend.settle(queue, &outcomes).await? {
        assert_eq!(settled, Settled::Applied, "a lease was lost");
    }
    Ok(())
}

fn bury() -> Settlement {
    Settlement::Bury {
        reason: DeadReason::Exhausted,
        failure: FailureReport::new(
            FailureKind::Transient,
            ErrorText::new("the card was declined"),
            "bench".into(),
        ),
    }
}

const BATCH: usize = 256;
const AN_HOUR: Duration = Duration::from_secs(3_600);
