//! Calls answered on the spot, batches in flight, and the line that waits for the next one.

use std::collections::VecDeque;
use std::future::Future;
use std::mem;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::oneshot;

use super::CoalescerLimits;
use crate::{QueueBackend, QueueError, QueueErrorKind, QueueName};

/// A batch verb of the backend.
pub(super) trait Verb: Send + Sync + Sized + 'static {
    type Item: Clone + Send + Unpin + 'static;
    type Answer: Send + 'static;

    fn weight(item: &Self::Item) -> usize;

    /// Sends a batch to the lane's backend and queue.
    fn send(lane: Arc<Lane<Self>>, items: Vec<Self::Item>) -> Sending<Self::Answer>;
}

pub(super) type Sending<A> = Pin<Box<dyn Future<Output = Result<Vec<A>, QueueError>> + Send>>;

pub(super) enum LaneError {
    Backend(QueueError),
    Overloaded,
}

pub(super) struct Lane<V: Verb> {
    pub(super) backend: Arc<dyn QueueBackend>,
    pub(super) queue: QueueName,
    limits: CoalescerLimits,
    /// How many [`Turn`]s there are. Changed under the line's lock, and read without it by calls
    /// that hope to be answered on the spot.
    in_flight: AtomicUsize,
    line: Mutex<Line<V>>,
}

struct Line<V: Verb> {
    waiting: VecDeque<(V::Item, Waiter<V>)>,
    bytes: usize,
}

type Waiter<V> = oneshot::Sender<Result<<V as Verb>::Answer, LaneError>>;

impl<V: Verb> Lane<V> {
    pub(super) fn new(
        backend: Arc<dyn QueueBackend>,
        queue: QueueName,
        limits: CoalescerLimits,
    ) -> Self {
        let line = Mutex::new(Line {
            waiting: VecDeque::new(),
            bytes: 0,
        });
        Self {
            backend,
            queue,
            limits,
            in_flight: AtomicUsize::new(0),
            line,
        }
    }

    fn line(&self) -> MutexGuard<'_, Line<V>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place in line behind a batch that is in flight.
    fn enter(self: &Arc<Self>, item: V::Item) -> Entry<V> {
        if self.in_flight.load(Ordering::Relaxed) == 0 {
            return Entry::NothingInFlight(item);
        }
        let mut line = self.line();
        // Again, under the lock: nobody would come for a place that is taken after the last batch.
        if self.in_flight.load(Ordering::Relaxed) == 0 {
            return Entry::NothingInFlight(item);
        }
        let bytes = line.bytes.saturating_add(V::weight(&item));
        if line.waiting.len() >= self.limits.line_items || bytes > self.limits.line_bytes {
            return Entry::Overloaded;
        }
        let (waiter, answer) = oneshot::channel();
        line.waiting.push_back((item, waiter));
        line.bytes = bytes;
        if line.is_full(self.in_flight.load(Ordering::Relaxed)) {
            let turn = self.turn();
            let batch = line.batch(&self.limits);
            drop(line);
            tokio::spawn(turn.drive(batch));
        }
        Entry::InLine(answer)
    }

    /// A batch did not finish on the spot: from here on, others wait in line.
    fn take_off(self: &Arc<Self>) -> Turn<V> {
        let _line = self.line();
        self.turn()
    }

    /// A new turn; to be called under the line's lock.
    fn turn(self: &Arc<Self>) -> Turn<V> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        Turn {
            lane: Arc::clone(self),
            ended: false,
        }
    }
}

impl<V: Verb> Line<V> {
    /// Whether so many wait that a batch is sent beside those in flight.
    fn is_full(&self, in_flight: usize) -> bool {
        in_flight < IN_FLIGHT && self.waiting.len() >= FULL_LINE * in_flight
    }

    /// Takes as much out of the line as makes one batch.
    fn batch(&mut self, limits: &CoalescerLimits) -> Batch<V> {
        let mut batch = Batch {
            items: Vec::new(),
            waiters: Vec::new(),
        };
        let mut bytes = 0;
        while batch.items.len() < limits.batch_items {
            let Some((item, _)) = self.waiting.front() else {
                break;
            };
            bytes += V::weight(item);
            if !batch.items.is_empty() && bytes > limits.batch_bytes {
                break;
            }
            self.bytes -= V::weight(item);
            batch.extend(self.waiting.pop_front());
        }
        batch
    }
}

enum Entry<V: Verb> {
    InLine(oneshot::Receiver<Result<V::Answer, LaneError>>),
    NothingInFlight(V::Item),
    Overloaded,
}

/// A batch in flight, and the duty to come for those who wait in line meanwhile.
///
/// There is one per lane, a few where many wait, and more only where calls found nothing in flight
/// at the same moment. The last to finish goes on with the line, and so does any that finds
/// it full. Dropped by the end of the runtime, it fails those in line rather than leave them waiting
/// for ever.
struct Turn<V: Verb> {
    lane: Arc<Lane<V>>,
    ended: bool,
}

impl<V: Verb> Turn<V> {
    /// The next batch; none ends the turn, where nobody waits or another turn will come for them.
    fn next(mut self) -> Option<(Self, Batch<V>)> {
        let lane = Arc::clone(&self.lane);
        let mut line = lane.line();
        let others = lane.in_flight.load(Ordering::Relaxed) - 1;
        if line.waiting.is_empty() || !line.is_full(others) {
            lane.in_flight.fetch_sub(1, Ordering::Relaxed);
            self.ended = true;
            return None;
        }
        let batch = line.batch(&lane.limits);
        Some((self, batch))
    }

    /// Sends batch after batch until nobody waits.
    async fn drive(self, first: Batch<V>) {
        let mut next = Some((self, first));
        while let Some((turn, Batch { items, waiters })) = next {
            // A lone item is never sent twice, so it needs no copy.
            let spare = if items.len() > 1 {
                items.clone()
            } else {
                Vec::new()
            };
            let sending = V::send(Arc::clone(&turn.lane), items);
            turn.finish(sending, spare, waiters).await;
            next = turn.next();
        }
    }

    /// Goes on with a batch that was started on the spot, then with the line.
    async fn resume(self, sending: Sending<V::Answer>, waiter: Waiter<V>) {
        self.finish(sending, Vec::new(), vec![waiter]).await;
        if let Some((turn, batch)) = self.next() {
            turn.drive(batch).await;
        }
    }

    async fn finish(
        &self,
        sending: Sending<V::Answer>,
        spare: Vec<V::Item>,
        waiters: Vec<Waiter<V>>,
    ) {
        match checked(within_limit(sending).await, waiters.len()) {
            Ok(answers) => {
                for (waiter, answer) in waiters.into_iter().zip(answers) {
                    // A caller that went away wants no answer.
                    let _ = waiter.send(Ok(answer));
                }
            }
            Err(error) if error.kind() == QueueErrorKind::Rejected && !spare.is_empty() => {
                for (waiter, item) in waiters.into_iter().zip(spare) {
                    let answer = within_limit(V::send(Arc::clone(&self.lane), vec![item])).await;
                    let _ = waiter.send(only(answer).map_err(LaneError::Backend));
                }
            }
            Err(error) => {
                for waiter in waiters {
                    let _ = waiter.send(Err(LaneError::Backend(error.clone())));
                }
            }
        }
    }
}

impl<V: Verb> Drop for Turn<V> {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let mut line = self.lane.line();
        self.lane.in_flight.fetch_sub(1, Ordering::Relaxed);
        line.bytes = 0;
        let abandoned = mem::take(&mut line.waiting);
        drop(line);
        drop(abandoned);
    }
}

struct Batch<V: Verb> {
    items: Vec<V::Item>,
    waiters: Vec<Waiter<V>>,
}

impl<V: Verb> Extend<(V::Item, Waiter<V>)> for Batch<V> {
    fn extend<I: IntoIterator<Item = (V::Item, Waiter<V>)>>(&mut self, entries: I) {
        for (item, waiter) in entries {
            self.items.push(item);
            self.waiters.push(waiter);
        }
    }
}

/// One call: not started, in line, or answered.
pub(super) struct Call<V: Verb>(State<V>);

enum State<V: Verb> {
    Start { lane: Arc<Lane<V>>, item: V::Item },
    Waiting(oneshot::Receiver<Result<V::Answer, LaneError>>),
    Done,
}

impl<V: Verb> Call<V> {
    pub(super) fn new(lane: Arc<Lane<V>>, item: V::Item) -> Self {
        Self(State::Start { lane, item })
    }
}

impl<V: Verb> Future for Call<V> {
    type Output = Result<V::Answer, LaneError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut answer = match mem::replace(&mut self.0, State::Done) {
            State::Start { lane, item } => match lane.enter(item) {
                Entry::Overloaded => return Poll::Ready(Err(LaneError::Overloaded)),
                Entry::InLine(answer) => answer,
                Entry::NothingInFlight(item) => match start(&lane, item, cx) {
                    Started::Answered(answer) => {
                        return Poll::Ready(answer.map_err(LaneError::Backend));
                    }
                    Started::Waiting(answer) => answer,
                },
            },
            State::Waiting(answer) => answer,
            State::Done => panic!("a call was polled after it was answered"),
        };
        match Pin::new(&mut answer).poll(cx) {
            Poll::Pending => {
                self.0 = State::Waiting(answer);
                Poll::Pending
            }
            Poll::Ready(answer) => {
                Poll::Ready(answer.unwrap_or_else(|_| Err(LaneError::Backend(abandoned()))))
            }
        }
    }
}

enum Started<V: Verb> {
    Answered(Result<V::Answer, QueueError>),
    Waiting(oneshot::Receiver<Result<V::Answer, LaneError>>),
}

/// Polls a batch of one on the spot: a backend in memory answers at once, and no task, no lock and
/// no line is needed. A batch that has to wait goes on in a task of its own, whatever becomes of
/// the caller.
fn start<V: Verb>(lane: &Arc<Lane<V>>, item: V::Item, cx: &mut Context<'_>) -> Started<V> {
    let mut sending = V::send(Arc::clone(lane), vec![item]);
    match sending.as_mut().poll(cx) {
        Poll::Ready(answers) => Started::Answered(only(answers)),
        Poll::Pending => {
            let (waiter, answer) = oneshot::channel();
            tokio::spawn(lane.take_off().resume(sending, waiter));
            Started::Waiting(answer)
        }
    }
}

/// Makes a panic of the backend an error like any other. It must not unwind into the caller that
/// happened to be alone: that may be a connection that serves others as well.
pub(crate) async fn contained<A>(
    call: impl Future<Output = Result<Vec<A>, QueueError>>,
) -> Result<Vec<A>, QueueError> {
    let called = AssertUnwindSafe(call).catch_unwind().await;
    called.unwrap_or_else(|_| {
        Err(QueueError::new(
            QueueErrorKind::Internal,
            "the queue backend panicked",
        ))
    })
}

async fn within_limit<A>(sending: Sending<A>) -> Result<Vec<A>, QueueError> {
    tokio::time::timeout(BATCH_TIMEOUT, sending)
        .await
        .unwrap_or_else(|_| {
            Err(QueueError::new(
                QueueErrorKind::Timeout,
                "the queue backend did not answer a batch within 30 s",
            ))
        })
}

fn checked<A>(answers: Result<Vec<A>, QueueError>, expected: usize) -> Result<Vec<A>, QueueError> {
    let answers = answers?;
    if answers.len() == expected {
        return Ok(answers);
    }
    Err(QueueError::new(
        QueueErrorKind::Internal,
        format!(
            "the queue backend gave {} answers to {expected} items",
            answers.len()
        ),
    ))
}

fn only<A>(answers: Result<Vec<A>, QueueError>) -> Result<A, QueueError> {
    let mut answers = checked(answers, 1)?;
    answers.pop().ok_or_else(abandoned)
}

fn abandoned() -> QueueError {
    QueueError::new(
        QueueErrorKind::Internal,
        "the batch was dropped before it was answered",
    )
}

/// How many batches are in flight at a time, and how many calls wait for each of them before one more
/// is sent: while the backend works on one, the next is on its way, small batches are not made
/// smaller, and a crowd is not sent in a single one that all then wait for.
const IN_FLIGHT: usize = 4;
const FULL_LINE: usize = 20;

const BATCH_TIMEOUT: Duration = Duration::from_secs(30);
