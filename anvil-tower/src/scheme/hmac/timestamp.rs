use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

use crate::rejection::{FUTURE, MALFORMED_TIMESTAMP, Rejection, STALE};

/// How a sender writes the time: counted from the Unix epoch, or as a date.
///
/// Taking milliseconds for seconds puts every delivery tens of thousands of years ahead.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum TimestampUnit {
    /// Milliseconds.
    Milliseconds,
    /// A date with its offset from UTC ([RFC 3339](https://www.rfc-editor.org/rfc/rfc3339)),
    /// measured in nanoseconds.
    Rfc3339,
    /// Seconds.
    #[default]
    Seconds,
}

/// How old, and how far ahead, a signed timestamp may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimestampRule {
    pub(crate) unit: TimestampUnit,
    pub(crate) past: Duration,
    pub(crate) future: Duration,
}

impl TimestampRule {
    /// Measures a timestamp; the verdict is for after the signature was found right.
    #[inline]
    pub(crate) fn judge(&self, text: &[u8], now: SystemTime) -> Result<Stamp, Rejection> {
        let at = match self.unit {
            TimestampUnit::Milliseconds | TimestampUnit::Seconds => parse_number(text),
            TimestampUnit::Rfc3339 => parse_date(text),
        }
        .ok_or(MALFORMED_TIMESTAMP)?;
        // Whole units, as senders and their libraries count: 300.9 s after the second 0 is 300 s.
        let age = self.count(now).saturating_sub(at);
        let freshness = if age > self.width(self.past) {
            Freshness::Stale
        } else if age.saturating_neg() > self.width(self.future) {
            Freshness::Future
        } else {
            Freshness::Fresh
        };
        let distance = match self.unit {
            TimestampUnit::Milliseconds => Duration::from_millis(at.unsigned_abs()),
            TimestampUnit::Rfc3339 => Duration::from_nanos(at.unsigned_abs()),
            TimestampUnit::Seconds => Duration::from_secs(at.unsigned_abs()),
        };
        Ok(Stamp {
            at: if at < 0 {
                UNIX_EPOCH.checked_sub(distance)
            } else {
                UNIX_EPOCH.checked_add(distance)
            },
            freshness,
        })
    }

    /// Whole units from the Unix epoch until `time`, rounded towards the past.
    fn count(&self, time: SystemTime) -> i64 {
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => self.width(after),
            Err(before) => -self.width(before.duration()) - 1,
        }
    }

    /// Whole units in `duration`; one that has no end is longer than any age.
    fn width(&self, duration: Duration) -> i64 {
        let seconds = i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
        match self.unit {
            TimestampUnit::Milliseconds => seconds
                .saturating_mul(1000)
                .saturating_add(i64::from(duration.subsec_millis())),
            TimestampUnit::Rfc3339 => seconds
                .saturating_mul(1_000_000_000)
                .saturating_add(i64::from(duration.subsec_nanos())),
            TimestampUnit::Seconds => seconds,
        }
    }
}

/// When a delivery was signed, and whether that is fresh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp {
    pub(crate) at: Option<SystemTime>,
    freshness: Freshness,
}

impl Stamp {
    /// The verdict, for after the signature was found right.
    pub(crate) fn verdict(&self) -> Result<(), Rejection> {
        match self.freshness {
            Freshness::Fresh => Ok(()),
            Freshness::Future => Err(FUTURE),
            Freshness::Stale => Err(STALE),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Freshness {
    Fresh,
    Future,
    Stale,
}

/// Digits and nothing else; no sign, no space, no fraction.
fn parse_number(text: &[u8]) -> Option<i64> {
    if text.is_empty() || text.len() > MAX_DIGITS {
        return None;
    }
    let mut all_digits = true;
    let number = text.iter().fold(0_u64, |number, digit| {
        let value = digit.wrapping_sub(b'0');
        all_digits &= value < 10;
        number.wrapping_mul(10).wrapping_add(u64::from(value))
    });
    i64::try_from(number).ok().filter(|_| all_digits)
}

/// Nanoseconds from the Unix epoch; a date that is centuries away is the farthest one that fits. The
/// parser takes more than RFC 3339, such as a name of a zone, so the characters are looked at first.
#[inline(never)]
fn parse_date(text: &[u8]) -> Option<i64> {
    let is_plain =
        |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b':' | b'T' | b'Z');
    let is_date = text.len() <= MAX_DATE_LEN && text.iter().all(is_plain);
    let date: Timestamp = str::from_utf8(text)
        .ok()
        .filter(|_| is_date)?
        .parse()
        .ok()?;
    let farthest = if date < Timestamp::UNIX_EPOCH {
        i64::MIN
    } else {
        i64::MAX
    };
    Some(i64::try_from(date.as_nanosecond()).unwrap_or(farthest))
}

const MAX_DATE_LEN: usize = 40;

/// So many nines still fit 64 bits without a sign.
const MAX_DIGITS: usize = 19;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RULE: TimestampRule = TimestampRule {
        unit: TimestampUnit::Seconds,
        past: Duration::from_secs(300),
        future: Duration::from_secs(60),
    };

    fn cause(rule: TimestampRule, text: &str, now_millis: u64) -> &'static str {
        match rule.judge(
            text.as_bytes(),
            UNIX_EPOCH + Duration::from_millis(now_millis),
        ) {
            Ok(stamp) => stamp
                .verdict()
                .map_or_else(|rejection| rejection.cause(), |()| "fresh"),
            Err(rejection) => rejection.cause(),
        }
    }

    #[test]
    fn both_ends_of_the_tolerance_are_inside_it() {
        assert_eq!(cause(RULE, "1000", 1_300_999), "fresh");
        assert_eq!(cause(RULE, "1000", 1_301_000), "stale");
        assert_eq!(cause(RULE, "1000", 940_000), "fresh");
        assert_eq!(cause(RULE, "1000", 939_999), "future");
    }

    #[test]
    fn milliseconds_are_not_seconds() {
        let millis = TimestampRule {
            unit: TimestampUnit::Milliseconds,
            ..RULE
        };
        assert_eq!(cause(millis, "1000000", 1_300_000), "fresh");
        assert_eq!(cause(millis, "1000000", 1_300_001), "stale");
        assert_eq!(cause(RULE, "1000000", 1_000_000), "future");
    }

    #[test]
    fn dates_are_measured_in_nanoseconds_in_any_offset() {
        let dates = TimestampRule {
            unit: TimestampUnit::Rfc3339,
            ..RULE
        };
        for text in [
            "1970-01-01T00:16:40Z",
            "1970-01-01T00:16:40.000000001Z",
            "1970-01-01T02:16:40+02:00",
            "1969-12-31T17:16:40-07:00",
        ] {
            assert_eq!(cause(dates, text, 1_300_000), "fresh", "{text}");
            assert_eq!(cause(dates, text, 1_300_001), "stale", "{text}");
            assert_eq!(cause(dates, text, 939_999), "future", "{text}");
        }
        let now = UNIX_EPOCH + Duration::from_millis(940_000);
        let ahead = dates.judge(b"1970-01-01T00:16:40.000000001Z", now).unwrap();
        assert_eq!(ahead.verdict().unwrap_err().cause(), "future");
        assert_eq!(cause(dates, "9999-12-30T00:00:00Z", 0), "future");
        assert_eq!(cause(dates, "0001-01-01T00:00:00Z", 0), "stale");
        let before = dates
            .judge(b"1969-12-31T23:59:59.999Z", UNIX_EPOCH)
            .unwrap();
        assert_eq!(before.at, Some(UNIX_EPOCH - Duration::from_millis(1)));
        for text in [
            "",
            "1000",
            "1970-01-01",
            "1970-01-01T00:16:40",
            "1970-01-01T00:16:40Z ",
            "1970-13-01T00:16:40Z",
            "1970-01-01T00:16:40+02:00[Europe/Berlin]",
        ] {
            assert_eq!(cause(dates, text, 0), "malformed_timestamp", "{text:?}");
        }
    }

    #[test]
    fn what_is_not_a_number_is_malformed_and_a_huge_one_is_the_future() {
        for text in [
            "",
            "-1",
            "+1",
            " 1",
            "1.0",
            "1e3",
            "0x1",
            "9223372036854775808",
        ] {
            assert_eq!(cause(RULE, text, 0), "malformed_timestamp", "{text:?}");
        }
        assert_eq!(cause(RULE, "9223372036854775807", 0), "future");
    }

    #[test]
    fn a_tolerance_without_end_and_a_clock_before_the_epoch_are_survived() {
        let endless = TimestampRule {
            past: Duration::MAX,
            future: Duration::MAX,
            ..RULE
        };
        assert_eq!(cause(endless, "0", u32::MAX.into()), "fresh");
        assert_eq!(cause(endless, "9223372036854775807", 0), "fresh");
        let early = UNIX_EPOCH - Duration::from_millis(500);
        assert_eq!(
            RULE.judge(b"60", early)
                .unwrap()
                .verdict()
                .unwrap_err()
                .cause(),
            "future"
        );
        assert!(RULE.judge(b"59", early).unwrap().verdict().is_ok());
    }

    proptest! {
        #[test]
        fn no_input_panics(text: Vec<u8>, digits in "[0-9]{0,25}", seconds: u32, past: Duration) {
            let now = UNIX_EPOCH + Duration::from_secs(seconds.into());
            for unit in [
                TimestampUnit::Milliseconds,
                TimestampUnit::Rfc3339,
                TimestampUnit::Seconds,
            ] {
                let rule = TimestampRule { unit, past, future: past };
                let _ = rule.judge(&text, now);
                let _ = rule.judge(digits.as_bytes(), now);
            }
        }
    }
}
