//! Replaying and discarding: of single jobs, and of all that match.

use anvil_queue::{DeadQuery, JobId, QueueError, ReplayOptions, Replayed};

use super::{Call, PAGE};
use crate::args::{Bulk, Filter, Format, Selection};
use crate::exit::Failure;
use crate::terminal::Terminal;

mod pace;
mod plan;
mod progress;
mod report;
mod resume;
mod single;
mod work;
use plan::Plan;
use report::{Outcome, Tally};
use resume::Resume;
use work::Work;

/// What is done to dead letters.
#[derive(Clone, Copy)]
pub(super) enum Act {
    Discard,
    Replay { force: bool },
}

impl Act {
    fn verb(self) -> &'static str {
        match self {
            Self::Discard => "discard",
            Self::Replay { .. } => "replay",
        }
    }

    fn done(self) -> &'static str {
        match self {
            Self::Discard => "discarded",
            Self::Replay { .. } => "replayed",
        }
    }
}

pub(super) async fn run(
    call: Call<'_>,
    act: Act,
    bulk: &Bulk,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    match bulk.selection() {
        Selection::Ids(ids) => single::run(call, act, bulk, ids, terminal).await,
        Selection::Matching(filter) => matching(call, act, bulk, filter, terminal).await,
    }
}

/// Acts on everything that matches and was dead when the plan was made.
async fn matching(
    call: Call<'_>,
    act: Act,
    bulk: &Bulk,
    filter: &Filter,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    if !bulk.yes && !bulk.dry_run && !terminal.answers() {
        let message = "nobody can be asked here: add --yes, or --dry-run to see the plan";
        return Err(Failure::Usage(message.to_owned()));
    }
    let listed = bulk.dry_run && matches!(call.cli.output, Format::Ids | Format::Jsonl);
    let plan = Plan::make(call, act, bulk, filter, listed, terminal).await?;
    plan.say(act, call.queue, filter, terminal);
    let Some((first, last)) = plan.ends else {
        report::totals(Tally::default(), 0, act, call.cli.output, terminal)?;
        return Ok(());
    };
    if bulk.dry_run {
        report::totals(
            Tally::default(),
            plan.letters,
            act,
            call.cli.output,
            terminal,
        )?;
        terminal.say("a dry run: nothing was done");
        return Ok(());
    }
    if !bulk.yes && !terminal.ask(&format!("{} them?", capitalised(act.verb()))) {
        terminal.say("nothing was done");
        return Err(Failure::NotDone);
    }

    let mut work = Work::new(call, act, bulk, plan.letters, terminal);
    // The plan found where the ages begin and end; positions stay where they are while time passes.
    let mut query = DeadQuery::new()
        .filter(filter.without_ages())
        .after(first.before())
        .up_to(last.position)
        .limit(PAGE);
    let ended = walk(call, &mut work, &mut query, terminal).await;
    let tally = work.end(terminal);
    report::totals(tally, plan.letters, act, call.cli.output, terminal)?;
    if let Err(stop) = ended {
        let resume = Resume::new(call, act, bulk).within(query.after, last.position);
        return Err(stopped(stop, tally, plan.letters, act, &resume, terminal));
    }
    all_done(tally, plan.letters)
}

/// Goes from page to page; `query` always starts after what is done.
async fn walk(
    call: Call<'_>,
    work: &mut Work<'_>,
    query: &mut DeadQuery,
    terminal: &mut Terminal<'_>,
) -> Result<(), Stop> {
    loop {
        let page = call.store.list_dead(call.queue, query.clone()).await?;
        for batch in page.letters.chunks(work.batch_size()) {
            let ids: Vec<_> = batch.iter().map(|letter| letter.id()).collect();
            let options = ReplayOptions::default().up_to(query.up_to);
            work.take(&ids, options, terminal).await?;
            query.after = batch.last().map(|letter| letter.position).or(query.after);
        }
        match page.next {
            Some(next) => query.after = Some(next),
            None => return Ok(()),
        }
    }
}

/// Does it to some jobs, and says of each what became of it.
async fn act_on(
    call: Call<'_>,
    act: Act,
    ids: &[JobId],
    options: ReplayOptions,
) -> Result<Vec<Outcome>, QueueError> {
    match act {
        Act::Discard => {
            let answers = call.store.discard(call.queue, ids).await?;
            let done = |was_dead| {
                if was_dead {
                    Outcome::Done
                } else {
                    Outcome::NotDead
                }
            };
            Ok(answers.into_iter().map(done).collect())
        }
        Act::Replay { force } => {
            let options = options.force(force);
            let answers = call.store.replay(call.queue, ids, options).await?;
            let done = |answer| match answer {
                Replayed::Ready => Outcome::Done,
                Replayed::Superseded(by) => Outcome::Superseded(by),
                _ => Outcome::NotDead,
            };
            Ok(answers.into_iter().map(done).collect())
        }
    }
}

/// Why a run ended before its end.
#[derive(Debug)]
enum Stop {
    Interrupted,
    Store(QueueError),
}

impl From<QueueError> for Stop {
    fn from(error: QueueError) -> Self {
        Self::Store(error)
    }
}

/// Says how far it came and how to go on.
fn stopped(
    stop: Stop,
    tally: Tally,
    planned: usize,
    act: Act,
    resume: &Resume,
    terminal: &mut Terminal<'_>,
) -> Failure {
    let (why, failure) = match stop {
        Stop::Interrupted => ("interrupted", Failure::Interrupted),
        Stop::Store(error) => ("the store failed", Failure::Store(error)),
    };
    let (done, seen) = (tally.done, tally.seen());
    let act = act.done();
    terminal.say(&format!(
        "{why} after {seen} of {planned}: {done} {act}; to go on:"
    ));
    terminal.say(&format!("  {resume}"));
    failure
}

fn all_done(tally: Tally, planned: usize) -> Result<(), Failure> {
    if tally.done < planned {
        return Err(Failure::NotDone);
    }
    Ok(())
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters.clone()).collect()
}
