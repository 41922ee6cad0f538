use std::time::Duration;

use anvil_queue::{Enqueued, JobId, NewJob, QueueError, QueueErrorKind, Refusal};
use redis::{Cmd, Value};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::Partition;
use super::fields::{bytes, fields, ids, number};
use crate::codec::{micros, write_body};
use crate::keys::names;
use crate::link::{Link, Repeat};
use crate::script::ENQUEUE;
use crate::settings::Durability;

type Answer = Result<Enqueued, Refusal>;

impl Partition {
    /// Stores jobs in steps of a bounded size, each of them one call.
    pub(crate) async fn enqueue(&self, jobs: &[NewJob]) -> Result<Vec<Answer>, QueueError> {
        let deadline = Instant::now() + self.settings.enqueue_timeout;
        let mut answers = Vec::with_capacity(jobs.len());
        let mut rest = jobs;
        while !rest.is_empty() {
            let (step, later) = rest.split_at(self.step(rest));
            answers.extend(self.enqueue_step(step, deadline).await?);
            rest = later;
        }
        Ok(answers)
    }

    /// How many of the jobs go into one call.
    fn step(&self, jobs: &[NewJob]) -> usize {
        let mut bytes = 0;
        let fits = |job: &&NewJob| {
            bytes += self.bytes(job);
            bytes <= STEP_BYTES
        };
        jobs.iter().take(STEP).take_while(fits).count().max(1)
    }

    /// About how many bytes a job has in a call.
    fn bytes(&self, job: &NewJob) -> usize {
        job.data().weight().min(self.settings.large)
    }

    async fn enqueue_step(
        &self,
        jobs: &[NewJob],
        deadline: Instant,
    ) -> Result<Vec<Answer>, QueueError> {
        let link = self.connections.enqueue();
        // A staged payload can be lost before its job is stored, with a failover for one.
        for _ in 0..ATTEMPTS {
            if let Some(answers) = self.try_enqueue(link, jobs, deadline).await? {
                self.confirm(link).await?;
                return Ok(answers);
            }
        }
        Err(QueueError::new(
            QueueErrorKind::Unavailable,
            "redis lost the payload of a large job before the job was stored",
        ))
    }

    async fn try_enqueue(
        &self,
        link: &Link,
        jobs: &[NewJob],
        deadline: Instant,
    ) -> Result<Option<Vec<Answer>>, QueueError> {
        let keys = &*self.keys;
        let flags: Vec<u8> = jobs.iter().map(|job| self.flag(job)).collect();
        let mut touched = names([
            &keys.config,
            &keys.bodies,
            &keys.ready,
            &keys.bell,
            &keys.dead,
            &keys.cancelled,
        ]);
        touched.extend(keys.key_claims.iter().map(String::as_bytes));
        if flags.iter().any(|flag| flag & BY_ID != 0) {
            touched.extend(keys.id_claims.iter().map(String::as_bytes));
        }
        if flags.iter().any(|flag| flag & DELAYED != 0) {
            touched.push(keys.scheduled.as_bytes());
        }
        let staged = self.stage(link, jobs, deadline).await?;
        touched.extend(staged.iter().flatten().map(Vec::as_slice));

        let window = micros(self.settings.dedupe_window).max(SHORTEST_WINDOW);
        let mut call = ENQUEUE
            .call(&touched)
            .arg(window)
            .arg(micros(self.settings.id_window).max(SHORTEST_WINDOW))
            .arg(self.settings.partitions)
            .arg(self.settings.capacity)
            .arg(flags)
            .reserve(jobs.iter().flat_map(|job| [16, 6, 8, self.bytes(job)]));
        let (prefixes, rests): (Vec<_>, Vec<_>) = jobs.iter().map(digest).unzip();
        call = call
            .args(jobs.iter().map(|job| *job.data().id().as_bytes()))
            .args(prefixes)
            .args(rests);
        let guess = self.clock.guess();
        let mut body = Vec::new();
        for job in jobs {
            body.clear();
            write_body(&mut body, guess, job.data(), self.is_large(job));
            call = call.arg(&body[..]);
        }
        let delays = jobs.iter().map(|job| micros(job.data().delay()));
        call = call.args(
            delays
                .filter(|delay| *delay > 0)
                .map(|delay| delay.to_string()),
        );
        let answer = self
            .call_within(link, call, time_left(deadline), Repeat::Harmless)
            .await?;
        self.read_answers(jobs, answer)
    }

    /// Keeps the payloads of large jobs out of the script: each waits under a key of its own, with
    /// a short life, until the script takes it over with its job.
    async fn stage(
        &self,
        link: &Link,
        jobs: &[NewJob],
        deadline: Instant,
    ) -> Result<Vec<[Vec<u8>; 2]>, QueueError> {
        let mut staged = Vec::new();
        for job in jobs.iter().filter(|job| self.is_large(job)) {
            let id = job.data().id();
            let key = self.keys.staged(id, nonce());
            let mut command = Cmd::new();
            command
                .arg("SET")
                .arg(&key)
                .arg(&job.data().payload()[..])
                .arg("PX")
                .arg(STAGED_FOR_MILLIS);
            link.command(&command, time_left(deadline), Repeat::Harmless)
                .await?;
            staged.push([key, self.keys.payload(id)]);
        }
        Ok(staged)
    }

    fn is_large(&self, job: &NewJob) -> bool {
        job.data().payload().len() > self.settings.large
    }

    fn flag(&self, job: &NewJob) -> u8 {
        let data = job.data();
        let flag = |set, bit| if set { bit } else { 0 };
        b'0' | flag(data.dedupe_key().is_none(), BY_ID)
            | flag(micros(data.delay()) > 0, DELAYED)
            | flag(self.is_large(job), LARGE)
    }

    fn read_answers(
        &self,
        jobs: &[NewJob],
        answer: Value,
    ) -> Result<Option<Vec<Answer>>, QueueError> {
        let unexpected = || self.unexpected("enqueue.lua");
        if let Value::Array(items) = &answer
            && let [
                Value::BulkString(first),
                Value::BulkString(window),
                Value::BulkString(partitions),
            ] = &items[..]
            && first == b"disagree"
        {
            return Err(self.disagreement(window, partitions));
        }
        let [letters, others, now] = fields(answer).ok_or_else(unexpected)?;
        self.clock.hear(number(&now).ok_or_else(unexpected)?);
        let (letters, others) = bytes(letters).zip(bytes(others)).ok_or_else(unexpected)?;
        if letters.len() != jobs.len() {
            return Err(unexpected());
        }
        let mut others = ids(&others);
        let mut other = || others.next().ok_or_else(unexpected);
        let mut answers = Vec::with_capacity(jobs.len());
        for (job, letter) in jobs.iter().zip(letters) {
            answers.push(match letter {
                b'A' => Ok(Enqueued::Accepted(job.data().id())),
                b'D' => Ok(Enqueued::Duplicate(other()?)),
                b'X' => Ok(Enqueued::DuplicateOfDead(other()?)),
                b'F' => Err(Refusal::Full),
                b'M' => return Ok(None),
                _ => return Err(unexpected()),
            });
        }
        Ok(Some(answers))
    }

    /// Waits until what was just written is as safe as the settings ask. The script writes also
    /// where all jobs were duplicates, so that their first copies are waited for as well.
    async fn confirm(&self, link: &Link) -> Result<(), QueueError> {
        let mut command = Cmd::new();
        let within = match self.settings.durability {
            Durability::Fast => return Ok(()),
            Durability::Replicated { replicas, within } => {
                command.arg("WAIT").arg(replicas).arg(millis(within));
                within
            }
            Durability::Fsynced { replicas, within } => {
                let within = within.max(FSYNC_WITHIN);
                command
                    .arg("WAITAOF")
                    .arg(1)
                    .arg(replicas)
                    .arg(millis(within));
                within
            }
        };
        let answer = link
            .command(&command, within + MARGIN, Repeat::Never)
            .await?;
        if is_satisfied(self.settings.durability, &answer) {
            return Ok(());
        }
        Err(QueueError::new(
            QueueErrorKind::Timeout,
            format!(
                "redis did not confirm within {within:?} that the jobs are safe: {:?}",
                self.settings.durability
            ),
        ))
    }
}

fn is_satisfied(durability: Durability, answer: &Value) -> bool {
    let at_least = |value: Option<&Value>, wanted: u32| matches!(value, Some(Value::Int(reached)) if *reached >= i64::from(wanted));
    match (durability, answer) {
        (Durability::Replicated { replicas, .. }, reached) => at_least(Some(reached), replicas),
        (Durability::Fsynced { replicas, .. }, Value::Array(reached)) => {
            at_least(reached.first(), 1) && at_least(reached.get(1), replicas)
        }
        _ => false,
    }
}

/// The first 14 bytes of what a job is claimed by, which tell deliveries apart as well as all 32, in
/// the two parts in which they are kept.
fn digest(job: &NewJob) -> ([u8; 6], [u8; 8]) {
    let whole: [u8; 32] = match job.data().dedupe_key() {
        Some(key) => *key.as_bytes(),
        None => of_id(job.data().id()),
    };
    let (mut prefix, mut rest) = ([0; 6], [0; 8]);
    prefix.copy_from_slice(&whole[..6]);
    rest.copy_from_slice(&whole[6..14]);
    (prefix, rest)
}

fn of_id(id: JobId) -> [u8; 32] {
    Sha256::digest(id.as_bytes()).into()
}

/// The steps of one enqueue share its time.
fn time_left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

fn nonce() -> u64 {
    let [first @ .., _, _, _, _, _, _, _, _] = *uuid::Uuid::new_v4().as_bytes();
    u64::from_be_bytes(first)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
}

/// The bits of a job's flag, in the low part of an ASCII digit.
const BY_ID: u8 = 1;
const DELAYED: u8 = 2;
const LARGE: u8 = 4;

/// Jobs and bytes in one call: few enough that a call holds Redis up for a millisecond or two.
const STEP: usize = 250;
const STEP_BYTES: usize = 512 * 1024;
const ATTEMPTS: usize = 3;
const STAGED_FOR_MILLIS: u64 = 60_000;
const SHORTEST_WINDOW: u64 = 2;
const FSYNC_WITHIN: Duration = Duration::from_millis(2_500);
const MARGIN: Duration = Duration::from_millis(500);
