use anvil_redis::RedisBackend;
use serde::Serialize;

use crate::args::Format;
use crate::exit::Failure;
use crate::output::{Table, to_json};
use crate::terminal::Terminal;

#[derive(Serialize)]
struct Record<'a> {
    version: &'a str,
    findings: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Finding<'a> {
    fatal: bool,
    text: &'a str,
}

/// Asks Redis whether it is fit to keep jobs.
pub(super) async fn run(
    redis: &RedisBackend,
    format: Format,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    if format == Format::Ids {
        return Err(Failure::Usage("findings have no ids".to_owned()));
    }
    let health = redis.check().await?;
    let findings: Vec<_> = (health.findings.iter())
        .map(|finding| Finding {
            fatal: finding.fatal,
            text: &finding.text,
        })
        .collect();
    let sound = findings.is_empty();
    if format == Format::Table {
        terminal.say(&format!("Redis {}", health.version));
        let mut table = Table::new(&["LEVEL", "FINDING"]);
        for Finding { fatal, text } in findings {
            let level = if fatal { "fatal" } else { "warning" };
            table.row([level.to_owned(), text.to_owned()]);
        }
        table.write(terminal)?;
    } else {
        let version = &health.version;
        terminal.line(&to_json(&Record { version, findings })?)?;
    }
    if sound { Ok(()) } else { Err(Failure::NotDone) }
}
