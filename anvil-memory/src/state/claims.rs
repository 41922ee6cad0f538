use std::collections::VecDeque;
use std::time::Duration;

use anvil_queue::{DedupeKey, JobId};

use super::spread::Spread;

/// Which job holds which key, and until when.
///
/// A claim outlives its job. An expired one is never answered from; it is dropped a few at a time,
/// in the order in which claims were made. There are as many as deliveries in a window, so they
/// are kept small: the first half of a digest tells deliveries apart as well as the whole.
#[derive(Default)]
pub(super) struct Claims {
    claims: Spread<ClaimKey, Claim>,
    expiries: VecDeque<(Nanos, ClaimKey)>,
    /// Before this time nothing has expired. Looked at with each new job, where the end of a long
    /// list would have to be fetched from far away.
    none_before: Nanos,
}

pub(super) type ClaimKey = [u8; 16];

struct Claim {
    holder: JobId,
    expires: Nanos,
}

/// A time since the backend was made. Half as large as a `Duration`, and enough for 584 years.
type Nanos = u64;

impl Claims {
    /// The job that holds `key` at this time.
    pub(super) fn holder(&self, key: &ClaimKey, now: Duration) -> Option<JobId> {
        let now = nanos(now);
        self.claims
            .get(key)
            .filter(|claim| now < claim.expires)
            .map(|claim| claim.holder)
    }

    /// Gives `key` to `holder` for `window` from now, whoever held it before.
    pub(super) fn claim(&mut self, key: ClaimKey, holder: JobId, window: Duration, now: Duration) {
        let expires = nanos(now.saturating_add(window));
        self.claims.insert(key, Claim { holder, expires });
        self.expiries.push_back((expires, key));
    }

    /// Drops expired claims, at most `limit` of them.
    pub(super) fn forget_expired(&mut self, limit: usize, now: Duration) {
        let now = nanos(now);
        if now < self.none_before {
            return;
        }
        for _ in 0..limit {
            let Some((expires, key)) = self.expiries.front() else {
                return;
            };
            if *expires > now {
                self.none_before = *expires;
                return;
            }
            // A claim made again since has a later line of its own.
            if self
                .claims
                .get(key)
                .is_some_and(|claim| claim.expires <= now)
            {
                self.claims.remove(key);
            }
            self.expiries.pop_front();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.claims.len()
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
