//! Waiting for a condition, without a sleep that is a guess.

use std::thread;
use std::time::{Duration, Instant};

/// Waits until `condition` returns something, and returns that.
///
/// The condition is asked at once and then every 2 ms.
///
/// # Panics
///
/// Panics with `what` when `limit` has passed.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// let start = Instant::now();
/// let waited = anvil_redis_fixture::until("5 ms have passed", Duration::from_secs(5), || {
///     Some(start.elapsed()).filter(|elapsed| *elapsed > Duration::from_millis(5))
/// });
/// assert!(waited > Duration::from_millis(5));
/// ```
pub fn until<T>(what: &str, limit: Duration, condition: impl FnMut() -> Option<T>) -> T {
    until_or(|| what.to_owned(), limit, condition)
}

/// The same, with words that are only known when it was in vain.
pub(crate) fn until_or<T>(
    what: impl FnOnce() -> String,
    limit: Duration,
    mut condition: impl FnMut() -> Option<T>,
) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = condition() {
            return value;
        }
        if start.elapsed() >= limit {
            panic!("waited {limit:?} in vain: {}", what());
        }
        thread::sleep(POLL);
    }
}

const POLL: Duration = Duration::from_millis(2);

/// Enough for a step of a server on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(15);
