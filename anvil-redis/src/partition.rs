//! One partition of one queue: each verb is one call of one script.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anvil_queue::{QueueError, QueueErrorKind};
use redis::Value;

use crate::agreement::disagreement;
use crate::bell::Bell;
use crate::connections::Connections;
use crate::keys::Keys;
use crate::link::{Link, Repeat};
use crate::script::Call;
use crate::settings::Settings;

mod clock;
mod control;
mod dead;
mod enqueue;
mod extend;
mod fields;
mod fsck;
mod reserve;
mod settle;
mod stats;
mod wrong_type;
use clock::Clock;
pub(crate) use stats::Counts;

pub(crate) struct Partition {
    pub(crate) index: usize,
    pub(crate) keys: Arc<Keys>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) connections: Arc<Connections>,
    pub(crate) bell: Arc<Bell>,
    clock: Clock,
    /// The last call got no answer: the next ones wait less, so that one partition that is down
    /// holds up the others as little as can be.
    unreachable: AtomicBool,
}

impl Partition {
    pub(crate) fn new(
        index: usize,
        keys: Keys,
        settings: Arc<Settings>,
        connections: Arc<Connections>,
    ) -> Self {
        let keys = Arc::new(keys);
        Self {
            index,
            bell: Arc::new(Bell::new(&connections, Arc::clone(&keys))),
            clock: Clock::default(),
            keys,
            settings,
            connections,
            unreachable: AtomicBool::new(false),
        }
    }

    /// Calls a script on the connection that all verbs share.
    async fn call(&self, call: Call<'_>, repeat: Repeat) -> Result<Value, QueueError> {
        let budget = self.settings.timeout;
        let answer = self.connections.shared.call(&call, budget, repeat).await;
        self.named(answer).await
    }

    /// Calls a script that another partition can do without, so that it waits less for one that did
    /// not answer before.
    async fn call_within(
        &self,
        link: &Link,
        call: Call<'_>,
        budget: Duration,
        repeat: Repeat,
    ) -> Result<Value, QueueError> {
        let several = self.settings.partitions > 1;
        let budget = if several && self.is_unreachable() {
            budget / 10
        } else {
            budget
        };
        let answer = link.call(&call, budget, repeat).await;
        let down = answer.as_ref().is_err_and(|error| {
            matches!(
                error.kind(),
                QueueErrorKind::Timeout | QueueErrorKind::Unavailable
            )
        });
        self.unreachable.store(down, Ordering::Relaxed);
        self.named(answer).await
    }

    /// Whether the last call got no answer.
    pub(crate) fn is_unreachable(&self) -> bool {
        self.unreachable.load(Ordering::Relaxed)
    }

    fn unexpected(&self, script: &'static str) -> QueueError {
        crate::error::unexpected(&self.connections.shared.server(), script)
    }

    /// The queue was set up with other settings than this process has.
    fn disagreement(&self, window: &[u8], partitions: &[u8]) -> QueueError {
        let [window, partitions] = [window, partitions].map(String::from_utf8_lossy);
        disagreement(&self.keys.config, &self.settings, &window, &partitions)
    }
}
