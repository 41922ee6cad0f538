use anvil_queue::{DeadPosition, DeadQuery, JobPlace, JobView};

use super::{Call, PAGE};
use crate::args::{DeadList, Format};
use crate::exit::Failure;
use crate::output::{Table, of_letter, record, timestamp, to_json};
use crate::terminal::Terminal;

pub(super) async fn run(
    call: Call<'_>,
    list: &DeadList,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    let mut rows = Rows::new(call.cli.output);
    let mut left = usize::try_from(list.limit).unwrap_or(usize::MAX);
    let mut query = DeadQuery::new()
        .filter(list.filter.of_letters())
        .after(list.filter.after)
        .up_to(list.filter.up_to)
        .limit(PAGE);
    loop {
        let page = call.store.list_dead(call.queue, query.clone()).await?;
        let more = page.letters.len() > left;
        for letter in page.letters.iter().take(left) {
            rows.add(&of_letter(letter), terminal)?;
        }
        left = left.saturating_sub(page.letters.len());
        let Some(next) = page.next.filter(|_| left > 0) else {
            rows.finish(terminal)?;
            if more || page.next.is_some() {
                say_more(rows.last, terminal);
            }
            return Ok(());
        };
        query = query.after(next);
    }
}

fn say_more(last: Option<DeadPosition>, terminal: &mut Terminal<'_>) {
    if let Some(last) = last {
        terminal.say(&format!("there may be more: add --after {last}"));
    }
}

/// Letters as they come: lines at once, a table or a list at the end.
struct Rows {
    format: Format,
    table: Table,
    records: Vec<String>,
    last: Option<DeadPosition>,
}

impl Rows {
    fn new(format: Format) -> Self {
        Self {
            format,
            table: Table::new(&HEADING),
            records: Vec::new(),
            last: None,
        }
    }

    fn add(&mut self, view: &JobView, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
        if let JobPlace::Dead { position, .. } = view.place {
            self.last = Some(position);
        }
        match self.format {
            Format::Table => self.table.row(cells(view)),
            Format::Json => self.records.push(to_json(&record(view, false))?),
            Format::Jsonl => terminal.line(&to_json(&record(view, false))?)?,
            Format::Ids => terminal.line(&view.id().to_string())?,
        }
        Ok(())
    }

    fn finish(&self, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
        match self.format {
            Format::Table => self.table.write(terminal)?,
            Format::Json => terminal.line(&format!("[{}]", self.records.join(",")))?,
            Format::Jsonl | Format::Ids => {}
        }
        Ok(())
    }
}

fn cells(view: &JobView) -> [String; 8] {
    let (position, died_at, reason) = match view.place {
        JobPlace::Dead {
            reason,
            died_at,
            position,
        } => (position.to_string(), timestamp(died_at), reason.to_string()),
        _ => Default::default(),
    };
    [
        position,
        died_at,
        view.id().to_string(),
        view.data.kind().to_owned(),
        view.data.source().to_owned(),
        reason,
        view.counters.attempts.to_string(),
        view.failures.last_error().unwrap_or_default().to_owned(),
    ]
}

const HEADING: [&str; 8] = [
    "POSITION", "DIED", "ID", "KIND", "SOURCE", "REASON", "ATTEMPTS", "ERROR",
];
