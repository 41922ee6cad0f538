//! One job: run it, decide what becomes of it.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::{Instant, sleep_until};

use super::engine::Engine;
use super::held::Held;
use super::report::Tally;
use crate::handler::{Verdict, describe};
use crate::{
    Context, DeadReason, Decision, ErrorText, Failure, FailureKind, FailureReport, Handler,
    HandlerError, RetryPolicy, Settlement,
};

/// How a run ended.
enum Outcome {
    /// Dropped at an await point because the worker must stop.
    CutOff,
    Finished(Result<(), HandlerError>),
    Panicked(ErrorText),
    TimedOut,
}

impl<H: Handler, P: RetryPolicy> Engine<H, P> {
    /// Runs one job and says what is to become of it; nothing where its lease was lost before the
    /// run. Never panics because of the handler.
    pub(super) async fn run_job(&self, held: &Arc<Held>) -> Option<Settlement> {
        let now = Instant::now();
        if held.lost.is_set() {
            Tally::add(&self.tally.leases_lost, 1);
            return None;
        }
        // A lease that was not renewed for its whole length may be somebody else's by now, and is
        // not run on. Where it isn't, the job need not wait until it runs out.
        if now.duration_since(held.renewed()) > self.settings.lease {
            return Some(Settlement::Release);
        }
        // What was cancelled before it started does not start: its release removes it.
        if self.cut_off.is_set() || held.cancelled.is_set() {
            return Some(Settlement::Release);
        }
        let _ = held.started.set(now);
        let outcome = self.execute(held, now).await;
        Some(self.decide(held, outcome))
    }

    async fn execute(&self, held: &Arc<Held>, started: Instant) -> Outcome {
        let context = Context::of(Arc::clone(held));
        // The block makes a panic before the first await one of the future's.
        let running = async { self.handler.handle(held.job.clone(), context).await };
        let mut running = pin!(Some(AssertUnwindSafe(running).catch_unwind()));
        let mut finished = |cx: &mut std::task::Context<'_>| {
            let running = running.as_mut().as_pin_mut();
            let poll = running.map_or(Poll::Pending, |running| running.poll(cx));
            poll.map(|finished| match finished {
                Ok(result) => Outcome::Finished(result),
                Err(panic) => Outcome::Panicked(panic_text(&*panic)),
            })
        };
        // A run that never waits needs no timer.
        let at_once = poll_fn(|cx| Poll::Ready(finished(cx))).await;
        let outcome = match at_once {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => {
                let mut timeout = pin!(sleep_until(started + self.settings.timeout));
                let mut cut_off = pin!(self.cut_off.wait());
                poll_fn(|cx| {
                    if let Poll::Ready(outcome) = finished(cx) {
                        return Poll::Ready(outcome);
                    }
                    if timeout.as_mut().poll(cx).is_ready() {
                        return Poll::Ready(Outcome::TimedOut);
                    }
                    cut_off.as_mut().poll(cx).map(|()| Outcome::CutOff)
                })
                .await
            }
        };
        // What the handler holds may panic when it is dropped, too.
        match catch_unwind(AssertUnwindSafe(|| running.set(None))) {
            Ok(()) => outcome,
            Err(panic) => Outcome::Panicked(panic_text(&*panic)),
        }
    }

    fn decide(&self, held: &Held, outcome: Outcome) -> Settlement {
        let (kind, at_least, error) = match outcome {
            Outcome::Finished(Ok(())) => return Settlement::Complete,
            Outcome::CutOff => return Settlement::Release,
            // An error after the worker asked the run to end is the stop's doing, not the job's.
            Outcome::Finished(Err(_)) if self.stopping.is_set() => {
                return Settlement::Release;
            }
            Outcome::Finished(Err(error)) => match error.into_verdict() {
                Verdict::Snooze(after) => return Settlement::Snooze { after },
                Verdict::Failed {
                    kind,
                    at_least,
                    error,
                } => (kind, at_least, describe(&*error)),
            },
            Outcome::Panicked(text) => (FailureKind::Panic, Duration::ZERO, text),
            Outcome::TimedOut => {
                let text = format!("the run took longer than {:?}", self.settings.timeout);
                (FailureKind::Timeout, Duration::ZERO, ErrorText::new(&text))
            }
        };
        let decision = match kind {
            FailureKind::Permanent => Err(DeadReason::Permanent),
            FailureKind::Undecodable => Err(DeadReason::Undecodable),
            _ => self.ask_policy(held, kind, at_least, &error),
        };
        tracing::warn!(
            job = %held.job.id(),
            kind = held.job.kind(),
            attempt = held.job.attempt(),
            failure = kind.as_str(),
            error = error.as_str(),
            dead = decision.is_err(),
            "a run failed"
        );
        let failure = FailureReport::new(kind, error, Arc::clone(&self.settings.label));
        match decision {
            Ok(delay) => Settlement::Retry {
                after: delay.max(at_least),
                failure,
            },
            Err(reason) => Settlement::Bury { reason, failure },
        }
    }

    /// Asks the policy; one that panics buries the job rather than losing it or looping.
    fn ask_policy(
        &self,
        held: &Held,
        kind: FailureKind,
        at_least: Duration,
        error: &ErrorText,
    ) -> Result<Duration, DeadReason> {
        let job = &held.job;
        let failure = Failure::new(job.attempt(), kind, job.kind())
            .error(error.as_str())
            .age(job.age())
            .at_least(at_least);
        match catch_unwind(AssertUnwindSafe(|| self.policy.decide(&failure))) {
            Ok(Decision::RetryAfter(delay)) => Ok(delay),
            Ok(Decision::Bury) => Err(DeadReason::Exhausted),
            Err(_) => {
                tracing::error!(job = %job.id(), "the retry policy panicked; the job is buried");
                Err(DeadReason::Exhausted)
            }
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> ErrorText {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("the handler panicked");
    ErrorText::new(text)
}
