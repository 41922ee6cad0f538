use std::time::SystemTime;

use anvil_queue::{
    DeadLetter, DeadPosition, DeadReason, JobId, QueueError, ReplayOptions, Replayed,
};
use redis::Value;

use super::Partition;
use super::fields::{bytes, fields, ids, list, number};
use crate::codec::{Record, StoredBody, micros, wall};
use crate::keys::names;
use crate::link::Repeat;
use crate::script::{DEAD_LIST, DISCARD, REPLAY};

/// A stretch of the dead letters of one partition.
pub(crate) struct DeadLetters {
    pub(crate) now: SystemTime,
    pub(crate) newest: Option<DeadPosition>,
    pub(crate) letters: Vec<DeadLetter>,
    pub(crate) more: bool,
}

impl Partition {
    /// Up to `limit` letters after one position and up to another.
    pub(crate) async fn list_dead(
        &self,
        after: Option<DeadPosition>,
        up_to: Option<DeadPosition>,
        limit: usize,
    ) -> Result<DeadLetters, QueueError> {
        let after = after.map_or_else(|| "-inf".to_owned(), |position| self.lower(position));
        let up_to = up_to.map_or_else(|| "+inf".to_owned(), |position| self.upper(position));
        let keys = &*self.keys;
        let call = DEAD_LIST
            .call(&[&keys.config, &keys.bodies, &keys.records, &keys.dead])
            .arg(after)
            .arg(up_to)
            .arg(limit);
        let answer = self.call(call, Repeat::Harmless).await?;
        self.read_letters(answer, limit).await
    }

    pub(crate) async fn get_dead(&self, id: JobId) -> Result<Option<DeadLetter>, QueueError> {
        let mut command = redis::Cmd::new();
        command
            .arg("ZSCORE")
            .arg(&self.keys.dead)
            .arg(id.as_bytes());
        let link = &self.connections.shared;
        let answer = link
            .command(&command, self.settings.timeout, Repeat::Harmless)
            .await?;
        let Some(score) = bytes(answer) else {
            return Ok(None);
        };
        let micros = String::from_utf8_lossy(&score).parse().unwrap_or(0.0_f64) as u64;
        let position = self.position(micros);
        let before = DeadPosition::new(position.get().saturating_sub(PARTITIONS));
        let letters = self
            .list_dead(Some(before), Some(position), 1)
            .await?
            .letters;
        Ok(letters.into_iter().find(|letter| letter.id() == id))
    }

    pub(crate) async fn replay(
        &self,
        jobs: &[JobId],
        options: ReplayOptions,
    ) -> Result<Vec<Replayed>, QueueError> {
        let mut answers = Vec::with_capacity(jobs.len());
        for step in jobs.chunks(STEP) {
            answers.extend(self.replay_step(step, options).await?);
        }
        Ok(answers)
    }

    async fn replay_step(
        &self,
        jobs: &[JobId],
        options: ReplayOptions,
    ) -> Result<Vec<Replayed>, QueueError> {
        let keys = &*self.keys;
        let mut touched = names([
            &keys.config,
            &keys.bodies,
            &keys.records,
            &keys.ready,
            &keys.dead,
            &keys.bell,
        ]);
        touched.extend(keys.key_claims.iter().map(String::as_bytes));
        let up_to = options
            .up_to
            .map_or_else(|| "+inf".to_owned(), |position| self.upper(position));
        let call = REPLAY
            .call(&touched)
            .arg(micros(self.settings.dedupe_window).max(2))
            .arg(self.settings.partitions)
            .arg(u8::from(options.force))
            .arg(up_to)
            .args(jobs.iter().map(JobId::as_bytes));
        // Sent again it would answer that what it replayed is not dead.
        let answer = self.call(call, Repeat::Never).await?;
        let unexpected = || self.unexpected("replay.lua");
        let mut items = list(answer)
            .ok_or_else(unexpected)?
            .into_iter()
            .filter_map(bytes);
        let (letters, others) = items.next().zip(items.next()).ok_or_else(unexpected)?;
        if letters == b"disagree" {
            return Err(self.disagreement(&others, &items.next().unwrap_or_default()));
        }
        let mut others = ids(&others);
        letters
            .into_iter()
            .map(|letter| {
                Ok(match letter {
                    b'R' => Replayed::Ready,
                    b'S' => Replayed::Superseded(others.next().ok_or_else(unexpected)?),
                    _ => Replayed::NotDead,
                })
            })
            .collect()
    }

    pub(crate) async fn discard(&self, jobs: &[JobId]) -> Result<Vec<bool>, QueueError> {
        let mut answers = Vec::with_capacity(jobs.len());
        for step in jobs.chunks(STEP) {
            answers.extend(self.discard_step(step).await?);
        }
        Ok(answers)
    }

    async fn discard_step(&self, jobs: &[JobId]) -> Result<Vec<bool>, QueueError> {
        let keys = &*self.keys;
        let payloads: Vec<_> = jobs.iter().map(|id| keys.payload(*id)).collect();
        let mut touched = names([&keys.config, &keys.bodies, &keys.records, &keys.dead]);
        touched.extend(payloads.iter().map(Vec::as_slice));
        let call = DISCARD
            .call(&touched)
            .args(jobs.iter().map(JobId::as_bytes));
        let answers = bytes(self.call(call, Repeat::Never).await?);
        let answers = answers.filter(|answers| answers.len() == jobs.len());
        let answers = answers.ok_or_else(|| self.unexpected("discard.lua"))?;
        Ok(answers.into_iter().map(|answer| answer == b'1').collect())
    }

    async fn read_letters(&self, answer: Value, limit: usize) -> Result<DeadLetters, QueueError> {
        let unexpected = || self.unexpected("dead_list.lua");
        let [now, newest, ids, positions, bodies, records] =
            fields(answer).ok_or_else(unexpected)?;
        let now = number(&now).ok_or_else(unexpected)?;
        let newest = number(&newest).filter(|micros| *micros > 0);
        let lists = [ids, positions, bodies, records].map(list);
        let [Some(ids), Some(positions), Some(bodies), Some(records)] = lists else {
            return Err(unexpected());
        };
        let more = ids.len() > limit;
        let mut found = Vec::with_capacity(bodies.len());
        for (((id, position), body), record) in
            ids.into_iter().zip(&positions).zip(bodies).zip(records)
        {
            // What somebody else put among the jobs is not shown.
            let Some(id) = bytes(id).and_then(|id| id.try_into().ok()) else {
                continue;
            };
            let id = JobId::from_bytes(id);
            let died_at = number(position).ok_or_else(unexpected)?;
            let body = match bytes(body) {
                Some(body) => StoredBody::read(id, body).unwrap_or_else(|unreadable| unreadable),
                None => StoredBody::missing(id),
            };
            found.push((
                id,
                died_at,
                body,
                bytes(record).map(Record::read).unwrap_or_default(),
            ));
        }
        let large: Vec<_> = found
            .iter()
            .filter(|(_, _, body, _)| body.large)
            .map(|(id, ..)| *id)
            .collect();
        let mut payloads = self.payloads(&large).await?.into_iter();
        let letters = found.into_iter().map(|(_, died_at, body, record)| {
            let body = if body.large {
                body.with_payload(payloads.next().flatten().unwrap_or_default())
            } else {
                body
            };
            let accepted_at = wall(body.accepted_at);
            DeadLetter::new(
                body.into_job().into_data(),
                record.counters,
                record.reason.unwrap_or(DeadReason::Exhausted),
                record.failures,
                accepted_at,
                wall(died_at),
                self.position(died_at),
            )
        });
        Ok(DeadLetters {
            letters: letters.collect(),
            now: wall(now),
            newest: newest.map(|micros| self.position(micros)),
            more,
        })
    }

    /// A position is the time of death in microseconds, with the partition in the lowest bits, so
    /// that the letters of all partitions have one order.
    pub(super) fn position(&self, micros: u64) -> DeadPosition {
        DeadPosition::new(micros * PARTITIONS + self.index as u64)
    }

    /// The range of this partition that comes after a position of any partition.
    fn lower(&self, after: DeadPosition) -> String {
        let micros = after.get() / PARTITIONS;
        if self.index as u64 > after.get() % PARTITIONS {
            micros.to_string()
        } else {
            format!("({micros}")
        }
    }

    /// The range of this partition that ends with a position of any partition.
    fn upper(&self, up_to: DeadPosition) -> String {
        let micros = up_to.get() / PARTITIONS;
        if self.index as u64 > up_to.get() % PARTITIONS {
            micros.saturating_sub(1).to_string()
        } else {
            micros.to_string()
        }
    }
}

const PARTITIONS: u64 = 128;
const STEP: usize = 200;
