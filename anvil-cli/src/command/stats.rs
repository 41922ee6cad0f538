use std::time::{Duration, SystemTime};

use anvil_queue::{QueueStats, QueueTotals};
use serde::Serialize;

use super::Call;
use crate::args::{Format, Stats};
use crate::exit::{Failure, with_causes};
use crate::output::{Table, span, timestamp, to_json};
use crate::terminal::Terminal;

pub(super) async fn run(
    call: Call<'_>,
    stats: &Stats,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    let format = call.cli.output;
    if format == Format::Ids {
        return Err(Failure::Usage("counts have no ids".to_owned()));
    }
    if stats.watch {
        return watch(call, stats, terminal).await;
    }
    let counted = call.store.stats(call.queue).await?;
    if format != Format::Table {
        let record = record(call.queue.as_str(), &counted);
        return Ok(terminal.line(&to_json(&record)?)?);
    }
    let mut table = Table::new(&["QUEUE", call.queue.as_str()]);
    for (name, value) in places(&counted).into_iter().chain(events(&counted.totals)) {
        table.row([name.to_owned(), value]);
    }
    Ok(table.write(terminal)?)
}

/// A line again and again. The first shows what there is, the others also what happened since the
/// one before. A store that fails is said and asked again.
async fn watch(call: Call<'_>, stats: &Stats, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let table = call.cli.output == Format::Table;
    if table {
        terminal.line(WATCH_HEADING)?;
    }
    let mut before: Option<QueueTotals> = None;
    let mut lines = 0;
    loop {
        match call.store.stats(call.queue).await {
            Ok(counted) if table => {
                let since = before.unwrap_or(counted.totals);
                terminal.line(&watch_line(&counted, &since))?;
                before = Some(counted.totals);
            }
            Ok(counted) => terminal.line(&to_json(&record(call.queue.as_str(), &counted))?)?,
            Err(error) => terminal.say(&format!("error: {}", with_causes(&error))),
        }
        terminal.flush()?;
        lines += 1;
        if stats.times.is_some_and(|times| lines >= times) {
            return Ok(());
        }
        tokio::time::sleep(stats.every).await;
    }
}

fn watch_line(stats: &QueueStats, since: &QueueTotals) -> String {
    let now = &stats.totals;
    format!(
        "{:20}  {:>9}  {:>9}  {:>7}  {:>7}  {:>9}  {:>9}  {:>9}  {:>8}  {:>7}",
        timestamp(SystemTime::now()),
        stats.ready,
        stats.scheduled,
        stats.leased,
        stats.dead,
        age(stats.oldest_age),
        now.accepted.saturating_sub(since.accepted),
        now.completed.saturating_sub(since.completed),
        now.retried.saturating_sub(since.retried),
        now.buried.saturating_sub(since.buried),
    )
}

fn places(stats: &QueueStats) -> [(&'static str, String); 5] {
    [
        ("ready", stats.ready.to_string()),
        ("scheduled", stats.scheduled.to_string()),
        ("leased", stats.leased.to_string()),
        ("dead", stats.dead.to_string()),
        ("oldest age", age(stats.oldest_age)),
    ]
}

fn events(totals: &QueueTotals) -> [(&'static str, String); 13] {
    [
        ("accepted", totals.accepted),
        ("duplicates", totals.duplicates),
        ("refused", totals.refused),
        ("completed", totals.completed),
        ("retried", totals.retried),
        ("snoozed", totals.snoozed),
        ("released", totals.released),
        ("buried", totals.buried),
        ("reclaimed", totals.reclaimed),
        ("leases lost", totals.leases_lost),
        ("replayed", totals.replayed),
        ("discarded", totals.discarded),
        ("cancelled", totals.cancelled),
    ]
    .map(|(name, count)| (name, count.to_string()))
}

fn age(age: Option<Duration>) -> String {
    age.map_or_else(|| "-".to_owned(), span)
}

#[derive(Serialize)]
struct Record<'a> {
    queue: &'a str,
    at: String,
    ready: usize,
    scheduled: usize,
    leased: usize,
    dead: usize,
    oldest_age_ms: Option<u64>,
    totals: Totals,
}

#[derive(Serialize)]
struct Totals {
    accepted: u64,
    duplicates: u64,
    refused: u64,
    completed: u64,
    retried: u64,
    snoozed: u64,
    released: u64,
    buried: u64,
    reclaimed: u64,
    leases_lost: u64,
    replayed: u64,
    discarded: u64,
    cancelled: u64,
}

fn record<'a>(queue: &'a str, stats: &QueueStats) -> Record<'a> {
    let oldest_age_ms = stats.oldest_age.map(|age| age.as_millis());
    let totals = &stats.totals;
    Record {
        queue,
        at: timestamp(SystemTime::now()),
        ready: stats.ready,
        scheduled: stats.scheduled,
        leased: stats.leased,
        dead: stats.dead,
        oldest_age_ms: oldest_age_ms.and_then(|age| u64::try_from(age).ok()),
        totals: Totals {
            accepted: totals.accepted,
            duplicates: totals.duplicates,
            refused: totals.refused,
            completed: totals.completed,
            retried: totals.retried,
            snoozed: totals.snoozed,
            released: totals.released,
            buried: totals.buried,
            reclaimed: totals.reclaimed,
            leases_lost: totals.leases_lost,
            replayed: totals.replayed,
            discarded: totals.discarded,
            cancelled: totals.cancelled,
        },
    }
}

/// Names the columns of [`watch_line`].
const WATCH_HEADING: &str = "TIME                      READY  SCHEDULED   LEASED     DEAD     OLDEST  +ACCEPTED      +DONE  +RETRIED    +DEAD";
