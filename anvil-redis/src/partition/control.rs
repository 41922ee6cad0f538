use std::time::Duration;

use anvil_queue::{Cancelled, DeadReason, JobId, JobPlace, JobView, PeekPlace, QueueError};
use redis::{ToRedisArgs, Value};

use super::Partition;
use super::fields::{bytes, fields, list, number};
use crate::codec::{Record, StoredBody, wall};
use crate::link::Repeat;
use crate::script::{CANCEL, VIEW};

impl Partition {
    pub(crate) async fn peek(
        &self,
        place: PeekPlace,
        limit: usize,
    ) -> Result<Vec<JobView>, QueueError> {
        let place = match place {
            PeekPlace::Leased => "leased",
            PeekPlace::Scheduled => "scheduled",
            _ => "ready",
        };
        self.view(place, limit).await
    }

    pub(crate) async fn get(&self, id: JobId) -> Result<Option<JobView>, QueueError> {
        Ok(self.view("get", &id.as_bytes()[..]).await?.pop())
    }

    /// Removes what waits and asks for the end of what runs. Looks through the leases in flight.
    pub(crate) async fn cancel(&self, jobs: &[JobId]) -> Result<Vec<Cancelled>, QueueError> {
        let mut answers = Vec::with_capacity(jobs.len());
        for step in jobs.chunks(STEP) {
            answers.extend(self.cancel_step(step).await?);
        }
        Ok(answers)
    }

    async fn cancel_step(&self, jobs: &[JobId]) -> Result<Vec<Cancelled>, QueueError> {
        let keys = &*self.keys;
        let payloads: Vec<_> = jobs.iter().map(|id| keys.payload(*id)).collect();
        let mut touched = keys.places(&keys.cancelled);
        touched.extend(payloads.iter().map(Vec::as_slice));
        let call = CANCEL.call(&touched).args(jobs.iter().map(JobId::as_bytes));
        let answers = bytes(self.call(call, Repeat::Never).await?);
        let answers = answers.filter(|answers| answers.len() == jobs.len());
        let answers = answers.ok_or_else(|| self.unexpected("cancel.lua"))?;
        let cancelled = |answer: u8| match answer {
            b'R' => Cancelled::Removed,
            b'Q' => Cancelled::Requested,
            b'D' => Cancelled::Dead,
            _ => Cancelled::NotFound,
        };
        Ok(answers.into_iter().map(cancelled).collect())
    }

    async fn view(
        &self,
        what: &str,
        argument: impl ToRedisArgs,
    ) -> Result<Vec<JobView>, QueueError> {
        let keys = &*self.keys;
        let call = VIEW
            .call(&keys.places(&keys.cancelled))
            .arg(what)
            .arg(argument);
        let answer = self.call(call, Repeat::Harmless).await?;
        let found = Seen::read(answer).ok_or_else(|| self.unexpected("view.lua"))?;
        let large: Vec<_> = found
            .iter()
            .filter(|seen| seen.body.large)
            .map(|seen| seen.id)
            .collect();
        let mut payloads = self.payloads(&large).await?.into_iter();
        Ok(found
            .into_iter()
            .map(|seen| {
                let payload = seen.body.large.then(|| payloads.next().flatten()).flatten();
                self.put_in_view(seen, payload)
            })
            .collect())
    }

    fn put_in_view(&self, seen: Seen, payload: Option<Vec<u8>>) -> JobView {
        let Seen {
            id: _,
            now,
            letter,
            number,
            cancel_requested,
            body,
            record,
        } = seen;
        let body = match payload {
            Some(payload) => body.with_payload(payload),
            None => body,
        };
        let left = Duration::from_micros(number.saturating_sub(now));
        let place = match letter {
            b'D' => JobPlace::Dead {
                reason: record.reason.unwrap_or(DeadReason::Exhausted),
                died_at: wall(number),
                position: self.position(number),
            },
            b'L' => JobPlace::Leased {
                expires_in: left,
                cancel_requested,
            },
            b'S' => JobPlace::Scheduled { due_in: left },
            _ => JobPlace::Ready,
        };
        let accepted_at = wall(body.accepted_at);
        JobView::new(
            body.into_job().into_data(),
            record.counters,
            place,
            record.failures,
            accepted_at,
        )
    }
}

/// One job as the script found it.
struct Seen {
    id: JobId,
    now: u64,
    letter: u8,
    number: u64,
    cancel_requested: bool,
    body: StoredBody,
    record: Record,
}

impl Seen {
    fn read(answer: Value) -> Option<Vec<Self>> {
        let [now, ids, letters, numbers, bodies, records, asked] = fields(answer)?;
        let now = number(&now)?;
        let mut letters = bytes(letters)?.into_iter();
        let mut numbers = list(numbers)?.into_iter();
        let mut bodies = list(bodies)?.into_iter();
        let mut records = list(records)?.into_iter();
        let mut asked = list(asked)?.into_iter();
        list(ids)?
            .into_iter()
            .map(|id| {
                let id = JobId::from_bytes(bytes(id)?.try_into().ok()?);
                let body = match bytes(bodies.next()?) {
                    Some(body) => StoredBody::read(id, body).unwrap_or_else(|kept| kept),
                    None => StoredBody::missing(id),
                };
                Some(Self {
                    id,
                    now,
                    letter: letters.next()?,
                    number: number(&numbers.next()?)?,
                    cancel_requested: asked.next()? == Value::Int(1),
                    body,
                    record: bytes(records.next()?).map(Record::read).unwrap_or_default(),
                })
            })
            .collect()
    }
}

const STEP: usize = 200;
