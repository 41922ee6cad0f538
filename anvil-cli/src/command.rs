//! What each command does.

use std::sync::Arc;

use anvil_queue::{JobId, QueueName, Store};
use anvil_redis::RedisBackend;

use crate::args::{Cli, Command, Dead};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

mod bulk;
mod cancel;
mod check;
mod fsck;
mod list;
mod peek;
mod presets;
mod send;
mod show;
mod stats;
mod verify;

/// Runs a command on a store.
///
/// What goes wrong is said in one line on the terminal's side for words. Dropping the future stops
/// the command after the call to the store that is under way; what was done stays done.
pub async fn run(cli: &Cli, store: Arc<dyn Store>, terminal: &mut Terminal<'_>) -> Exit {
    let ended = dispatch(cli, &*store, terminal).await;
    end(ended, terminal)
}

/// Runs a command on Redis; also those that are about Redis itself.
pub(crate) async fn run_on_redis(
    cli: &Cli,
    redis: Arc<RedisBackend>,
    terminal: &mut Terminal<'_>,
) -> Exit {
    let ended = match (&cli.command, &cli.queue) {
        (Command::Check, _) => check::run(&redis, cli.output, terminal).await,
        (Command::Fsck(fsck), Some(queue)) => {
            fsck::run(&redis, queue, fsck, cli.output, terminal).await
        }
        _ => return run(cli, redis, terminal).await,
    };
    end(ended, terminal)
}

/// Runs a command that needs no store; the store is asked for only by the others.
pub(crate) async fn run_alone(cli: &Cli, terminal: &mut Terminal<'_>) -> Exit {
    let ended = alone(cli, terminal).await;
    end(ended, terminal)
}

/// Says what is left to say of how a command ended.
fn end(ended: Result<(), Failure>, terminal: &mut Terminal<'_>) -> Exit {
    let ended = ended.and_then(|()| Ok(terminal.flush()?));
    let Err(failure) = ended else {
        return Exit::Done;
    };
    if let Some(message) = failure.message() {
        terminal.say(&format!("error: {message}"));
    }
    // What was found before it went wrong still counts.
    let _ = terminal.flush();
    failure.exit()
}

/// What a command works with.
#[derive(Clone, Copy)]
struct Call<'a> {
    cli: &'a Cli,
    store: &'a dyn Store,
    queue: &'a QueueName,
}

async fn alone(cli: &Cli, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    match &cli.command {
        Command::Presets(presets) => presets::run(presets, cli.output, terminal),
        Command::Verify(verify) => verify::run(verify, cli.output, terminal),
        Command::Send(send) => send::run(send, cli.output, terminal).await,
        _ => Err(Failure::Usage("this command needs a store".to_owned())),
    }
}

async fn dispatch(
    cli: &Cli,
    store: &dyn Store,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    if !cli.command.needs_store() {
        return alone(cli, terminal).await;
    }
    let Some(queue) = &cli.queue else {
        let message = "which queue? give --queue NAME or set ANVIL_QUEUE";
        return Err(Failure::Usage(message.to_owned()));
    };
    let call = Call { cli, store, queue };
    match &cli.command {
        Command::Stats(stats) => stats::run(call, stats, terminal).await,
        Command::Dead(Dead::List(list)) => list::run(call, list, terminal).await,
        Command::Dead(Dead::Show(show)) => show::run(call, show, terminal).await,
        Command::Dead(Dead::Replay(replay)) => {
            let act = bulk::Act::Replay {
                force: replay.force,
            };
            bulk::run(call, act, &replay.bulk, terminal).await
        }
        Command::Dead(Dead::Discard(discard)) => {
            bulk::run(call, bulk::Act::Discard, &discard.bulk, terminal).await
        }
        Command::Peek(peek) => peek::run(call, peek, terminal).await,
        Command::Cancel(cancel) => cancel::run(call, cancel, terminal).await,
        // The others are about Redis, or were done above.
        _ => Err(Failure::Usage("this store is no Redis".to_owned())),
    }
}

/// The ids, each once, in the order given.
fn distinct(ids: &[JobId]) -> Vec<JobId> {
    let mut seen = std::collections::HashSet::new();
    ids.iter().copied().filter(|id| seen.insert(*id)).collect()
}

/// How many jobs one call to the store takes at most.
const PAGE: usize = 200;
