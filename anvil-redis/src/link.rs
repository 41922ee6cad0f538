//! A connection that is made when it is needed, and made anew when it is of no use any more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anvil_queue::QueueError;
use redis::{Cmd, RedisError, RedisResult, Value};
use tokio::time::{Instant, sleep, timeout_at};

use crate::address::Mode;
use crate::error::{Class, classify, describe};
use crate::script::Call;

mod backoff;
mod connect;
mod connection;
mod tls;
use backoff::Backoff;
pub(crate) use connect::Target;
use connection::Connection;
pub(crate) use tls::Certificates;

/// One connection to Redis and the rules of its life.
///
/// The first call connects. A call that finds the connection broken, silent, or leading to a server
/// that must not be written to drops it, and the next one connects again: to the same server, to
/// the master the sentinels name by then, or to the cluster. Attempts are spaced by a capped
/// backoff, and everybody waits for the same one.
pub(crate) struct Link {
    target: Arc<Target>,
    slot: Mutex<Slot>,
    connecting: tokio::sync::Mutex<Backoff>,
}

#[derive(Default)]
struct Slot {
    connection: Option<Connection>,
    /// Tells a connection from those before it, so that it is dropped once.
    generation: u64,
    trouble: Option<RedisError>,
}

/// What a call may do when its answer is lost.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Repeat {
    /// Sending it again changes nothing that the first did not.
    Harmless,
    /// It must not be sent again once it may have been carried out.
    Never,
    /// A connection that can't be had is the answer.
    Once,
}

impl Link {
    pub(crate) fn new(target: Arc<Target>) -> Self {
        Self {
            target,
            slot: Mutex::default(),
            connecting: tokio::sync::Mutex::default(),
        }
    }

    /// The address for messages.
    pub(crate) fn server(&self) -> String {
        self.target.to_string()
    }

    /// Calls a script; ends within `budget`.
    pub(crate) async fn call(
        &self,
        call: &Call<'_>,
        budget: Duration,
        repeat: Repeat,
    ) -> Result<Value, QueueError> {
        let deadline = Instant::now() + budget;
        match self.send(call.command(), deadline, repeat).await {
            Err(error) if classify(&error) == Class::NoScript => {
                self.send(&call.in_full(), deadline, repeat).await
            }
            answer => answer,
        }
        .map_err(|error| describe(&self.server(), error))
    }

    /// Sends a plain command; ends within `budget`.
    pub(crate) async fn command(
        &self,
        command: &Cmd,
        budget: Duration,
        repeat: Repeat,
    ) -> Result<Value, QueueError> {
        let deadline = Instant::now() + budget;
        let answer = self.send(command, deadline, repeat).await;
        answer.map_err(|error| describe(&self.server(), error))
    }

    async fn send(&self, command: &Cmd, deadline: Instant, repeat: Repeat) -> RedisResult<Value> {
        loop {
            let error = match self.try_send(command, deadline).await {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let again = match classify(&error) {
                Class::Wait => !self.leads_elsewhere(&error),
                Class::Reconnect => match repeat {
                    Repeat::Harmless => true,
                    Repeat::Never => !may_have_run(&error),
                    Repeat::Once => false,
                },
                Class::Final | Class::NoScript | Class::OutOfMemory => false,
            };
            if !again || Instant::now() + PAUSE >= deadline {
                return Err(error);
            }
            sleep(PAUSE).await;
        }
    }

    /// Whether a node of a cluster that was connected to as one server names another node.
    fn leads_elsewhere(&self, error: &RedisError) -> bool {
        self.target.address.mode != Mode::Cluster && error.redirect_node().is_some()
    }

    async fn try_send(&self, command: &Cmd, deadline: Instant) -> RedisResult<Value> {
        let connected = timeout_at(deadline, self.connection()).await;
        let (mut connection, generation) = connected.unwrap_or_else(|_| Err(self.late()))?;
        let answer = timeout_at(deadline, connection.send(command)).await;
        let answer = answer.unwrap_or_else(|_| Err(timed_out()));
        match answer {
            // A cluster's connection sees to each of its nodes by itself; given up for one node, it
            // would fail the calls to all others meanwhile.
            Err(error) if classify(&error) == Class::Reconnect && !connection.is_cluster() => {
                self.drop_connection(generation, &error);
                Err(error)
            }
            answer => answer,
        }
    }

    async fn connection(&self) -> RedisResult<(Connection, u64)> {
        if let Some(open) = self.open() {
            return Ok(open);
        }
        let mut backoff = self.connecting.lock().await;
        if let Some(open) = self.open() {
            return Ok(open);
        }
        backoff.pause().await;
        let connected = tokio::time::timeout(CONNECT_TIMEOUT, self.target.connect()).await;
        match connected.unwrap_or_else(|_| Err(timed_out())) {
            Ok(connection) => {
                backoff.reset();
                let mut slot = self.slot();
                slot.generation += 1;
                slot.connection = Some(connection.clone());
                Ok((connection, slot.generation))
            }
            Err(error) => {
                backoff.grow();
                tracing::debug!(server = %self.target, %error, "connecting to redis failed");
                self.slot().trouble = Some(error.clone());
                Err(error)
            }
        }
    }

    fn open(&self) -> Option<(Connection, u64)> {
        let slot = self.slot();
        let connection = slot.connection.clone()?;
        Some((connection, slot.generation))
    }

    fn drop_connection(&self, generation: u64, error: &RedisError) {
        let mut slot = self.slot();
        if slot.generation == generation && slot.connection.take().is_some() {
            tracing::warn!(server = %self.target, %error, "the connection to redis is given up");
            slot.trouble = Some(error.clone());
        }
    }

    /// Why there was no connection in time.
    fn late(&self) -> RedisError {
        self.slot().trouble.clone().unwrap_or_else(timed_out)
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the server may have carried out a call that ended with this error.
fn may_have_run(error: &RedisError) -> bool {
    error.is_timeout() || (error.is_io_error() && !error.is_connection_refusal())
}

fn timed_out() -> RedisError {
    std::io::Error::from(std::io::ErrorKind::TimedOut).into()
}

const PAUSE: Duration = Duration::from_millis(20);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
