//! What became of the jobs, as data.

use anvil_queue::JobId;
use serde::Serialize;

use super::Act;
use crate::args::Format;
use crate::exit::Failure;
use crate::output::{Table, to_json};
use crate::terminal::Terminal;

/// What became of one job.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Outcome {
    Done,
    NotDead,
    /// It is there, and a dry run leaves it alone.
    Planned,
    Superseded(JobId),
}

/// What became of many.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) done: usize,
    superseded: usize,
    not_dead: usize,
}

impl Tally {
    pub(super) fn count(&mut self, done: Outcome) {
        match done {
            Outcome::Done => self.done += 1,
            Outcome::Superseded(_) => self.superseded += 1,
            Outcome::NotDead => self.not_dead += 1,
            Outcome::Planned => {}
        }
    }

    /// How many jobs have had their turn.
    pub(super) fn seen(self) -> usize {
        self.done + self.superseded + self.not_dead
    }
}

/// The counts of a run; formats that have a line for each job had them already.
pub(super) fn totals(
    tally: Tally,
    planned: usize,
    act: Act,
    format: Format,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    let Tally {
        done, superseded, ..
    } = tally;
    let left = planned.saturating_sub(done + superseded);
    let mut counts = vec![("planned", planned), (act.done(), done)];
    if let Act::Replay { .. } = act {
        counts.push(("superseded", superseded));
    }
    counts.push(("left", left));
    match format {
        Format::Table => {
            let names: Vec<_> = counts.iter().map(|(name, _)| name.to_uppercase()).collect();
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            let mut table = Table::new(&names);
            table.row(counts.iter().map(|(_, count)| count.to_string()));
            table.write(terminal)?;
        }
        Format::Json => {
            let fields: Vec<_> = counts
                .iter()
                .map(|(name, count)| format!("\"{name}\":{count}"))
                .collect();
            terminal.line(&format!("{{{}}}", fields.join(",")))?;
        }
        Format::Jsonl | Format::Ids => {}
    }
    Ok(())
}

/// A line or a row for each of some jobs that were named.
pub(super) fn each(
    answers: &[(JobId, Outcome)],
    act: Act,
    format: Format,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    match format {
        Format::Table => {
            let mut table = Table::new(&["ID", "RESULT", "NEWER"]);
            for (id, done) in answers {
                let Record { result, newer, .. } = record(*id, *done, act);
                table.row([id.to_string(), result.to_owned(), newer.unwrap_or_default()]);
            }
            table.write(terminal)?;
        }
        Format::Json => {
            let records: Vec<_> = answers
                .iter()
                .map(|(id, done)| record(*id, *done, act))
                .collect();
            terminal.line(&to_json(&records)?)?;
        }
        // Written as they came, unless nothing was done to them.
        Format::Jsonl | Format::Ids => {
            for (id, done) in answers.iter().filter(|(_, done)| *done == Outcome::Planned) {
                line((*id, *done), act, format, terminal)?;
            }
        }
    }
    Ok(())
}

/// A line for one job, in the formats that have lines; ids are those of jobs that it was done to.
pub(super) fn line(
    (id, done): (JobId, Outcome),
    act: Act,
    format: Format,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    match format {
        Format::Jsonl => terminal.line(&to_json(&record(id, done, act))?)?,
        Format::Ids if matches!(done, Outcome::Done | Outcome::Planned) => {
            terminal.line(&id.to_string())?;
        }
        _ => {}
    }
    Ok(())
}

#[derive(Serialize)]
struct Record {
    id: String,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    newer: Option<String>,
}

fn record(id: JobId, done: Outcome, act: Act) -> Record {
    let (result, newer) = match done {
        Outcome::Done => (act.done(), None),
        Outcome::NotDead => ("not_dead", None),
        Outcome::Planned => ("planned", None),
        Outcome::Superseded(by) => ("superseded", Some(by.to_string())),
    };
    Record {
        id: id.to_string(),
        result,
        newer,
    }
}
