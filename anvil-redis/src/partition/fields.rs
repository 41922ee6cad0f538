//! Taking a script's answer apart.

use anvil_queue::JobId;
use redis::Value;

/// The items of an answer that is a list.
pub(super) fn list(value: Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(items) => Some(items),
        _ => None,
    }
}

/// A list of exactly `N` items.
pub(super) fn fields<const N: usize>(value: Value) -> Option<[Value; N]> {
    list(value)?.try_into().ok()
}

pub(super) fn bytes(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Some(bytes),
        Value::SimpleString(text) => Some(text.into_bytes()),
        Value::Okay => Some(b"OK".to_vec()),
        _ => None,
    }
}

pub(super) fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Int(number) => u64::try_from(*number).ok(),
        _ => None,
    }
}

/// The ids in a text of ids, one behind the other.
pub(super) fn ids(text: &[u8]) -> impl Iterator<Item = JobId> {
    text.chunks_exact(16)
        .filter_map(|chunk| chunk.try_into().ok().map(JobId::from_bytes))
}
