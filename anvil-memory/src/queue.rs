use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::state::State;

/// One queue: its jobs, and the bell that wakes whoever waits for some.
pub(crate) struct Queue {
    state: Mutex<State>,
    pub(crate) wake: Notify,
}

impl Queue {
    pub(crate) fn new(state: State) -> Self {
        Self {
            state: Mutex::new(state),
            wake: Notify::new(),
        }
    }

    /// Runs `verb` under the lock and rings the bell where it leaves work, or work that comes
    /// sooner than those who wait know of.
    ///
    /// One ring wakes one waiter. Where more work is left its `reserve` rings again, so a burst
    /// wakes as many as there is work for.
    pub(crate) fn run<T>(&self, verb: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state();
        let answer = verb(&mut state);
        let ring = state.take_sooner() || state.has_ready();
        drop(state);
        if ring {
            self.wake.notify_one();
        }
        answer
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.state(), f)
    }
}
