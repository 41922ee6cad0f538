use std::collections::VecDeque;
use std::time::Duration;

use anvil_queue::{DedupeKey, JobId};

use super::index::Index;

/// Which job holds which key, and until when.
///
/// A claim outlives its job. Claims are a log in the order in which they were made, which is the
/// order in which they expire, and an index that finds the newest of a key. An expired one is
/// never answered from; it is dropped a few at a time, from the front. There are as many as
/// deliveries in a window, so they are kept small: the first half of a digest tells deliveries
/// apart as well as the whole.
#[derive(Default)]
pub(super) struct Claims {
    log: VecDeque<Claim>,
    /// The number of the first claim in the log; the others count up from it. It wraps, which
    /// would take four billion claims at a time to be noticed.
    first: u32,
    index: Index,
    /// Before this time nothing has expired. Looked at with each new job, where the front of a
    /// long log would have to be fetched from far away.
    none_before: Nanos,
}

pub(super) type ClaimKey = [u8; 16];

struct Claim {
    key: ClaimKey,
    holder: JobId,
    expires: Nanos,
}

/// A time since the backend was made. Half as large as a `Duration`, and enough for 584 years.
type Nanos = u64;

impl Claims {
    /// The job that holds `key` at this time.
    pub(super) fn holder(&self, key: &ClaimKey, now: Duration) -> Option<JobId> {
        let number = self.index.find(key, |number| self.is_of(number, key))?;
        let claim = self.get(number)?;
        (nanos(now) < claim.expires).then_some(claim.holder)
    }

    /// Gives `key` to `holder` for `window` from now, whoever held it before. The window is the
    /// same for all claims.
    pub(super) fn claim(&mut self, key: ClaimKey, holder: JobId, window: Duration, now: Duration) {
        let expires = nanos(now.saturating_add(window));
        let number = self.first.wrapping_add(self.log.len() as u32);
        self.log.push_back(Claim {
            key,
            holder,
            expires,
        });
        let Self {
            log, first, index, ..
        } = self;
        index.put(&key, number, |number| {
            let claim = log.get(number.wrapping_sub(*first) as usize);
            claim.is_some_and(|claim| claim.key == key)
        });
    }

    /// Drops expired claims, at most `limit` of them.
    pub(super) fn forget_expired(&mut self, limit: usize, now: Duration) {
        let now = nanos(now);
        if now < self.none_before {
            return;
        }
        for _ in 0..limit {
            let Some(Claim { key, expires, .. }) = self.log.front() else {
                return;
            };
            if *expires > now {
                self.none_before = *expires;
                return;
            }
            // Where the key was claimed again since, the index has the newer number.
            self.index.remove(key, self.first);
            self.log.pop_front();
            self.first = self.first.wrapping_add(1);
        }
    }

    /// How many keys are claimed.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    fn get(&self, number: u32) -> Option<&Claim> {
        self.log.get(number.wrapping_sub(self.first) as usize)
    }

    fn is_of(&self, number: u32, key: &ClaimKey) -> bool {
        self.get(number).is_some_and(|claim| claim.key == *key)
    }
}

pub(super) fn key_claim(key: &DedupeKey) -> ClaimKey {
    let [first @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = *key.as_bytes();
    first
}

fn nanos(time: Duration) -> Nanos {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Duration = Duration::from_secs(10);

    fn key(n: u8) -> ClaimKey {
        [n; 16]
    }

    fn job(n: u8) -> JobId {
        JobId::from_bytes([n; 16])
    }

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn an_expired_claim_is_not_answered_from_although_it_is_still_there() {
        let mut claims = Claims::default();
        claims.claim(key(1), job(1), WINDOW, at(0));
        assert_eq!(claims.holder(&key(1), at(9)), Some(job(1)));
        assert_eq!(claims.holder(&key(1), at(10)), None);
        assert_eq!(claims.len(), 1);
    }

    #[test]
    fn a_claim_made_again_outlives_its_first_expiry() {
        let mut claims = Claims::default();
        claims.claim(key(1), job(1), WINDOW, at(0));
        claims.claim(key(1), job(1), WINDOW, at(5));
        claims.forget_expired(10, at(12));
        assert_eq!(claims.holder(&key(1), at(12)), Some(job(1)));
        claims.forget_expired(10, at(15));
        assert_eq!(claims.len(), 0);
    }

    #[test]
    fn no_more_than_the_limit_is_dropped_at_once() {
        let mut claims = Claims::default();
        for n in 0..10 {
            claims.claim(key(n), job(n), WINDOW, at(0));
        }
        claims.forget_expired(4, at(10));
        assert_eq!(claims.len(), 6);
    }
}
