use std::collections::BTreeMap;
use std::time::Duration;

/// Since when the open jobs (neither done nor dead) have been accepted, to the millisecond.
///
/// Jobs of one millisecond share a count, so that adding one costs next to nothing in a busy queue
/// and the oldest is found at once in a full one.
#[derive(Default)]
pub(super) struct Ages {
    open: BTreeMap<u64, usize>,
}

impl Ages {
    pub(super) fn open(&mut self, accepted_at: Duration) {
        *self.open.entry(millisecond(accepted_at)).or_default() += 1;
    }

    pub(super) fn close(&mut self, accepted_at: Duration) {
        let at = millisecond(accepted_at);
        if let Some(jobs) = self.open.get_mut(&at) {
            *jobs -= 1;
            if *jobs == 0 {
                self.open.remove(&at);
            }
        }
    }

    /// When the oldest open job was accepted.
    pub(super) fn oldest(&self) -> Option<Duration> {
        self.open
            .first_key_value()
            .map(|(at, _)| Duration::from_millis(*at))
    }
}

fn millisecond(at: Duration) -> u64 {
    u64::try_from(at.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_the_first_that_is_still_open() {
        let (a, b) = (Duration::from_millis(10), Duration::from_millis(20));
        let mut ages = Ages::default();
        for at in [a, a, b] {
            ages.open(at);
        }
        assert_eq!(ages.oldest(), Some(a));
        ages.close(a);
        assert_eq!(ages.oldest(), Some(a));
        ages.close(a);
        assert_eq!(ages.oldest(), Some(b));
        ages.close(b);
        assert_eq!(ages.oldest(), None);
    }
}
