use anvil_queue::QueueName;
use anvil_redis::RedisBackend;
use serde::Serialize;

use crate::args::{Format, Fsck};
use crate::exit::Failure;
use crate::output::{Table, to_json};
use crate::terminal::Terminal;

#[derive(Serialize)]
struct Record {
    jobs: usize,
    incomplete: bool,
    problems: Vec<Problem>,
}

#[derive(Serialize)]
struct Problem {
    id: String,
    problem: String,
    repaired: bool,
}

/// Looks whether every job is in exactly one place, and mends what is not where that is asked for.
pub(super) async fn run(
    redis: &RedisBackend,
    queue: &QueueName,
    fsck: &Fsck,
    format: Format,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    let report = redis.fsck(queue, fsck.repair).await?;
    let problems: Vec<_> = (report.problems.iter())
        .map(|problem| Problem {
            id: problem.id.to_string(),
            problem: problem.kind.to_string(),
            repaired: problem.repaired,
        })
        .collect();
    let (jobs, incomplete) = (report.jobs, report.incomplete);
    let wrong = problems.len();
    let left = problems.iter().filter(|problem| !problem.repaired).count();
    write(
        Record {
            jobs,
            incomplete,
            problems,
        },
        format,
        terminal,
    )?;
    let repaired = wrong - left;
    terminal.say(&format!(
        "{jobs} jobs looked at: {wrong} not where they should be, {repaired} of them mended"
    ));
    if left > 0 && !fsck.repair {
        terminal.say("--repair mends them");
    }
    if incomplete {
        terminal.say("not all that seemed wrong was followed up: run it again");
    }
    if left > 0 || incomplete {
        return Err(Failure::NotDone);
    }
    Ok(())
}

fn write(record: Record, format: Format, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    match format {
        Format::Table => {
            let mut table = Table::new(&["ID", "REPAIRED", "PROBLEM"]);
            for Problem {
                id,
                problem,
                repaired,
            } in record.problems
            {
                let repaired = if repaired { "yes" } else { "no" };
                table.row([id, repaired.to_owned(), problem]);
            }
            table.write(terminal)?;
        }
        Format::Json => terminal.line(&to_json(&record)?)?,
        Format::Jsonl => {
            for problem in &record.problems {
                terminal.line(&to_json(problem)?)?;
            }
        }
        Format::Ids => {
            for problem in &record.problems {
                terminal.line(&problem.id)?;
            }
        }
    }
    Ok(())
}
