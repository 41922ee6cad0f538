//! How single values are read.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use anvil_queue::DeadReason;

/// A duration such as `90s`, `15m`, `2h` or `3d`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| format!("{error}; write 90s, 15m, 2h or 3d"))
}

pub(super) fn at_least_one(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err("at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(format!("{error}")),
    }
}

pub(super) fn reason(text: &str) -> Result<DeadReason, String> {
    let found = REASONS.into_iter().find(|reason| reason.as_str() == text);
    found.ok_or_else(|| {
        let names = REASONS.map(DeadReason::as_str);
        format!("one of {}", names.join(", "))
    })
}

/// How many jobs a second at most.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Rate(pub(crate) NonZeroU32);

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.strip_suffix("/s").unwrap_or(text);
        let wrong = |_| format!("`{text}` is no rate; write 20/s");
        number.parse().map(Self).map_err(wrong)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/s", self.0)
    }
}

const REASONS: [DeadReason; 5] = [
    DeadReason::Exhausted,
    DeadReason::Missing,
    DeadReason::Permanent,
    DeadReason::Poison,
    DeadReason::Undecodable,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit() {
        for (text, seconds) in [("90s", 90), ("15m", 900), ("2h", 7_200), ("3d", 259_200)] {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)));
        }
        for text in ["", "5", "-5s", "soon", "1 fortnight"] {
            assert!(duration(text).unwrap_err().contains("write 90s"), "{text}");
        }
    }

    #[test]
    fn a_rate_is_a_number_of_jobs_a_second() {
        assert_eq!("20/s".parse(), "20".parse::<Rate>());
        assert_eq!("20/s".parse::<Rate>().unwrap().to_string(), "20/s");
        for text in ["0", "0/s", "-1/s", "20/m", "fast", ""] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }

    #[test]
    fn reasons_are_read_by_their_names() {
        assert_eq!(reason("poison"), Ok(DeadReason::Poison));
        assert!(reason("Poison").unwrap_err().contains("exhausted"));
    }
}
