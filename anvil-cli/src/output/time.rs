use std::time::{Duration, SystemTime};

/// A time as RFC 3339 in UTC, to the second.
pub(crate) fn timestamp(at: SystemTime) -> String {
    let last = SystemTime::UNIX_EPOCH + Duration::from_secs(LAST_SECOND);
    let at = at.clamp(SystemTime::UNIX_EPOCH, last);
    humantime::format_rfc3339_seconds(at).to_string()
}

/// A duration in its two largest units, such as `2h 3m`.
pub(crate) fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m {}s", seconds % 60),
        (0, ..) => format!("{hours}h {minutes}m"),
        _ => format!("{days}d {hours}h"),
    }
}

/// A time and how long ago it was by this machine's clock, which may be wrong.
pub(crate) fn ago(at: SystemTime) -> String {
    let elapsed = SystemTime::now().duration_since(at).unwrap_or_default();
    format!("{} ({} ago)", timestamp(at), span(elapsed))
}

/// The end of the year 9999.
const LAST_SECOND: u64 = 253_402_300_799;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_shows_its_two_largest_units() {
        for (seconds, text) in [
            (0, "0s"),
            (59, "59s"),
            (61, "1m 1s"),
            (7_380, "2h 3m"),
            (90_000, "1d 1h"),
        ] {
            assert_eq!(span(Duration::from_secs(seconds)), text);
        }
        assert!(span(Duration::MAX).contains('d'));
    }

    #[test]
    fn no_time_is_too_far_away_to_be_shown() {
        let early = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        let late = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::MAX >> 2);
        assert_eq!(timestamp(early), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp(late), "9999-12-31T23:59:59Z");
    }
}
