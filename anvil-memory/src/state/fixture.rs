//! Short forms for the tests of the state machine; times are whole seconds.

use std::time::{Duration, SystemTime};

use anvil_queue::{
    ErrorText, FailureKind, FailureReport, JobId, LeaseToken, NewJob, Reserve, Reserved,
};

use super::{Limits, State};

pub(super) fn state(limits: Limits) -> State {
    State::new(limits, SystemTime::UNIX_EPOCH)
}

pub(super) fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(super) fn enqueue(state: &mut State, job: NewJob, now: u64) -> JobId {
    state.enqueue(job, at(now)).unwrap().id()
}

pub(super) fn reserve(state: &mut State, request: &Reserve, now: u64) -> Vec<Reserved> {
    state.reserve(request, LeaseToken::generate(), at(now))
}

pub(super) fn failure(error: &str) -> FailureReport {
    FailureReport::new(FailureKind::Transient, ErrorText::new(error), "test".into())
}
