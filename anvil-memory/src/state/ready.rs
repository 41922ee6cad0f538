use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anvil_queue::JobId;

/// The order in which ready jobs are reserved.
///
/// Nearly every job is appended once and taken once, which is what a `VecDeque` is best at. The
/// few that come back to an earlier place wait beside it in a map and are merged in by place.
/// Suspects, the jobs with a reclaim behind them, have a map of their own because they are taken
/// alone.
#[derive(Default)]
pub(super) struct Ready {
    fresh: VecDeque<(u64, JobId)>,
    /// Places in `fresh` whose jobs were removed; never the first one.
    gaps: BTreeSet<u64>,
    returned: BTreeMap<u64, JobId>,
    suspects: BTreeMap<u64, JobId>,
}

impl Ready {
    /// Adds a job at a place behind all others.
    pub(super) fn append(&mut self, place: u64, id: JobId, suspect: bool) {
        if suspect {
            self.suspects.insert(place, id);
        } else {
            self.fresh.push_back((place, id));
        }
    }

    /// Adds a job at a place it had before.
    pub(super) fn put_back(&mut self, place: u64, id: JobId, suspect: bool) {
        let jobs = if suspect {
            &mut self.suspects
        } else {
            &mut self.returned
        };
        jobs.insert(place, id);
    }

    /// The first job that is not a suspect.
    pub(super) fn first(&self) -> Option<JobId> {
        match (self.fresh.front(), self.returned.first_key_value()) {
            (Some((fresh, _)), Some((returned, id))) if returned < fresh => Some(*id),
            (Some((_, id)), _) | (None, Some((_, id))) => Some(*id),
            (None, None) => None,
        }
    }

    /// Takes the first job that is not a suspect.
    pub(super) fn take_first(&mut self) -> Option<JobId> {
        match (self.fresh.front(), self.returned.first_key_value()) {
            (Some((fresh, _)), Some((returned, _))) if returned < fresh => {
                self.returned.pop_first()
            }
            (Some(_), _) => {
                let first = self.fresh.pop_front();
                self.drop_leading_gaps();
                first
            }
            (None, _) => self.returned.pop_first(),
        }
        .map(|(_, id)| id)
    }

    /// Removes the job that is ready at this place.
    pub(super) fn remove(&mut self, place: u64) {
        if self.suspects.remove(&place).is_some() || self.returned.remove(&place).is_some() {
            return;
        }
        self.gaps.insert(place);
        self.drop_leading_gaps();
        if self.gaps.len() > MIN_GAPS.max(self.fresh.len() / 2) {
            self.fresh.retain(|(place, _)| !self.gaps.contains(place));
            self.gaps.clear();
        }
    }

    /// The first jobs by place, suspects included.
    pub(super) fn peek(&self, limit: usize) -> Vec<JobId> {
        let fresh = self.fresh.iter().copied();
        let fresh = fresh.filter(|(place, _)| !self.gaps.contains(place));
        let back = |jobs: &BTreeMap<u64, JobId>| -> Vec<_> {
            let jobs = jobs.iter().take(limit);
            jobs.map(|(place, id)| (*place, *id)).collect()
        };
        let mut first = [back(&self.returned), back(&self.suspects)].concat();
        first.extend(fresh.take(limit));
        first.sort_unstable_by_key(|(place, _)| *place);
        first.truncate(limit);
        first.into_iter().map(|(_, id)| id).collect()
    }

    fn drop_leading_gaps(&mut self) {
        while !self.gaps.is_empty()
            && let Some((place, _)) = self.fresh.front()
            && self.gaps.remove(place)
        {
            self.fresh.pop_front();
        }
    }

    /// Takes the first suspect, where no other job has an earlier place.
    pub(super) fn take_suspect_in_front(&mut self) -> Option<JobId> {
        let (suspect, _) = self.suspects.first_key_value()?;
        let fresh = self.fresh.front().map(|(place, _)| place);
        let returned = self.returned.keys().next();
        if fresh
            .into_iter()
            .chain(returned)
            .any(|place| place < suspect)
        {
            return None;
        }
        self.suspects.pop_first().map(|(_, id)| id)
    }

    pub(super) fn len(&self) -> usize {
        self.fresh.len() - self.gaps.len() + self.returned.len() + self.suspects.len()
    }
}

/// How many gaps are not worth closing.
const MIN_GAPS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u8) -> JobId {
        JobId::from_bytes([n; 16])
    }

    #[test]
    fn returned_jobs_are_merged_in_by_place() {
        let mut ready = Ready::default();
        for n in [2, 4, 6] {
            ready.append(n.into(), id(n), false);
        }
        for n in [5, 1, 3] {
            ready.put_back(n.into(), id(n), false);
        }
        for n in 1..=6 {
            assert_eq!(ready.first(), Some(id(n)));
            assert_eq!(ready.take_first(), Some(id(n)));
        }
        assert_eq!(ready.take_first(), None);
        assert_eq!(ready.len(), 0);
    }

    #[test]
    fn a_removed_job_is_neither_counted_nor_shown_nor_taken() {
        let place_of = |n: u64| JobId::from_bytes(u128::from(n).to_be_bytes());
        let mut ready = Ready::default();
        for n in 1..=1_000 {
            ready.append(n, place_of(n), false);
        }
        ready.put_back(0, place_of(0), false);
        ready.put_back(1_001, place_of(1_001), true);
        let keep = |n: &u64| n % 10 == 5;
        for n in (0..=1_001).filter(|n| !keep(n)) {
            ready.remove(n);
        }
        let kept: Vec<_> = (0..=1_001).filter(keep).map(place_of).collect();
        assert_eq!(ready.len(), 100);
        assert_eq!(ready.peek(3), kept[..3]);
        assert_eq!(ready.peek(200), kept);
        assert!(ready.gaps.len() <= MIN_GAPS.max(100));
        for id in kept {
            assert_eq!(ready.first(), Some(id));
            assert_eq!(ready.take_first(), Some(id));
        }
        assert_eq!((ready.len(), ready.first()), (0, None));
    }

    #[test]
    fn a_suspect_is_only_in_front_when_nothing_is_older() {
        let mut ready = Ready::default();
        ready.append(1, id(1), false);
        ready.put_back(2, id(2), true);
        ready.append(3, id(3), false);
        assert_eq!(ready.take_suspect_in_front(), None);
        assert_eq!(ready.take_first(), Some(id(1)));
        assert_eq!(ready.take_suspect_in_front(), Some(id(2)));
        assert_eq!(ready.take_suspect_in_front(), None);
        assert_eq!(ready.take_first(), Some(id(3)));
    }
}
