//! The arithmetic on many durations.

use std::time::Duration;

/// The duration that this share of the others does not exceed; zero of none. Sorts them.
///
/// ```
/// use std::time::Duration;
/// use anvil_benches::timing::quantile;
///
/// let mut took: Vec<_> = (1..=1_000).map(Duration::from_millis).collect();
/// assert_eq!(quantile(&mut took, 0.5), Duration::from_millis(500));
/// assert_eq!(quantile(&mut took, 0.999), Duration::from_millis(999));
/// assert_eq!(quantile(&mut took, 1.0), Duration::from_millis(1_000));
/// ```
pub fn quantile(durations: &mut [Duration], share: f64) -> Duration {
    durations.sort_unstable();
    let rank = (durations.len() as f64 * share).ceil() as usize;
    durations
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or_default()
}

/// In milliseconds.
#[must_use]
pub fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
