use async_trait::async_trait;

use super::{DeadFilter, DeadLetters, DeadQuery, ReplayOptions, Replayed};
use crate::{QueueError, QueueName};

/// Bulk forms of the verbs of [`DeadLetters`]. Implemented for every backend; there is nothing to
/// implement.
#[async_trait]
pub trait DeadLettersExt: DeadLetters {
    /// Replays every letter that matches and was dead when the call began.
    ///
    /// Works page by page, so it can be dropped half-way and called again. A job that dies again
    /// meanwhile is not replayed a second time, so the walk ends.
    ///
    /// # Errors
    ///
    /// [`QueueError`] of the first page that failed; earlier pages stay replayed.
    async fn replay_matching(
        &self,
        queue: &QueueName,
        filter: DeadFilter,
        options: ReplayOptions,
    ) -> Result<ReplayReport, QueueError> {
        let mut report = ReplayReport::default();
        let mut query = DeadQuery::new()
            .filter(filter)
            .limit(PAGE)
            .up_to(options.up_to);
        loop {
            let page = self.list_dead(queue, query.clone()).await?;
            query.up_to = query.up_to.or(page.newest);
            let ids: Vec<_> = page.letters.iter().map(|letter| letter.id()).collect();
            if !ids.is_empty() {
                for answer in self.replay(queue, &ids, options.up_to(query.up_to)).await? {
                    report.count(answer);
                }
            }
            match page.next {
                Some(next) => query.after = Some(next),
                None => return Ok(report),
            }
        }
    }
}

impl<T: DeadLetters + ?Sized> DeadLettersExt for T {}

/// What a bulk replay did.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct ReplayReport {
    /// Jobs that are ready again.
    pub replayed: usize,
    /// Jobs left dead because their key belongs to a newer job.
    pub superseded: usize,
    /// Jobs that were no longer dead when their turn came.
    pub gone: usize,
}

impl ReplayReport {
    fn count(&mut self, answer: Replayed) {
        match answer {
            Replayed::Ready => self.replayed += 1,
            Replayed::Superseded(_) => self.superseded += 1,
            Replayed::NotDead => self.gone += 1,
        }
    }
}

const PAGE: usize = 200;
