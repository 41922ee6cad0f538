//! One queue over all its partitions: who gets which job, and one answer out of many.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anvil_queue::{
    Cancelled, DeadLetter, DeadPage, DeadQuery, Enqueued, JobId, JobPlace, JobView, Lease,
    LeaseState, NewJob, PeekQuery, QueueError, QueueName, QueueStats, Refusal, ReplayOptions,
    Replayed, Reserve, Reserved, Settled, Settlement,
};
use futures_util::future::{join_all, select_all, try_join_all};
use tokio::time::Instant;

use crate::agreement::Agreement;
use crate::connections::Connections;
use crate::fsck::FsckReport;
use crate::keys::Keys;
use crate::partition::{Counts, Partition};
use crate::settings::Settings;

pub(crate) struct Queue {
    settings: Arc<Settings>,
    partitions: Vec<Partition>,
    agreement: Agreement,
    /// Where the next reservation begins.
    turn: AtomicUsize,
    /// The settings are known to be those the queue was set up with.
    is_set_up: AtomicBool,
}

impl Queue {
    pub(crate) fn new(
        name: &QueueName,
        settings: &Arc<Settings>,
        connections: &Arc<Connections>,
    ) -> Self {
        let count = settings.partitions;
        let partition = |index| {
            let keys = Keys::new(&settings.prefix, name, index, count);
            Partition::new(index, keys, Arc::clone(settings), Arc::clone(connections))
        };
        Self {
            agreement: Agreement::new(
                Keys::new(&settings.prefix, name, 0, 1).config,
                Arc::clone(settings),
                Arc::clone(connections),
            ),
            partitions: (0..count).map(partition).collect(),
            settings: Arc::clone(settings),
            turn: AtomicUsize::new(JobId::generate().as_bytes()[15].into()),
            is_set_up: AtomicBool::new(false),
        }
    }

    /// Whether it has the same window and the same partitions.
    pub(crate) fn has(&self, settings: &Settings) -> bool {
        self.settings.dedupe_window == settings.dedupe_window
            && self.settings.partitions == settings.partitions
    }

    pub(crate) fn is_set_up(&self) -> bool {
        self.is_set_up.load(Ordering::Relaxed)
    }

    pub(crate) fn set_up(&self) {
        self.is_set_up.store(true, Ordering::Relaxed);
    }

    /// Which partition a job belongs to: a function of the event alone, so that a second delivery
    /// finds the first.
    fn partition_of(&self, job: &NewJob) -> usize {
        let data = job.data();
        let name = match data.dedupe_key() {
            Some(key) => key.as_bytes()[24..].try_into(),
            None => data.id().as_bytes()[8..].try_into(),
        };
        let name = u64::from_be_bytes(name.unwrap_or_default());
        usize::try_from(name % self.partitions.len() as u64).unwrap_or(0)
    }

    fn partition_of_lease(&self, lease: &Lease) -> usize {
        usize::from(lease.token().as_bytes()[8] & 0x7f) % self.partitions.len()
    }

    pub(crate) async fn enqueue(
        &self,
        jobs: Vec<NewJob>,
    ) -> Result<Vec<Result<Enqueued, Refusal>>, QueueError> {
        self.agreement.to_store().await?;
        if let [only] = &self.partitions[..] {
            return only.enqueue(&jobs).await;
        }
        let parts = self.split(&jobs, |job| self.partition_of(job));
        let calls = parts.iter().map(|(partition, _, jobs)| {
            let jobs: Vec<_> = jobs.iter().map(|job| (*job).clone()).collect();
            async move { self.partitions[*partition].enqueue(&jobs).await }
        });
        let mut answers: Vec<_> = jobs.iter().map(|_| Err(Refusal::Unavailable)).collect();
        let mut failed = None;
        let mut answered = false;
        for ((_, places, _), answer) in parts.iter().zip(join_all(calls).await) {
            match answer {
                Ok(of_partition) => {
                    answered = true;
                    for (place, answer) in places.iter().zip(of_partition) {
                        answers[*place] = answer;
                    }
                }
                Err(error) => failed = Some(error),
            }
        }
        match failed {
            Some(error) if !answered => Err(error),
            Some(error) => {
                tracing::warn!(%error, "one partition refused its jobs");
                Ok(answers)
            }
            None => Ok(answers),
        }
    }

    /// Asks the partitions in turn until one has work. One that did not answer before is asked when
    /// the turn begins with it, and where no other has work.
    pub(crate) async fn reserve(&self, request: Reserve) -> Result<Vec<Reserved>, QueueError> {
        self.agreement.to_look().await?;
        let first = self.turn.fetch_add(1, Ordering::Relaxed);
        let mut failed = None;
        let count = self.partitions.len();
        let turn = (0..count).map(|step| &self.partitions[first.wrapping_add(step) % count]);
        let (mut now, mut later) = (Vec::with_capacity(count), Vec::new());
        for partition in turn {
            if now.is_empty() || !partition.is_unreachable() {
                now.push(partition);
            } else {
                later.push(partition);
            }
        }
        for partition in now.into_iter().chain(later) {
            match partition.reserve(&request).await {
                Ok(reserved) if reserved.is_empty() => {}
                Ok(reserved) => return Ok(reserved),
                Err(error) => failed = Some(error),
            }
        }
        failed.map_or(Ok(Vec::new()), Err)
    }

    pub(crate) async fn wait(&self, at_most: Duration) -> Result<(), QueueError> {
        let deadline = Instant::now() + at_most.min(FOREVER);
        loop {
            let next = self.look().await?;
            let left = deadline.saturating_duration_since(Instant::now());
            let pause = next.map_or(left, |next| next.min(left));
            if pause.is_zero() {
                return Ok(());
            }
            let started = Instant::now();
            let bells = self
                .partitions
                .iter()
                .map(|partition| Box::pin(partition.bell.wait(pause)));
            select_all(bells).await;
            // A bell that rang early is a sign, and so is the end of the pause; else it is time for
            // another look.
            if started.elapsed() < pause.min(LOOK_AGAIN) || started.elapsed() >= pause {
                return Ok(());
            }
        }
    }

    /// When there is something to reserve, as far as the partitions say that answer.
    async fn look(&self) -> Result<Option<Duration>, QueueError> {
        let mut failed = None;
        let (mut next, mut answered) = (None, false);
        for look in join_all(self.partitions.iter().map(Partition::look)).await {
            match look {
                Ok(time) => {
                    answered = true;
                    next = next.into_iter().chain(time).min();
                }
                Err(error) => failed = Some(error),
            }
        }
        match failed {
            Some(error) if !answered => Err(error),
            _ => Ok(next),
        }
    }

    pub(crate) async fn extend(
        &self,
        leases: &[Lease],
        lease: Duration,
    ) -> Result<Vec<LeaseState>, QueueError> {
        let parts = self.split(leases, |lease| self.partition_of_lease(lease));
        let calls = parts
            .iter()
            .map(|(partition, _, leases)| self.partitions[*partition].extend(leases, lease));
        Ok(merge(leases.len(), &parts, try_join_all(calls).await?))
    }

    pub(crate) async fn settle(
        &self,
        outcomes: &[(Lease, Settlement)],
    ) -> Result<Vec<Settled>, QueueError> {
        let parts = self.split(outcomes, |(lease, _)| self.partition_of_lease(lease));
        let calls = parts
            .iter()
            .map(|(partition, _, outcomes)| self.partitions[*partition].settle(outcomes));
        Ok(merge(outcomes.len(), &parts, try_join_all(calls).await?))
    }

    pub(crate) async fn stats(&self) -> Result<QueueStats, QueueError> {
        self.agreement.to_look().await?;
        let mut sum = Counts::default();
        for Counts(stats) in try_join_all(self.partitions.iter().map(Partition::stats)).await? {
            sum.add(&stats);
        }
        Ok(sum.0)
    }

    pub(crate) async fn list_dead(&self, query: &DeadQuery) -> Result<DeadPage, QueueError> {
        self.agreement.to_look().await?;
        let limit = query.limit.clamp(1, MOST_LETTERS);
        let calls = self
            .partitions
            .iter()
            .map(|partition| partition.list_dead(query.after, query.up_to, limit));
        let mut letters = Vec::new();
        let (mut newest, mut more, mut now) = (None, false, None);
        for stretch in try_join_all(calls).await? {
            newest = newest.max(stretch.newest);
            more |= stretch.more;
            now = now.max(Some(stretch.now));
            letters.extend(stretch.letters);
        }
        letters.sort_by_key(|letter: &DeadLetter| letter.position);
        more |= letters.len() > limit;
        letters.truncate(limit);
        let last = letters.last().map(|letter| letter.position);
        if let Some(now) = now {
            letters.retain(|letter| query.filter.matches(letter, now));
        }
        Ok(DeadPage::new(letters, last.filter(|_| more), newest))
    }

    pub(crate) async fn get_dead(&self, id: JobId) -> Result<Option<DeadLetter>, QueueError> {
        self.agreement.to_look().await?;
        let calls = self
            .partitions
            .iter()
            .map(|partition| partition.get_dead(id));
        Ok(try_join_all(calls).await?.into_iter().flatten().next())
    }

    pub(crate) async fn replay(
        &self,
        ids: &[JobId],
        options: ReplayOptions,
    ) -> Result<Vec<Replayed>, QueueError> {
        self.agreement.to_look().await?;
        let mut answers = vec![Replayed::NotDead; ids.len()];
        for partition in &self.partitions {
            for (answer, new) in answers
                .iter_mut()
                .zip(partition.replay(ids, options).await?)
            {
                if new != Replayed::NotDead {
                    *answer = new;
                }
            }
        }
        Ok(answers)
    }

    pub(crate) async fn discard(&self, ids: &[JobId]) -> Result<Vec<bool>, QueueError> {
        self.agreement.to_look().await?;
        let mut answers = vec![false; ids.len()];
        for partition in &self.partitions {
            for (answer, new) in answers.iter_mut().zip(partition.discard(ids).await?) {
                *answer |= new;
            }
        }
        Ok(answers)
    }

    pub(crate) async fn peek(&self, query: PeekQuery) -> Result<Vec<JobView>, QueueError> {
        self.agreement.to_look().await?;
        let limit = query.limit.clamp(1, MOST_LETTERS);
        let calls = self
            .partitions
            .iter()
            .map(|partition| partition.peek(query.place, limit));
        let mut views: Vec<_> = try_join_all(calls).await?.into_iter().flatten().collect();
        // Each partition has an order of its own; across them, what leaves first comes first.
        views.sort_by_key(|view| match view.place {
            JobPlace::Leased { expires_in, .. } => expires_in,
            JobPlace::Scheduled { due_in } => due_in,
            _ => Duration::ZERO,
        });
        views.truncate(limit);
        Ok(views)
    }

    pub(crate) async fn get(&self, id: JobId) -> Result<Option<JobView>, QueueError> {
        self.agreement.to_look().await?;
        let calls = self.partitions.iter().map(|partition| partition.get(id));
        Ok(try_join_all(calls).await?.into_iter().flatten().next())
    }

    pub(crate) async fn cancel(&self, ids: &[JobId]) -> Result<Vec<Cancelled>, QueueError> {
        self.agreement.to_look().await?;
        let mut answers = vec![Cancelled::NotFound; ids.len()];
        for partition in &self.partitions {
            for (answer, new) in answers.iter_mut().zip(partition.cancel(ids).await?) {
                if new != Cancelled::NotFound {
                    *answer = new;
                }
            }
        }
        Ok(answers)
    }

    pub(crate) async fn fsck(&self, repair: bool) -> Result<FsckReport, QueueError> {
        let mut whole = FsckReport::default();
        for partition in &self.partitions {
            let report = partition.fsck(repair).await?;
            whole.jobs += report.jobs;
            whole.problems.extend(report.problems);
            whole.incomplete |= report.incomplete;
        }
        Ok(whole)
    }

    /// Sorts items by partition and remembers their places.
    fn split<'i, T>(&self, items: &'i [T], partition: impl Fn(&T) -> usize) -> Vec<Part<'i, T>> {
        let mut parts: Vec<Part<'i, T>> = Vec::new();
        for (place, item) in items.iter().enumerate() {
            let index = partition(item);
            match parts.iter_mut().find(|(partition, ..)| *partition == index) {
                Some((_, places, of_partition)) => {
                    places.push(place);
                    of_partition.push(item);
                }
                None => parts.push((index, vec![place], vec![item])),
            }
        }
        parts
    }
}

/// A partition, the places its items have in the request, and the items.
type Part<'i, T> = (usize, Vec<usize>, Vec<&'i T>);

fn merge<T, A>(count: usize, parts: &[Part<'_, T>], answers: Vec<Vec<A>>) -> Vec<A> {
    let mut placed: Vec<(usize, A)> = Vec::with_capacity(count);
    for ((_, places, _), answers) in parts.iter().zip(answers) {
        placed.extend(places.iter().copied().zip(answers));
    }
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, answer)| answer).collect()
}

const MOST_LETTERS: usize = 200;
const FOREVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);
const LOOK_AGAIN: Duration = Duration::from_secs(2);
