use std::collections::{HashMap, HashSet};

use anvil_queue::{JobId, QueueError};
use redis::{Cmd, Value};

use super::Partition;
use super::fields::{bytes, fields, list};
use crate::fsck::{FsckReport, Problem, ProblemKind};
use crate::link::Repeat;
use crate::script::FSCK;

/// How often a job was met in a place, and whether its body was.
#[derive(Default)]
struct Sighting {
    places: usize,
    body: bool,
}

type Sightings = HashMap<JobId, Sighting>;

impl Partition {
    /// Reads everything in small steps, then looks again at what seemed wrong.
    pub(crate) async fn fsck(&self, repair: bool) -> Result<FsckReport, QueueError> {
        let keys = &*self.keys;
        let mut seen = Sightings::new();
        // Bodies last: a job that is done meanwhile was met in a place, and is looked at again.
        self.walk_line(&mut seen).await?;
        for (set, from) in [
            (&keys.returned, 0),
            (&keys.suspects, 0),
            (&keys.scheduled, 0),
            (&keys.leases, 16),
            (&keys.dead, 0),
        ] {
            for member in self.scan("ZSCAN", set).await? {
                if let Some(id) = id_at(&member, from) {
                    seen.entry(id).or_default().places += 1;
                }
            }
        }
        for field in self.scan("HSCAN", &keys.bodies).await? {
            if let Some(id) = id_at(&field, 0) {
                seen.entry(id).or_default().body = true;
            }
        }
        let mut report = FsckReport {
            jobs: seen.values().filter(|sighting| sighting.body).count(),
            ..FsckReport::default()
        };
        let mut suspicious: Vec<_> = seen
            .into_iter()
            .filter(|(_, sighting)| sighting.places != 1 || !sighting.body)
            .map(|(id, _)| id)
            .collect();
        report.incomplete = suspicious.len() > MOST_SUSPICIONS;
        suspicious.truncate(MOST_SUSPICIONS);
        for step in suspicious.chunks(STEP) {
            self.look_again(step, repair, &mut report).await?;
        }
        Ok(report)
    }

    async fn look_again(
        &self,
        jobs: &[JobId],
        repair: bool,
        report: &mut FsckReport,
    ) -> Result<(), QueueError> {
        let keys = &*self.keys;
        let call = FSCK
            .call(&keys.places(&keys.cancelled))
            .arg(u8::from(repair))
            .args(jobs.iter().map(JobId::as_bytes));
        let answer = bytes(self.call(call, Repeat::Never).await?);
        let letters = answer.filter(|letters| letters.len() == jobs.len());
        let letters = letters.ok_or_else(|| self.unexpected("fsck.lua"))?;
        for (id, letter) in jobs.iter().zip(letters) {
            let kind = match letter {
                b'B' => ProblemKind::NoBody,
                b'P' => ProblemKind::NoPlace,
                b'T' => ProblemKind::SeveralPlaces,
                _ => continue,
            };
            report.problems.push(Problem {
                id: *id,
                kind,
                repaired: repair,
            });
        }
        Ok(())
    }

    async fn walk_line(&self, seen: &mut Sightings) -> Result<(), QueueError> {
        let cancelled = self.scan("SSCAN", &self.keys.cancelled).await?;
        let cancelled: HashSet<JobId> = cancelled.iter().filter_map(|id| id_at(id, 0)).collect();
        let mut from = 0_usize;
        loop {
            let mut command = Cmd::new();
            command
                .arg("LRANGE")
                .arg(&self.keys.ready)
                .arg(from)
                .arg(from + PAGE - 1);
            let page = list(self.plain(&command).await?).unwrap_or_default();
            let full = page.len() == PAGE;
            for element in page.into_iter().filter_map(bytes) {
                // A job that was cancelled in the line stands there until its turn.
                if let Some(id) = id_at(&element, 0).filter(|id| !cancelled.contains(id)) {
                    seen.entry(id).or_default().places += 1;
                }
            }
            if !full {
                return Ok(());
            }
            from += PAGE;
        }
    }

    /// The members of a set or the fields of a hash, each once.
    async fn scan(&self, verb: &str, key: &str) -> Result<HashSet<Vec<u8>>, QueueError> {
        let mut found = HashSet::new();
        let mut cursor = b"0".to_vec();
        loop {
            let mut command = Cmd::new();
            command
                .arg(verb)
                .arg(key)
                .arg(&cursor)
                .arg("COUNT")
                .arg(PAGE);
            let unexpected = || self.unexpected("SCAN");
            let [next, items] = fields(self.plain(&command).await?).ok_or_else(unexpected)?;
            let step = if verb == "SSCAN" { 1 } else { 2 };
            let items = list(items).ok_or_else(unexpected)?;
            found.extend(items.into_iter().step_by(step).filter_map(bytes));
            cursor = bytes(next).ok_or_else(unexpected)?;
            if cursor == b"0" {
                return Ok(found);
            }
        }
    }

    async fn plain(&self, command: &Cmd) -> Result<Value, QueueError> {
        let link = &self.connections.shared;
        link.command(command, self.settings.timeout, Repeat::Harmless)
            .await
    }
}

fn id_at(bytes: &[u8], from: usize) -> Option<JobId> {
    let id = bytes.get(from..from + 16)?;
    id.try_into().ok().map(JobId::from_bytes)
}

const PAGE: usize = 1_000;
const STEP: usize = 16;
const MOST_SUSPICIONS: usize = 2_000;
