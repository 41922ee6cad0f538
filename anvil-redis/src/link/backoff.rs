use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// The time between two attempts to connect.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    delay: Duration,
    not_before: Option<Instant>,
}

impl Backoff {
    pub(super) async fn pause(&self) {
        if let Some(at) = self.not_before {
            sleep_until(at).await;
        }
    }

    pub(super) fn grow(&mut self) {
        self.delay = (self.delay * 2).clamp(FIRST, LAST);
        self.not_before = Some(Instant::now() + self.delay);
    }

    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }
}

const FIRST: Duration = Duration::from_millis(25);
const LAST: Duration = Duration::from_secs(1);
