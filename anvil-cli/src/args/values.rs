//! How single values are read.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anvil_queue::DeadReason;
use anvil_tower::preset::Facts;
use http::Uri;

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

/// A sender that has a preset.
pub(super) fn sender(name: &str) -> Result<&'static Facts, String> {
    Facts::named(name).ok_or_else(|| {
        let near: Vec<_> = Facts::all()
            .map(Facts::name)
            .filter(|known| known.contains(name) || name.contains(known))
            .collect();
        if near.is_empty() {
            "no sender has this name; `anvil presets` lists them".to_owned()
        } else {
            format!("no sender has this name; is it {}?", near.join(", "))
        }
    })
}

/// A time such as `2026-03-01T12:00:00Z`, or the seconds since 1970.
pub(super) fn time(text: &str) -> Result<SystemTime, String> {
    if let Ok(seconds) = text.parse::<u32>() {
        return Ok(UNIX_EPOCH + Duration::from_secs(seconds.into()));
    }
    humantime::parse_rfc3339_weak(text)
        .map_err(|error| format!("{error}; write 2026-03-01T12:00:00Z, or the seconds since 1970"))
}

/// A URL of HTTP with a host.
pub(super) fn url(text: &str) -> Result<Uri, String> {
    let wrong = || format!("`{text}` is no URL; write http://127.0.0.1:3000/hooks");
    let url: Uri = text.parse().map_err(|_| wrong())?;
    let is_http = matches!(url.scheme_str(), Some("http" | "https"));
    let host = url.host().filter(|host| !host.is_empty());
    if is_http && host.is_some() && !text.contains('#') {
        Ok(url)
    } else {
        Err(wrong())
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
    fn a_time_is_a_date_or_seconds_since_1970() {
        let expected = UNIX_EPOCH + Duration::from_secs(1_772_366_400);
        for text in ["2026-03-01T12:00:00Z", "2026-03-01 12:00:00", "1772366400"] {
            assert_eq!(time(text), Ok(expected), "{text}");
        }
        for text in ["", "noon", "-1", "2026-03-01T12:00:00+02:00"] {
            assert!(time(text).unwrap_err().contains("seconds since"), "{text}");
        }
    }

    #[test]
    fn a_url_has_a_scheme_and_a_host() {
        assert!(url("http://127.0.0.1:3000").is_ok());
        assert!(url("https://example.com/hooks?a=b").is_ok());
        for text in ["", "/hooks", "example.com/hooks", "ftp://a/", "http://a/#b"] {
            assert!(url(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_sender_that_is_nearly_right_is_named() {
        assert_eq!(sender("github").unwrap().name(), "github");
        assert!(sender("hub").unwrap_err().contains("github"));
        assert!(sender("").is_err() && sender("nobody").is_err());
    }

    #[test]
    fn reasons_are_read_by_their_names() {
        assert_eq!(reason("poison"), Ok(DeadReason::Poison));
        assert!(reason("Poison").unwrap_err().contains("exhausted"));
    }
}
