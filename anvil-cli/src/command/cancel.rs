use anvil_queue::{Cancelled, JobId};
use serde::Serialize;

use super::{Call, PAGE, distinct};
use crate::args::{Cancel, Format};
use crate::exit::Failure;
use crate::output::{Table, to_json};
use crate::terminal::Terminal;

#[derive(Serialize)]
struct Record {
    id: String,
    result: &'static str,
}

pub(super) async fn run(
    call: Call<'_>,
    cancel: &Cancel,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    let mut answers: Vec<(JobId, Cancelled)> = Vec::new();
    let mut ended: Result<(), Failure> = Ok(());
    for ids in distinct(&cancel.ids).chunks(PAGE) {
        match call.store.cancel(call.queue, ids).await {
            Ok(page) => answers.extend(ids.iter().copied().zip(page)),
            Err(error) => {
                ended = Err(error.into());
                break;
            }
        }
    }
    write(&answers, call.cli.output, terminal)?;
    let count = |wanted| {
        answers
            .iter()
            .filter(|(_, answer)| *answer == wanted)
            .count()
    };
    let running = count(Cancelled::Requested);
    if running > 0 {
        terminal.say(&format!(
            "{running} in the hands of a worker: asked to stop, and removed unless they complete or die"
        ));
    }
    if count(Cancelled::Dead) > 0 {
        terminal.say("dead jobs are not cancelled: `anvil dead discard` throws them away");
    }
    ended?;
    if running + count(Cancelled::Removed) < answers.len() {
        return Err(Failure::NotDone);
    }
    Ok(())
}

fn write(
    answers: &[(JobId, Cancelled)],
    format: Format,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    let records = answers.iter().map(|(id, answer)| Record {
        id: id.to_string(),
        result: name(*answer),
    });
    match format {
        Format::Table => {
            let mut table = Table::new(&["ID", "RESULT"]);
            for Record { id, result } in records {
                table.row([id, result.to_owned()]);
            }
            table.write(terminal)?;
        }
        Format::Json => terminal.line(&to_json(&records.collect::<Vec<_>>())?)?,
        Format::Jsonl => {
            for record in records {
                terminal.line(&to_json(&record)?)?;
            }
        }
        Format::Ids => {
            let cancelled = [Cancelled::Removed, Cancelled::Requested];
            for (id, _) in answers
                .iter()
                .filter(|(_, answer)| cancelled.contains(answer))
            {
                terminal.line(&id.to_string())?;
            }
        }
    }
    Ok(())
}

fn name(answer: Cancelled) -> &'static str {
    match answer {
        Cancelled::Dead => "dead",
        Cancelled::NotFound => "not_found",
        Cancelled::Removed => "removed",
        Cancelled::Requested => "requested",
        _ => "unknown",
    }
}
