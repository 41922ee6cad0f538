use std::sync::Arc;
use std::time::Duration;

use anvil_queue::{
    DeadReason, ErrorText, FailureKind, FailureReport, Job, JobId, Lease, LeaseToken, QueueError,
    Reserve, Reserved, Settlement,
};
use redis::{Cmd, Value};

use super::Partition;
use super::fields::{bytes, fields, list, number};
use crate::codec::{Record, StoredBody, micros, wall};
use crate::link::Repeat;
use crate::script::RESERVE;

impl Partition {
    /// Leases ready jobs, after moving what is due and taking back what has expired.
    pub(crate) async fn reserve(&self, request: &Reserve) -> Result<Vec<Reserved>, QueueError> {
        let keys = &*self.keys;
        let [small, large] = self.token_ends();
        let call = RESERVE
            .call(&keys.places(&keys.cancelled))
            .arg(request.max_jobs_value().min(MOST_JOBS))
            .arg(request.max_bytes_value())
            .arg(micros(request.lease_value()))
            .arg(request.crash_budget_value())
            .arg(u8::from(request.reclaimed_allowed()))
            .arg(&small[..])
            .arg(&large[..]);
        let link = &self.connections.shared;
        let budget = self.settings.timeout;
        let answer = self.call_within(link, call, budget, Repeat::Never).await?;
        let taken = Taken::read(answer).ok_or_else(|| self.unexpected("reserve.lua"))?;
        self.put_together(taken, request).await
    }

    /// The last eight bytes of a token: the partition, whether the job is large (so that settling
    /// knows what to touch), and seven random bytes. The first eight are the job's place, which no
    /// other job has, so that a token repeats only where the same job meets the same seven bytes.
    fn token_ends(&self) -> [[u8; 8]; 2] {
        let [end @ .., _, _, _, _, _, _, _, _] = *uuid::Uuid::new_v4().as_bytes();
        let mut small = end;
        small[0] = u8::try_from(self.index).unwrap_or(LARGE - 1);
        let mut large = small;
        large[0] |= LARGE;
        [small, large]
    }

    async fn put_together(
        &self,
        taken: Taken,
        request: &Reserve,
    ) -> Result<Vec<Reserved>, QueueError> {
        let Taken { now, jobs, orphans } = taken;
        self.remove_payloads(&orphans).await?;
        let large: Vec<JobId> = jobs
            .iter()
            .filter(|job| job.is_large())
            .map(TakenJob::id)
            .collect();
        let mut payloads = self.payloads(&large).await?.into_iter();
        let mut reserved = Vec::with_capacity(jobs.len());
        let mut broken = Vec::new();
        for job in jobs {
            let lease = Lease::new(job.id(), LeaseToken::from_bytes(job.token()));
            let is_large = job.is_large();
            // Also taken for a job whose body can't be read: it is the payload of no other.
            let payload = if is_large {
                payloads.next().flatten()
            } else {
                None
            };
            let body = match (StoredBody::read(job.id(), job.body), payload) {
                (Ok(body), Some(payload)) => body.with_payload(payload),
                (Ok(body), None) if !is_large => body,
                (Ok(_), None) => {
                    broken.push((lease, DeadReason::Missing));
                    continue;
                }
                (Err(_), _) => {
                    broken.push((lease, DeadReason::Undecodable));
                    continue;
                }
            };
            let record = job.record.map(Record::read).unwrap_or_default();
            let accepted_at = body.accepted_at;
            let age = Duration::from_micros(now.saturating_sub(accepted_at));
            let job = Job::new(
                body.into_job().into_data(),
                record.counters,
                wall(accepted_at),
                age,
            );
            reserved.push(Reserved::new(job, lease));
        }
        if !broken.is_empty() {
            self.bury_broken(broken, request).await?;
        }
        Ok(reserved)
    }

    /// What can't be given to a handler goes to the dead letters; the queue goes on.
    async fn bury_broken(
        &self,
        broken: Vec<(Lease, DeadReason)>,
        request: &Reserve,
    ) -> Result<(), QueueError> {
        let outcomes: Vec<_> = broken
            .into_iter()
            .map(|(lease, reason)| {
                tracing::error!(job = %lease.job(), %reason, "a stored job can't be run");
                let text = match reason {
                    DeadReason::Missing => "the payload is gone from redis",
                    _ => "the stored body can't be read",
                };
                let worker = Arc::clone(request.worker_label());
                let failure =
                    FailureReport::new(FailureKind::Undecodable, ErrorText::new(text), worker);
                (lease, Settlement::Bury { reason, failure })
            })
            .collect();
        self.settle(&outcomes.iter().collect::<Vec<_>>())
            .await
            .map(drop)
    }

    async fn remove_payloads(&self, jobs: &[JobId]) -> Result<(), QueueError> {
        if jobs.is_empty() {
            return Ok(());
        }
        let mut command = Cmd::new();
        command.arg("UNLINK");
        for id in jobs {
            command.arg(self.keys.payload(*id));
        }
        let link = &self.connections.shared;
        let budget = self.settings.timeout;
        link.command(&command, budget, Repeat::Harmless)
            .await
            .map(drop)
    }

    /// The payloads of large jobs; none for one that is gone or is no string.
    pub(super) async fn payloads(
        &self,
        jobs: &[JobId],
    ) -> Result<Vec<Option<Vec<u8>>>, QueueError> {
        let mut payloads = Vec::with_capacity(jobs.len());
        if jobs.is_empty() {
            return Ok(payloads);
        }
        let mut command = Cmd::new();
        command.arg("MGET");
        for id in jobs {
            command.arg(self.keys.payload(*id));
        }
        let link = &self.connections.shared;
        let answer = link
            .command(&command, self.settings.timeout, Repeat::Harmless)
            .await?;
        let found = list(answer).ok_or_else(|| self.unexpected("MGET"))?;
        payloads.extend(found.into_iter().map(bytes));
        Ok(payloads)
    }
}

/// What the script took.
struct Taken {
    now: u64,
    jobs: Vec<TakenJob>,
    /// Large jobs that were cancelled, and whose payloads are left.
    orphans: Vec<JobId>,
}

struct TakenJob {
    member: [u8; 32],
    body: Vec<u8>,
    record: Option<Vec<u8>>,
}

impl Taken {
    fn read(answer: Value) -> Option<Self> {
        let [now, members, bodies, records, orphans] = fields(answer)?;
        let orphan = |id| Some(JobId::from_bytes(bytes(id)?.try_into().ok()?));
        let orphans = list(orphans)?
            .into_iter()
            .map(orphan)
            .collect::<Option<_>>()?;
        let mut records = list(records)?.into_iter();
        let mut jobs = Vec::new();
        for (member, body) in list(members)?.into_iter().zip(list(bodies)?) {
            jobs.push(TakenJob {
                member: bytes(member)?.try_into().ok()?,
                body: bytes(body)?,
                record: records.next().and_then(bytes),
            });
        }
        Some(Self {
            now: number(&now)?,
            jobs,
            orphans,
        })
    }
}

impl TakenJob {
    fn token(&self) -> [u8; 16] {
        let [token @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = self.member;
        token
    }

    fn id(&self) -> JobId {
        let [_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, id @ ..] = self.member;
        JobId::from_bytes(id)
    }

    fn is_large(&self) -> bool {
        self.member[8] & LARGE != 0
    }
}

/// The bit of the ninth byte of a token that says that the job is large.
pub(super) const LARGE: u8 = 0x80;

/// Places of one call are told apart by a byte.
const MOST_JOBS: usize = 250;
