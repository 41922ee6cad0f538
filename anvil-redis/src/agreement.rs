//! All processes of a queue have to agree on its window and on the number of its partitions.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anvil_queue::{QueueError, QueueErrorKind, QueueName};
use redis::{Cmd, FromRedisValue, Value};
use tokio::time::Instant;

use crate::codec::micros;
use crate::connections::Connections;
use crate::keys::Keys;
use crate::link::Repeat;
use crate::script::AGREE;
use crate::settings::{PARTITIONS, Settings};

/// What one process knows about the agreement on one queue.
///
/// Each partition's scripts compare the settings too, but a process that was told of another number
/// of partitions looks at other keys. So the numbers are also kept where all look: under the key
/// that is the config of a queue with one partition.
pub(crate) struct Agreement {
    key: String,
    settings: Arc<Settings>,
    connections: Arc<Connections>,
    may_store: AtomicBool,
    may_look: AtomicBool,
    looked: Mutex<Option<Instant>>,
}

impl Agreement {
    pub(crate) fn new(key: String, settings: Arc<Settings>, connections: Arc<Connections>) -> Self {
        Self {
            key,
            // With one partition the script that stores compares both itself.
            may_store: AtomicBool::new(settings.partitions == 1),
            may_look: AtomicBool::new(false),
            looked: Mutex::default(),
            settings,
            connections,
        }
    }

    /// Before jobs are stored: window and partitions are compared, and set where nothing is.
    pub(crate) async fn to_store(&self) -> Result<(), QueueError> {
        if !self.may_store.load(Ordering::Relaxed) && self.ask(true).await? {
            self.may_store.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Before anything else: partitions are compared. A queue that nobody has stored to is asked
    /// about now and then.
    pub(crate) async fn to_look(&self) -> Result<(), QueueError> {
        if self.may_look.load(Ordering::Relaxed) || !self.is_time() {
            return Ok(());
        }
        if self.ask(false).await? {
            self.may_look.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    fn is_time(&self) -> bool {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let due = looked.is_none_or(|looked| looked.elapsed() >= LOOK_AGAIN);
        if due {
            *looked = Some(Instant::now());
        }
        due
    }

    /// Whether the queue is known to be what this process was told. Where the server does not
    /// answer, nothing is known, and the call itself will show what is wrong.
    async fn ask(&self, stores: bool) -> Result<bool, QueueError> {
        let Settings {
            dedupe_window,
            partitions,
            enqueue_timeout,
            ..
        } = &*self.settings;
        let window = if stores {
            micros(*dedupe_window).to_string()
        } else {
            String::new()
        };
        let call = AGREE
            .call(&[&self.key])
            .arg(window)
            .arg(partitions)
            .arg(u8::from(stores));
        let shared = &self.connections.shared;
        let answer = shared.call(&call, *enqueue_timeout / 4, Repeat::Harmless);
        let answer = match answer.await {
            Ok(answer) => read(answer),
            Err(error) if error.kind() == QueueErrorKind::Internal => return Err(error),
            Err(_) => return Ok(false),
        };
        match answer.as_deref() {
            Some([agreed]) => Ok(agreed == "agreed"),
            Some([_, window, partitions]) => {
                Err(disagreement(&self.key, &self.settings, window, partitions))
            }
            _ => Err(crate::error::unexpected(&shared.server(), "agree.lua")),
        }
    }
}

/// The settings a queue was set up with; none where nothing was ever stored in it.
pub(crate) async fn adopt(
    queue: &QueueName,
    settings: &Settings,
    connections: &Connections,
) -> Result<Option<Settings>, QueueError> {
    let key = Keys::new(&settings.prefix, queue, 0, 1).config;
    let mut command = Cmd::new();
    command.arg("HMGET").arg(&key).arg("w").arg("n");
    let link = &connections.shared;
    let answer = link.command(&command, settings.enqueue_timeout, Repeat::Harmless);
    let unreadable = || {
        QueueError::new(
            QueueErrorKind::Internal,
            format!(
                "the window and the partitions that redis at {} keeps under {key} can't be read",
                link.server()
            ),
        )
    };
    let stored: [Option<String>; 2] =
        FromRedisValue::from_redis_value(answer.await?).map_err(|_| unreadable())?;
    let [Some(window), Some(partitions)] = stored else {
        return Ok(None);
    };
    let (Ok(window), Ok(partitions)) = (window.parse(), partitions.parse()) else {
        return Err(unreadable());
    };
    if !PARTITIONS.contains(&partitions) {
        return Err(unreadable());
    }
    Ok(Some(Settings {
        dedupe_window: Duration::from_micros(window),
        partitions,
        ..settings.clone()
    }))
}

fn read(answer: Value) -> Option<Vec<String>> {
    FromRedisValue::from_redis_value(answer).ok()
}

/// The queue was set up with other settings than this process has.
pub(crate) fn disagreement(
    key: &str,
    settings: &Settings,
    window: &str,
    partitions: &str,
) -> QueueError {
    let window = window.parse().map_or_else(
        |_| window.to_owned(),
        |micros| format!("{:?}", Duration::from_micros(micros)),
    );
    QueueError::new(
        QueueErrorKind::Rejected,
        format!(
            "the queue at {key} has a dedupe window of {window} and {partitions} partition(s), and \
             this process has {:?} and {}; all processes of a queue must agree",
            settings.dedupe_window, settings.partitions,
        ),
    )
}

const LOOK_AGAIN: Duration = Duration::from_secs(10);
