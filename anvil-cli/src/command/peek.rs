use anvil_queue::{JobId, JobPlace, JobView, PeekPlace, PeekQuery};

use super::{Call, distinct, show};
use crate::args::{Format, Peek, Place};
use crate::exit::Failure;
use crate::output::{Table, record, span, timestamp, to_json};
use crate::terminal::Terminal;

pub(super) async fn run(
    call: Call<'_>,
    peek: &Peek,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    if !peek.ids.is_empty() {
        return single(call, &distinct(&peek.ids), terminal).await;
    }
    let place = match peek.place {
        Place::Ready => PeekPlace::Ready,
        Place::Scheduled => PeekPlace::Scheduled,
        Place::Leased => PeekPlace::Leased,
    };
    let query = PeekQuery::new(place).limit(peek.limit.into());
    let views = call.store.peek(call.queue, query).await?;
    match call.cli.output {
        Format::Table => {
            let mut table = Table::new(&HEADING);
            for view in &views {
                table.row(cells(view));
            }
            table.write(terminal)?;
        }
        Format::Json => {
            let records: Vec<_> = views.iter().map(|view| record(view, false)).collect();
            terminal.line(&to_json(&records)?)?;
        }
        Format::Jsonl => {
            for view in &views {
                terminal.line(&to_json(&record(view, false))?)?;
            }
        }
        Format::Ids => {
            for view in &views {
                terminal.line(&view.id().to_string())?;
            }
        }
    }
    Ok(())
}

/// Jobs by their ids, wherever they are, one after the other.
async fn single(call: Call<'_>, ids: &[JobId], terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let mut found = Vec::new();
    for id in ids {
        match call.store.get(call.queue, *id).await? {
            Some(view) => found.push(view),
            None => show::not_there(
                *id,
                "is not there: done, discarded, cancelled or never accepted",
                terminal,
            ),
        }
    }
    if call.cli.output == Format::Json {
        let records: Vec<_> = found.iter().map(|view| record(view, true)).collect();
        terminal.line(&to_json(&records)?)?;
    } else {
        for (index, view) in found.iter().enumerate() {
            if index > 0 && call.cli.output == Format::Table {
                terminal.line("")?;
            }
            show::write(view, call.cli.output, terminal)?;
        }
    }
    if found.len() < ids.len() {
        return Err(Failure::NotDone);
    }
    Ok(())
}

fn cells(view: &JobView) -> [String; 9] {
    let time = match view.place {
        JobPlace::Scheduled { due_in } => format!("due in {}", span(due_in)),
        JobPlace::Leased {
            expires_in,
            cancel_requested: false,
        } => format!("lease ends in {}", span(expires_in)),
        JobPlace::Leased { expires_in, .. } => {
            format!("lease ends in {}, cancel requested", span(expires_in))
        }
        _ => String::new(),
    };
    [
        view.id().to_string(),
        view.place.to_string(),
        timestamp(view.accepted_at),
        view.data.kind().to_owned(),
        view.data.source().to_owned(),
        view.counters.attempts.to_string(),
        view.counters.reclaims.to_string(),
        view.data.payload().len().to_string(),
        time,
    ]
}

const HEADING: [&str; 9] = [
    "ID", "PLACE", "ACCEPTED", "KIND", "SOURCE", "ATTEMPTS", "RECLAIMS", "BYTES", "TIME",
];
