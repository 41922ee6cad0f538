use anvil_queue::{JobId, JobView};

use super::Call;
use crate::args::{DeadShow, Format};
use crate::exit::Failure;
use crate::output::{describe, escape, of_letter, printable, record, to_json};
use crate::terminal::Terminal;

pub(super) async fn run(
    call: Call<'_>,
    show: &DeadShow,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    if show.raw && terminal.data_on_screen() && !show.force_raw {
        let message =
            "a payload can hold what acts on a terminal; send it elsewhere, or add --force-raw";
        return Err(Failure::Usage(message.to_owned()));
    }
    let Some(letter) = call.store.get_dead(call.queue, show.id).await? else {
        not_there(show.id, "is not among the dead letters", terminal);
        return Err(Failure::NotDone);
    };
    if show.raw {
        return Ok(terminal.bytes(letter.data.payload())?);
    }
    write(&of_letter(&letter), call.cli.output, terminal)
}

pub(super) fn not_there(id: JobId, why: &str, terminal: &mut Terminal<'_>) {
    terminal.say(&format!("{id} {why}"));
}

/// Writes all there is to know of a job.
pub(super) fn write(
    view: &JobView,
    format: Format,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    match format {
        Format::Ids => terminal.line(&view.id().to_string())?,
        Format::Json | Format::Jsonl => terminal.line(&to_json(&record(view, true))?)?,
        Format::Table => {
            let lines = describe(view);
            let names = lines.iter().map(|(name, _)| name.chars().count());
            let width = names.max().unwrap_or(0).min(MAX_NAME);
            for (name, value) in lines {
                let (name, value) = (escape(&name), escape(&value));
                terminal.line(format!("{name:width$}  {value}").trim_end())?;
            }
            payload(view, terminal)?;
        }
    }
    Ok(())
}

/// The payload, line by line where it is text, cut where it is long.
fn payload(view: &JobView, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let payload = view.data.payload();
    if payload.is_empty() {
        return Ok(());
    }
    let cut = payload.len().min(MAX_SHOWN);
    let shown = match std::str::from_utf8(payload) {
        Ok(text) => (0..=cut).rev().find_map(|end| text.get(..end)),
        Err(_) => None,
    };
    let shown = shown.map_or_else(|| printable(&payload[..cut]), str::to_owned);
    terminal.line("")?;
    for line in shown.lines() {
        terminal.line(&escape(line))?;
    }
    if payload.len() > MAX_SHOWN {
        terminal.say("the payload is longer; --raw or --output json has all of it");
    }
    Ok(())
}

/// How wide the column of names gets; a longer one pushes its value to the right.
const MAX_NAME: usize = 40;
/// How much of a payload a person is shown, in bytes.
const MAX_SHOWN: usize = 16 * 1024;
