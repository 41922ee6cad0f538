use std::collections::BTreeMap;
use std::time::Duration;

/// Since when the open jobs (neither done nor dead) have been accepted, to the millisecond.
///
/// Jobs of one millisecond share a count, so that adding one costs next to nothing in a busy queue
/// and the oldest is found at once in a full one.
#[derive(Default)]
pub(super) struct Ages {
    /// The newest millisecond, kept out of the tree: in a queue that keeps up, jobs are closed in
    /// the millisecond in which they were opened.
    newest: (u64, usize),
    open: BTreeMap<u64, usize>,
}

impl Ages {
    pub(super) fn open(&mut self, accepted_at: Duration) {
        let at = millisecond(accepted_at);
        let (newest, jobs) = &mut self.newest;
        if at == *newest {
            *jobs += 1;
        } else if at > *newest {
            let (earlier, open) = std::mem::replace(&mut self.newest, (at, 1));
            if open > 0 {
                self.open.insert(earlier, open);
            }
        } else {
            *self.open.entry(at).or_default() += 1;
        }
    }

    pub(super) fn close(&mut self, accepted_at: Duration) {
        let at = millisecond(accepted_at);
        let (newest, jobs) = &mut self.newest;
        if at == *newest {
            *jobs = jobs.saturating_sub(1);
        } else if let Some(jobs) = self.open.get_mut(&at) {
            *jobs -= 1;
            if *jobs == 0 {
                self.open.remove(&at);
            }
        }
    }

    /// When the oldest open job was accepted.
    pub(super) fn oldest(&self) -> Option<Duration> {
        let (newest, jobs) = self.newest;
        let earlier = self.open.first_key_value().map(|(at, _)| *at);
        let oldest = earlier.or_else(|| (jobs > 0).then_some(newest));
        oldest.map(Duration::from_millis)
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
