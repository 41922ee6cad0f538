use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// A flag that is set once and can be waited for.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    set: AtomicBool,
    changed: Notify,
}

impl Signal {
    pub(crate) fn is_set(&self) -> bool {
        self.set.load(Ordering::Acquire)
    }

    pub(crate) fn set(&self) {
        self.set.store(true, Ordering::Release);
        self.changed.notify_waiters();
    }

    pub(crate) async fn wait(&self) {
        let mut changed = pin!(self.changed.notified());
        // Registered before the flag is read, so that a `set` in between is not missed.
        changed.as_mut().enable();
        if !self.is_set() {
            changed.await;
        }
    }
}
