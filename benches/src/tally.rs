//! Counting what ran, and waiting for a number of them.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// How many jobs ran.
#[derive(Debug)]
pub struct Tally {
    count: AtomicU64,
    goal: u64,
    moved: Notify,
}

impl Tally {
    /// None so far.
    #[must_use]
    pub fn new(goal: u64) -> Self {
        Self {
            count: AtomicU64::new(0),
            goal,
            moved: Notify::new(),
        }
    }

    /// Counts one.
    pub fn one(&self) {
        let count = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        if count == self.goal || count.is_multiple_of(STEP) {
            self.moved.notify_waiters();
        }
    }

    /// How many so far.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Waits for the goal.
    pub async fn reached(&self) {
        self.at_least(self.goal).await;
    }

    /// Waits for at least so many; looks at the goal and every 64.
    pub async fn at_least(&self, count: u64) {
        loop {
            let moved = self.moved.notified();
            if self.count() >= count {
                return;
            }
            moved.await;
        }
    }
}

const STEP: u64 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_goal_ends_the_wait_at_once() {
        let tally = Tally::new(3);
        let counting = async {
            for _ in 0..3 {
                tokio::task::yield_now().await;
                tally.one();
            }
        };
        tokio::join!(tally.reached(), counting);
        assert_eq!(tally.count(), 3);
    }
}
