//! What an error of the client means for a queue.

use anvil_queue::{QueueError, QueueErrorKind};
use redis::{ErrorKind, RedisError, ServerErrorKind};

/// What is done about an error.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Class {
    /// The server was reached, answered, and would answer the same again.
    Final,
    /// The server does not know the script.
    NoScript,
    /// The server has reached its memory limit.
    OutOfMemory,
    /// The connection is of no use any more: it broke, timed out, or leads to a server that must
    /// not be written to.
    Reconnect,
    /// The server says that it will serve later.
    Wait,
}

pub(crate) fn classify(error: &RedisError) -> Class {
    match error.kind() {
        ErrorKind::Io | ErrorKind::Parse | ErrorKind::ClusterConnectionNotFound => Class::Reconnect,
        ErrorKind::Server(kind) => match kind {
            ServerErrorKind::NoScript => Class::NoScript,
            ServerErrorKind::ReadOnly | ServerErrorKind::MasterDown => Class::Reconnect,
            ServerErrorKind::BusyLoading
            | ServerErrorKind::TryAgain
            | ServerErrorKind::ClusterDown
            | ServerErrorKind::NotBusy
            | ServerErrorKind::Moved
            | ServerErrorKind::Ask => Class::Wait,
            _ => by_text(error),
        },
        ErrorKind::Extension => by_text(error),
        _ if error.is_io_error() || error.is_timeout() || error.is_connection_dropped() => {
            Class::Reconnect
        }
        _ => by_text(error),
    }
}

/// Some servers and proxies put their own word in front.
fn by_text(error: &RedisError) -> Class {
    let code = error.code().unwrap_or_default();
    let text = error.to_string();
    let says = |word: &str| code == word || text.contains(word);
    if says("READONLY") || says("MASTERDOWN") || says("UNBLOCKED") || says("NOREPLICAS") {
        Class::Reconnect
    } else if says("LOADING") || says("BUSY") || says("CLUSTERDOWN") || says("TRYAGAIN") {
        Class::Wait
    } else if says("NOSCRIPT") {
        Class::NoScript
    } else if says("OOM") {
        Class::OutOfMemory
    } else {
        Class::Final
    }
}

/// The error a caller sees. It names the server and the cause, and never a password: an address
/// carries none, and neither do the client's errors.
pub(crate) fn describe(server: &str, error: RedisError) -> QueueError {
    let (kind, what) = match (classify(&error), error.kind()) {
        (_, ErrorKind::AuthenticationFailed) => (
            QueueErrorKind::Unavailable,
            "did not accept the user or the password",
        ),
        _ if error.code() == Some("NOAUTH") => (
            QueueErrorKind::Unavailable,
            "asks for a password, and none was given",
        ),
        (_, ErrorKind::InvalidClientConfig) => (
            QueueErrorKind::Rejected,
            "can't be connected to as it is configured",
        ),
        (_, ErrorKind::Server(ServerErrorKind::NoPerm)) => (
            QueueErrorKind::Unavailable,
            "does not let this user run a command or touch a key",
        ),
        (_, ErrorKind::Server(ServerErrorKind::Moved | ServerErrorKind::Ask)) => (
            QueueErrorKind::Unavailable,
            "keeps the queue on another node; redis+cluster:// finds it",
        ),
        (_, ErrorKind::Server(ServerErrorKind::CrossSlot)) => (
            QueueErrorKind::Internal,
            "is a cluster; connect with redis+cluster://",
        ),
        (Class::Reconnect, _) if error.is_timeout() => {
            (QueueErrorKind::Timeout, "did not answer in time")
        }
        (Class::Reconnect, _) => (QueueErrorKind::Unavailable, "can't be reached"),
        (Class::Wait, _) => (QueueErrorKind::Unavailable, "can't serve now"),
        (Class::OutOfMemory, _) => (QueueErrorKind::Unavailable, "has reached its memory limit"),
        (Class::NoScript | Class::Final, _) => (QueueErrorKind::Internal, "refused a call"),
    };
    QueueError::new(kind, format!("redis at {server} {what}: {error}")).with_source(error)
}

/// The server answered something this version does not understand.
pub(crate) fn unexpected(server: &str, script: &'static str) -> QueueError {
    QueueError::new(
        QueueErrorKind::Internal,
        format!("redis at {server} gave an answer to {script} that can't be read"),
    )
}
