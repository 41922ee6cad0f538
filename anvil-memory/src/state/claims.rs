use std::collections::VecDeque;
use std::hash::Hash;
use std::time::Duration;

use anvil_queue::JobId;

use super::spread::Spread;

/// Which job holds which key, and until when.
///
/// A claim outlives its job. An expired one is never answered from; it is dropped a few at a time,
/// in the order in which claims were made.
pub(super) struct Claims<K> {
    claims: Spread<K, Claim>,
    expiries: VecDeque<(Duration, K)>,
}

struct Claim {
    holder: JobId,
    expires: Duration,
}

impl<K: Copy + Eq + Hash> Claims<K> {
    /// The job that holds `key` at this time.
    pub(super) fn holder(&self, key: &K, now: Duration) -> Option<JobId> {
        self.claims
            .get(key)
            .filter(|claim| now < claim.expires)
            .map(|claim| claim.holder)
    }

    /// Gives `key` to `holder` for `window` from now, whoever held it before.
    pub(super) fn claim(&mut self, key: K, holder: JobId, window: Duration, now: Duration) {
        let expires = now.saturating_add(window);
        self.claims.insert(key, Claim { holder, expires });
        self.expiries.push_back((expires, key));
    }

    /// Drops expired claims, at most `limit` of them.
    pub(super) fn forget_expired(&mut self, limit: usize, now: Duration) {
        for _ in 0..limit {
            let Some((_, key)) = self.expiries.front().filter(|(expires, _)| *expires <= now)
            else {
                return;
            };
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
}

impl<K> Claims<K> {
    pub(super) fn len(&self) -> usize {
        self.claims.len()
    }
}

impl<K> Default for Claims<K> {
    fn default() -> Self {
        Self {
            claims: Spread::default(),
            expiries: VecDeque::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Duration = Duration::from_secs(10);

    fn job(n: u8) -> JobId {
        JobId::from_bytes([n; 16])
    }

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn an_expired_claim_is_not_answered_from_although_it_is_still_there() {
        let mut claims = Claims::default();
        claims.claim(1, job(1), WINDOW, at(0));
        assert_eq!(claims.holder(&1, at(9)), Some(job(1)));
        assert_eq!(claims.holder(&1, at(10)), None);
        assert_eq!(claims.len(), 1);
    }

    #[test]
    fn a_claim_made_again_outlives_its_first_expiry() {
        let mut claims = Claims::default();
        claims.claim(1, job(1), WINDOW, at(0));
        claims.claim(1, job(1), WINDOW, at(5));
        claims.forget_expired(10, at(12));
        assert_eq!(claims.holder(&1, at(12)), Some(job(1)));
        claims.forget_expired(10, at(15));
        assert_eq!(claims.len(), 0);
    }

    #[test]
    fn no_more_than_the_limit_is_dropped_at_once() {
        let mut claims = Claims::default();
        for n in 0..10 {
            claims.claim(n, job(n), WINDOW, at(0));
        }
        claims.forget_expired(4, at(10));
        assert_eq!(claims.len(), 6);
    }
}
