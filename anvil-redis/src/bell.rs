//! Waiting for work: one blocking read for each partition, shared by all who wait in this process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use redis::{Cmd, Value};
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::connections::Connections;
use crate::keys::Keys;
use crate::link::{Link, Repeat};

/// The bell of one partition.
///
/// The read is on a connection of its own, and its time-out is longer than the time the server
/// holds it, so that no answer is ever lost to a time-out. What it takes is a sign, not a job; a
/// sign that is lost all the same costs no more than [`HELD`], after which everybody looks again.
pub(crate) struct Bell {
    link: Link,
    keys: Arc<Keys>,
    rung: Notify,
    waiting: AtomicUsize,
    listening: AtomicBool,
}

impl Bell {
    pub(crate) fn new(connections: &Connections, keys: Arc<Keys>) -> Self {
        Self {
            link: Link::new(Arc::clone(&connections.target)),
            keys,
            rung: Notify::new(),
            waiting: AtomicUsize::new(0),
            listening: AtomicBool::new(false),
        }
    }

    /// Returns when the bell rings or the time is up. Registered for the bell from the first poll.
    pub(crate) async fn wait(self: &Arc<Self>, at_most: Duration) {
        let _waiting = Counted::new(&self.waiting);
        let mut rung = std::pin::pin!(self.rung.notified());
        rung.as_mut().enable();
        self.listen();
        // Either way it is time to look again.
        let _ = tokio::time::timeout(at_most.min(HELD), rung).await;
    }

    fn listen(self: &Arc<Self>) {
        if !self.listening.swap(true, Ordering::AcqRel) {
            tokio::spawn(listen(Listening(Arc::clone(self))));
        }
    }
}

/// Reads the bell until nobody waits.
async fn listen(bell: Listening) {
    let Listening(bell) = &bell;
    let mut command = Cmd::new();
    command
        .arg("BLPOP")
        .arg(&bell.keys.bell)
        .arg(HELD.as_secs());
    while bell.waiting.load(Ordering::Acquire) > 0 {
        match bell
            .link
            .command(&command, HELD + MARGIN, Repeat::Never)
            .await
        {
            Ok(Value::Array(_)) => bell.rung.notify_one(),
            Ok(_) => {}
            Err(error) => {
                tracing::debug!(%error, "listening for work failed");
                sleep(PAUSE).await;
            }
        }
    }
}

/// Lets the next waiter start a new reader when this one ends, also with its runtime.
struct Listening(Arc<Bell>);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.listening.store(false, Ordering::Release);
    }
}

struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// How long the server holds the read.
const HELD: Duration = Duration::from_secs(2);
const MARGIN: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(100);
