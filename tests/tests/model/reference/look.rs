//! What can be seen of the model.

use std::time::Duration;

use anvil_queue::{JobId, PeekPlace, QueueStats};

use super::{Model, ModelJob, Stage};

impl Model {
    /// The jobs of a place in the order in which they leave it.
    pub(crate) fn peek(&self, place: PeekPlace) -> Vec<JobId> {
        let mut jobs: Vec<_> = (self.jobs.iter())
            .filter_map(|job| match (place, &job.stage) {
                (PeekPlace::Ready, Stage::Ready) => Some((Duration::ZERO, job.place, job.id())),
                (PeekPlace::Scheduled, Stage::Scheduled { due, order }) => {
                    Some((*due, *order, job.id()))
                }
                (PeekPlace::Leased, Stage::Leased { deadline, .. }) => {
                    Some((*deadline, self.tie(job), job.id()))
                }
                _ => None,
            })
            .collect();
        jobs.sort();
        jobs.into_iter().map(|(.., id)| id).collect()
    }

    pub(crate) fn stats(&self, now: Duration) -> QueueStats {
        let mut stats = QueueStats::default();
        for job in &self.jobs {
            match job.stage {
                Stage::Ready => stats.ready += 1,
                Stage::Scheduled { .. } => stats.scheduled += 1,
                Stage::Leased { .. } => stats.leased += 1,
                Stage::Dead { .. } => stats.dead += 1,
                Stage::Gone => continue,
            }
            if job.death().is_none() {
                stats.oldest_age = stats.oldest_age.max(Some(now - job.accepted_at));
            }
        }
        stats.totals = self.totals;
        stats
    }

    /// The dead jobs in the order of their deaths.
    pub(crate) fn dead(&self) -> Vec<&ModelJob> {
        let mut dead: Vec<_> = self
            .jobs
            .iter()
            .filter(|job| job.death().is_some())
            .collect();
        dead.sort_by_key(|job| job.death().map(|(order, _)| order));
        dead
    }
}
