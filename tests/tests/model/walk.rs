use std::collections::HashSet;
use std::time::Duration;

use anvil_queue::conformance::Harness;
use anvil_queue::{
    Control, DeadLetters, DeadQuery, DedupeKey, ErrorText, FailureKind, FailureReport, JobId,
    JobView, Lease, NewJob, PeekPlace, PeekQuery, QueueBackend, QueueName, ReplayOptions, Reserve,
    Settlement,
};
use proptest::sample::Index;

use crate::reference::Model;
use crate::step::{End, Sent, Step};

/// What the contract leaves to a backend, so that the model has to be told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leeway {
    /// Leases that run out at the same moment are taken back by place, and not by id.
    pub(crate) ties_by_place: bool,
    /// A reservation may take fewer jobs than it could.
    pub(crate) fewer: bool,
    /// How much time passes by itself during a whole walk.
    pub(crate) drift: Duration,
}

/// Takes the steps on a fresh backend and on the model, and compares them after each.
pub(crate) async fn walk(harness: &impl Harness, leeway: Leeway, steps: Vec<Step>) {
    let mut walk = Walk {
        harness,
        backend: harness.with_capacity(CAPACITY).await,
        queue: QueueName::new(QUEUE).unwrap(),
        leeway,
        model: Model::new(
            CAPACITY,
            harness.dedupe_window(),
            harness.id_window(),
            leeway.ties_by_place,
        ),
        now: Duration::ZERO,
        sent: Vec::new(),
        leases: Vec::new(),
    };
    for (number, step) in steps.into_iter().enumerate() {
        walk.take(step, number).await;
        walk.compare().await;
        // No two steps happen at the same moment.
        walk.pass(TICK).await;
    }
    walk.drain().await;
}

struct Walk<'h, H: Harness> {
    harness: &'h H,
    backend: H::Backend,
    queue: QueueName,
    leeway: Leeway,
    model: Model,
    now: Duration,
    sent: Vec<NewJob>,
    leases: Vec<Lease>,
}

impl<H: Harness> Walk<'_, H> {
    async fn take(&mut self, step: Step, number: usize) {
        match step {
            Step::Enqueue(sent) => self.enqueue(sent).await,
            Step::Reserve {
                jobs,
                weight,
                lease,
                crash_budget,
                reclaimed,
            } => {
                let request = Reserve::new(jobs, self.time(lease))
                    .max_bytes(weight * NewJob::new("").data().weight())
                    .crash_budget(crash_budget)
                    .reclaimed(reclaimed);
                self.reserve(request).await;
            }
            Step::Extend(picked, time) => {
                let leases = pick(&self.leases, &picked);
                let time = self.time(time);
                let answers = self
                    .backend
                    .extend(&self.queue, &leases, time)
                    .await
                    .unwrap();
                let until = self.now + time;
                let expected: Vec<_> = leases
                    .iter()
                    .map(|lease| self.model.extend(lease, until))
                    .collect();
                assert_eq!(answers, expected);
            }
            Step::Settle(picked) => self.settle(picked, number).await,
            Step::Replay { jobs, force, up_to } => self.replay(&jobs, force, up_to).await,
            Step::Discard(picked) => {
                let ids = self.pick_ids(&picked);
                let answers = self.backend.discard(&self.queue, &ids).await.unwrap();
                let expected: Vec<_> = ids.iter().map(|id| self.model.discard(*id)).collect();
                assert_eq!(answers, expected);
            }
            Step::Cancel(picked) => {
                let ids = self.pick_ids(&picked);
                let answers = self.backend.cancel(&self.queue, &ids).await.unwrap();
                let expected: Vec<_> = ids.iter().map(|id| self.model.cancel(*id)).collect();
                assert_eq!(answers, expected);
            }
            Step::Pass(time) => self.pass(self.time(time)).await,
            Step::PassIdWindow => self.pass(self.harness.id_window()).await,
        }
    }

    async fn enqueue(&mut self, sent: Vec<Sent>) {
        let mut jobs = Vec::new();
        for sent in sent {
            let job = match sent {
                Sent::New {
                    key,
                    delay,
                    padding,
                } => {
                    let payload = vec![b'x'; padding * NewJob::new("").data().weight()];
                    let key = key.map(|key| DedupeKey::derive("model", &[key]));
                    NewJob::new(payload).dedupe_key(key).delay(match delay {
                        0 => Duration::ZERO,
                        delay => self.distinct(delay, self.sent.len()),
                    })
                }
                Sent::Again(picked) if !self.sent.is_empty() => picked.get(&self.sent).clone(),
                Sent::Again(_) => continue,
            };
            self.sent.push(job.clone());
            jobs.push(job);
        }
        let answers = self
            .backend
            .enqueue(&self.queue, jobs.clone())
            .await
            .unwrap();
        let expected: Vec<_> = jobs
            .into_iter()
            .map(|job| self.model.enqueue(job, self.now))
            .collect();
        assert_eq!(answers, expected);
        for duplicate in answers
            .into_iter()
            .flatten()
            .filter(|answer| answer.is_duplicate())
        {
            let original = self
                .model
                .jobs
                .iter()
                .find(|job| job.id() == duplicate.id());
            assert!(original.is_some(), "a record without a job: {duplicate:?}");
        }
    }

    async fn reserve(&mut self, request: Reserve) {
        let reserved = self
            .backend
            .reserve(&self.queue, request.clone())
            .await
            .unwrap();
        let mut expected = self.model.reserve(&request, self.now);
        if self.leeway.fewer {
            expected.truncate(reserved.len());
        }
        assert_eq!(
            reserved
                .iter()
                .map(|reserved| reserved.job.id())
                .collect::<Vec<_>>(),
            expected
        );
        for reserved in reserved {
            let job = self.model.stored(reserved.job.id()).unwrap();
            assert_eq!(reserved.job.counters(), job.counters);
            self.assert_age(Some(reserved.job.age()), Some(self.now - job.accepted_at));
            assert_eq!(reserved.job.payload(), job.sent.data().payload());
            self.model
                .hold(&reserved.lease, self.now + request.lease_value());
            self.leases.push(reserved.lease);
        }
    }

    async fn settle(&mut self, picked: Vec<(Index, End)>, number: usize) {
        if self.leases.is_empty() {
            return;
        }
        let outcomes: Vec<_> = picked
            .into_iter()
            .enumerate()
            .map(|(n, (lease, end))| {
                (
                    lease.get(&self.leases).clone(),
                    self.settlement(end, number, n),
                )
            })
            .collect();
        // Sent twice, as after a lost reply.
        for _ in 0..2 {
            let answers = self.backend.settle(&self.queue, &outcomes).await.unwrap();
            let expected: Vec<_> = outcomes
                .iter()
                .map(|(lease, end)| self.model.settle(lease, end, self.now))
                .collect();
            assert_eq!(answers, expected);
        }
    }

    async fn replay(&mut self, picked: &[Index], force: bool, up_to: Option<Index>) {
        let ids = self.pick_ids(picked);
        let letters = self.letters().await;
        let last = up_to
            .filter(|_| !letters.is_empty())
            .map(|picked| picked.index(letters.len()));
        let options = ReplayOptions::default()
            .force(force)
            .up_to(last.map(|last| letters[last].position));
        let death = last
            .and_then(|last| self.model.dead()[last].death())
            .map(|(order, _)| order);
        let answers = self
            .backend
            .replay(&self.queue, &ids, options)
            .await
            .unwrap();
        let expected: Vec<_> = ids
            .iter()
            .map(|id| self.model.replay(*id, force, death, self.now))
            .collect();
        assert_eq!(answers, expected);
    }

    async fn pass(&mut self, time: Duration) {
        self.harness.pass(time).await;
        self.now += time;
    }

    /// Everything that can be seen of a queue without changing it.
    async fn compare(&self) {
        let mut stats = self.backend.stats(&self.queue).await.unwrap();
        let expected = self.model.stats(self.now);
        self.assert_age(stats.oldest_age, expected.oldest_age);
        stats.oldest_age = expected.oldest_age;
        assert_eq!(stats, expected);
        for place in [PeekPlace::Ready, PeekPlace::Scheduled, PeekPlace::Leased] {
            let query = PeekQuery::new(place);
            let shown = self.backend.peek(&self.queue, query).await.unwrap();
            let shown: Vec<_> = shown.iter().map(JobView::id).collect();
            assert_eq!(shown, self.model.peek(place));
        }
        let (letters, dead) = (self.letters().await, self.model.dead());
        assert_eq!(letters.len(), dead.len());
        for (letter, job) in letters.iter().zip(dead) {
            assert_eq!(letter.id(), job.id());
            assert_eq!(Some(letter.reason), job.death().map(|(_, reason)| reason));
            assert_eq!(letter.counters, job.counters);
            assert_eq!(letter.failures.attempts as usize, job.errors.len());
            assert_eq!(
                letter.failures.last_error(),
                job.errors.last().map(String::as_str)
            );
            let first = letter
                .failures
                .first
                .as_ref()
                .map(|first| first.report.error.as_str());
            assert_eq!(first, job.errors.first().map(String::as_str));
        }
    }

    /// At the end every job that is neither done, dead nor cancelled can be reserved and
    /// completed, once.
    async fn drain(&mut self) {
        let open: HashSet<_> = (self.model.jobs.iter())
            .filter(|job| self.model.stored(job.id()).is_some() && job.death().is_none())
            .filter(|job| job.stage != crate::reference::Stage::Gone && !job.is_cancel_requested())
            .map(|job| job.id())
            .collect();
        self.pass(self.time(4)).await;
        let mut drained = HashSet::new();
        let mut empty = 0;
        loop {
            let request = Reserve::new(100, self.time(4)).crash_budget(u32::MAX);
            let reserved = self.backend.reserve(&self.queue, request).await.unwrap();
            if reserved.is_empty() {
                empty += 1;
                let stats = self.backend.stats(&self.queue).await.unwrap();
                if stats.open() == 0 || !self.leeway.fewer {
                    break;
                }
                assert!(empty < 100, "jobs that nobody gets: {stats:?}");
            }
            for reserved in reserved {
                assert!(drained.insert(reserved.job.id()));
                let outcome = (reserved.lease, Settlement::Complete);
                self.backend.settle(&self.queue, &[outcome]).await.unwrap();
            }
        }
        assert_eq!(drained, open);
        let stats = self.backend.stats(&self.queue).await.unwrap();
        assert_eq!((stats.open(), stats.dead), (0, self.model.dead().len()));
    }

    async fn letters(&self) -> Vec<anvil_queue::DeadLetter> {
        self.backend
            .list_dead(&self.queue, DeadQuery::new())
            .await
            .unwrap()
            .letters
    }

    fn assert_age(&self, age: Option<Duration>, expected: Option<Duration>) {
        assert_eq!(age.is_some(), expected.is_some());
        let (age, expected) = (age.unwrap_or_default(), expected.unwrap_or_default());
        let limit = expected + self.leeway.drift;
        assert!(
            expected <= age && age <= limit,
            "{age:?}, and not {expected:?}"
        );
    }

    fn settlement(&self, end: End, number: usize, n: usize) -> Settlement {
        let error = ErrorText::new(&format!("error of step {number}"));
        let failure = FailureReport::new(FailureKind::Transient, error, "model".into());
        match end {
            End::Bury(reason) => Settlement::Bury { reason, failure },
            End::Complete => Settlement::Complete,
            End::Release => Settlement::Release,
            End::Retry(after) => Settlement::Retry {
                after: self.distinct(after, n),
                failure,
            },
            End::Snooze(after) => Settlement::Snooze {
                after: self.distinct(after, n),
            },
        }
    }

    fn pick_ids(&self, picked: &[Index]) -> Vec<JobId> {
        pick(&self.sent, picked)
            .iter()
            .map(|job| job.data().id())
            .collect()
    }

    /// No two jobs of one step become due at the same moment; `n` tells them apart.
    fn distinct(&self, short_times: u32, n: usize) -> Duration {
        self.time(short_times) + Duration::from_micros(n as u64)
    }

    fn time(&self, short_times: u32) -> Duration {
        short_times * self.harness.short_time()
    }
}

fn pick<T: Clone>(from: &[T], picked: &[Index]) -> Vec<T> {
    if from.is_empty() {
        return Vec::new();
    }
    picked.iter().map(|index| index.get(from).clone()).collect()
}

pub(crate) const QUEUE: &str = "model";

/// Small, so that walks meet a full queue.
const CAPACITY: usize = 8;
const TICK: Duration = Duration::from_millis(1);
