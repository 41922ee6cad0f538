use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use uuid::{Builder, Uuid};

/// The name of one job: a UUID version 7, made by the caller before the job is stored.
///
/// Because the caller makes it, sending the same [`NewJob`](crate::NewJob) again after a lost
/// reply is answered with the job that is already there. Ids sort by the time they were made, to
/// the millisecond ([RFC 9562](https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7)).
///
/// ```
/// use anvil_queue::JobId;
///
/// let id = JobId::generate();
/// assert_eq!(id.to_string().parse(), Ok(id));
/// ```
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct JobId([u8; 16]);

impl JobId {
    /// Makes a new id from the wall clock and random bits.
    #[must_use]
    pub fn generate() -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
        let millis = since_epoch.map_or(0, |time| {
            time.as_secs() * 1000 + u64::from(time.subsec_millis())
        });
        // A version 4 id is random bits from a generator of this thread's own: no two threads meet.
        let [random @ .., _, _, _, _, _, _] = Uuid::new_v4().into_bytes();
        Self(
            Builder::from_unix_timestamp_millis(millis, &random)
                .into_uuid()
                .into_bytes(),
        )
    }

    /// The id with these 16 bytes, as a backend reads it back.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Writes the text of the id, the same as `Display` writes, without the formatting machinery.
    pub fn encode(self, text: &mut [u8; Self::TEXT_LEN]) -> &str {
        Uuid::from_bytes(self.0).hyphenated().encode_lower(text)
    }

    /// How long the text of an id is, in bytes.
    pub const TEXT_LEN: usize = 36;

    /// The 16 bytes of the id, as a backend stores it.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Debug for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JobId({self})")
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(Uuid::from_bytes_ref(&self.0), f)
    }
}

impl FromStr for JobId {
    type Err = InvalidJobId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Uuid::from_str(text)
            .map(|id| Self(id.into_bytes()))
            .map_err(|_| InvalidJobId(()))
    }
}

/// A text is not a [`JobId`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidJobId(());

impl fmt::Display for InvalidJobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a job id is a UUID such as 0198c5b2-7c3e-7d4a-9f60-2b1f5f1c9a10")
    }
}

impl std::error::Error for InvalidJobId {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn junk_is_refused_with_a_sentence_that_shows_the_form() {
        for junk in ["", "1", "not-a-uuid", "0198c5b2-7c3e-7d4a-9f60-2b1f5f1c9a1"] {
            assert!(
                junk.parse::<JobId>()
                    .unwrap_err()
                    .to_string()
                    .contains("UUID")
            );
        }
    }

    #[test]
    fn the_two_ways_to_text_agree() {
        let id = JobId::generate();
        assert_eq!(id.encode(&mut [0; JobId::TEXT_LEN]), id.to_string());
    }

    #[test]
    fn an_id_is_a_version_7_uuid_of_this_millisecond() {
        let millis = || {
            SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap()
                .as_millis()
        };
        let before = millis();
        let id = Uuid::from_bytes(JobId::generate().0);
        assert_eq!(id.get_version_num(), 7);
        let (seconds, nanos) = id.get_timestamp().unwrap().to_unix();
        let made = u128::from(seconds) * 1000 + u128::from(nanos / 1_000_000);
        assert!((before..=millis()).contains(&made));
    }

    #[test]
    fn ids_do_not_repeat() {
        let ids: std::collections::HashSet<_> = (0..10_000).map(|_| JobId::generate()).collect();
        assert_eq!(ids.len(), 10_000);
    }
}
