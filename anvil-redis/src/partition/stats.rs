use std::time::Duration;

use anvil_queue::{QueueError, QueueStats, QueueTotals};
use redis::Value;

use super::Partition;
use super::fields::{bytes, fields, list, number};
use crate::link::Repeat;
use crate::script::{LOOK, STATS};

impl Partition {
    pub(crate) async fn stats(&self) -> Result<Counts, QueueError> {
        let keys = &*self.keys;
        let call = STATS.call(&[
            &keys.config,
            &keys.bodies,
            &keys.ready,
            &keys.returned,
            &keys.suspects,
            &keys.scheduled,
            &keys.leases,
            &keys.dead,
            &keys.cancelled,
        ]);
        let answer = self.call(call, Repeat::Harmless).await?;
        Counts::read(answer).ok_or_else(|| self.unexpected("stats.lua"))
    }

    /// When there is something to reserve; none where nothing is known of.
    pub(crate) async fn look(&self) -> Result<Option<Duration>, QueueError> {
        let keys = &*self.keys;
        let call = LOOK.call(&[
            &keys.config,
            &keys.ready,
            &keys.returned,
            &keys.suspects,
            &keys.scheduled,
            &keys.leases,
        ]);
        let link = &self.connections.shared;
        let budget = self.settings.timeout;
        let answer = self.call_within(link, call, budget, Repeat::Harmless);
        match answer.await? {
            Value::Int(micros) => Ok(u64::try_from(micros).ok().map(Duration::from_micros)),
            _ => Err(self.unexpected("look.lua")),
        }
    }
}

/// What one partition holds.
#[derive(Default)]
pub(crate) struct Counts(pub(crate) QueueStats);

impl Counts {
    fn read(answer: Value) -> Option<Self> {
        let [ready, scheduled, leased, dead, now, oldest, config] = fields(answer)?;
        let count = |value: &Value| usize::try_from(number(value)?).ok();
        let mut stats = QueueStats::default();
        stats.ready = count(&ready)?;
        stats.scheduled = count(&scheduled)?;
        stats.leased = count(&leased)?;
        stats.dead = count(&dead)?;
        let oldest = number(&oldest)?;
        stats.oldest_age =
            (oldest > 0).then_some(Duration::from_micros(number(&now)?.saturating_sub(oldest)));
        let mut config = list(config)?.into_iter();
        while let Some((name, value)) = config.next().zip(config.next()) {
            let value = String::from_utf8(bytes(value)?).ok()?.parse().unwrap_or(0);
            count_in(&mut stats.totals, &bytes(name)?, value);
        }
        Some(Self(stats))
    }

    /// Adds what another partition holds.
    pub(crate) fn add(&mut self, other: &QueueStats) {
        let Self(sum) = self;
        sum.ready += other.ready;
        sum.scheduled += other.scheduled;
        sum.leased += other.leased;
        sum.dead += other.dead;
        sum.oldest_age = sum.oldest_age.max(other.oldest_age);
        for (total, more) in totals(&mut sum.totals)
            .into_iter()
            .zip(totals(&mut other.totals.clone()))
        {
            *total += *more;
        }
    }
}

fn count_in(totals: &mut QueueTotals, name: &[u8], value: u64) {
    let total = match name {
        b"accepted" => &mut totals.accepted,
        b"duplicates" => &mut totals.duplicates,
        b"refused" => &mut totals.refused,
        b"completed" => &mut totals.completed,
        b"retried" => &mut totals.retried,
        b"snoozed" => &mut totals.snoozed,
        b"released" => &mut totals.released,
        b"buried" => &mut totals.buried,
        b"reclaimed" => &mut totals.reclaimed,
        b"lost" => &mut totals.leases_lost,
        b"replayed" => &mut totals.replayed,
        b"discarded" => &mut totals.discarded,
        b"cancelled" => &mut totals.cancelled,
        _ => return,
    };
    *total = value;
}

fn totals(totals: &mut QueueTotals) -> [&mut u64; 13] {
    [
        &mut totals.accepted,
        &mut totals.duplicates,
        &mut totals.refused,
        &mut totals.completed,
        &mut totals.retried,
        &mut totals.snoozed,
        &mut totals.released,
        &mut totals.buried,
        &mut totals.reclaimed,
        &mut totals.leases_lost,
        &mut totals.replayed,
        &mut totals.discarded,
        &mut totals.cancelled,
    ]
}
