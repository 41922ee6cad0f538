use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anvil_queue::{
    Enqueued, Lease, LeaseState, NewJob, QueueBackend, QueueError, QueueErrorKind, QueueName,
    QueueStats, Refusal, Reserve, Reserved, Settled, Settlement,
};
use async_trait::async_trait;
use tokio::sync::Semaphore;

/// A verb of a backend.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Verb {
    /// `enqueue`
    Enqueue,
    /// `extend`
    Extend,
    /// `reserve`
    Reserve,
    /// `settle`
    Settle,
    /// `stats`
    Stats,
    /// `wait`
    Wait,
}

/// What goes wrong with one call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The call fails and has no effect.
    Fail(QueueErrorKind),
    /// The call takes effect when a permit is added, and not before.
    Hold(Arc<Semaphore>),
    /// The call takes effect after this long.
    Late(Duration),
    /// The call takes effect and its answer is lost.
    LoseReply,
    /// The backend panics.
    Panic,
    /// Every job of an `enqueue` is refused and none is stored.
    Refuse(Refusal),
    /// The call takes effect and one answer too few comes back.
    Shorten,
}

/// A backend whose calls go wrong as told, in order, verb by verb; without a fault they go through.
#[derive(Clone, Debug)]
pub struct FaultyBackend<B> {
    inner: B,
    plan: Arc<Mutex<Plan>>,
}

#[derive(Debug, Default)]
struct Plan {
    next: HashMap<Verb, VecDeque<Fault>>,
    always: HashMap<Verb, Fault>,
    sizes: HashMap<Verb, Vec<usize>>,
}

impl<B> FaultyBackend<B> {
    /// Wraps a backend; no fault is planned.
    pub fn new(inner: B) -> Self {
        Self {
            inner,
            plan: Arc::default(),
        }
    }

    /// Plans `fault` for the next call of `verb` that has none yet.
    pub fn next(&self, verb: Verb, fault: Fault) {
        self.plan().next.entry(verb).or_default().push_back(fault);
    }

    /// Plans `fault` for every call of `verb` from now on, or none any more.
    pub fn always(&self, verb: Verb, fault: impl Into<Option<Fault>>) {
        let mut plan = self.plan();
        match fault.into() {
            Some(fault) => plan.always.insert(verb, fault),
            None => plan.always.remove(&verb),
        };
    }

    /// How many items each call of `verb` had so far, faulty calls included.
    #[must_use]
    pub fn sizes(&self, verb: Verb) -> Vec<usize> {
        self.plan().sizes.get(&verb).cloned().unwrap_or_default()
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call(&self, verb: Verb, size: usize) -> Option<Fault> {
        let mut plan = self.plan();
        plan.sizes.entry(verb).or_default().push(size);
        let next = plan.next.get_mut(&verb).and_then(VecDeque::pop_front);
        next.or_else(|| plan.always.get(&verb).cloned())
    }

    async fn run<T>(
        &self,
        verb: Verb,
        size: usize,
        call: impl Future<Output = Result<T, QueueError>>,
    ) -> Result<T, QueueError> {
        under(self.call(verb, size), call).await
    }
}

/// Runs a call under its fault, where it has one.
async fn under<T>(
    fault: Option<Fault>,
    call: impl Future<Output = Result<T, QueueError>>,
) -> Result<T, QueueError> {
    match fault {
        None | Some(Fault::Refuse(_) | Fault::Shorten) => call.await,
        Some(Fault::Fail(kind)) => Err(QueueError::new(kind, "planned fault")),
        Some(Fault::Hold(gate)) => {
            gate.acquire().await.expect("an open gate").forget();
            call.await
        }
        Some(Fault::Late(delay)) => {
            tokio::time::sleep(delay).await;
            call.await
        }
        Some(Fault::LoseReply) => {
            call.await?;
            Err(QueueError::new(
                QueueErrorKind::Timeout,
                "planned loss of the reply",
            ))
        }
        Some(Fault::Panic) => panic!("planned panic"),
    }
}

#[async_trait]
impl<B: QueueBackend> QueueBackend for FaultyBackend<B> {
    async fn enqueue(
        &self,
        queue: &QueueName,
        jobs: Vec<NewJob>,
    ) -> Result<Vec<Result<Enqueued, Refusal>>, QueueError> {
        let fault = self.call(Verb::Enqueue, jobs.len());
        let call = async {
            if let Some(Fault::Refuse(refusal)) = fault {
                return Ok(jobs.iter().map(|_| Err(refusal)).collect());
            }
            let mut answers = self.inner.enqueue(queue, jobs).await?;
            if let Some(Fault::Shorten) = fault {
                answers.pop();
            }
            Ok(answers)
        };
        under(fault.clone(), call).await
    }

    async fn reserve(
        &self,
        queue: &QueueName,
        request: Reserve,
    ) -> Result<Vec<Reserved>, QueueError> {
        let size = request.max_jobs_value();
        self.run(Verb::Reserve, size, self.inner.reserve(queue, request))
            .await
    }

    async fn wait(&self, queue: &QueueName, at_most: Duration) -> Result<(), QueueError> {
        self.run(Verb::Wait, 1, self.inner.wait(queue, at_most))
            .await
    }

    async fn extend(
        &self,
        queue: &QueueName,
        leases: &[Lease],
        lease: Duration,
    ) -> Result<Vec<LeaseState>, QueueError> {
        let call = self.inner.extend(queue, leases, lease);
        self.run(Verb::Extend, leases.len(), call).await
    }

    async fn settle(
        &self,
        queue: &QueueName,
        outcomes: &[(Lease, Settlement)],
    ) -> Result<Vec<Settled>, QueueError> {
        let call = self.inner.settle(queue, outcomes);
        self.run(Verb::Settle, outcomes.len(), call).await
    }

    async fn stats(&self, queue: &QueueName) -> Result<QueueStats, QueueError> {
        self.run(Verb::Stats, 1, self.inner.stats(queue)).await
    }
}
