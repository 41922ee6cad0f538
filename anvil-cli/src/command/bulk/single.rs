use anvil_queue::{JobId, ReplayOptions};

use super::report::{self, Outcome};
use super::resume::Resume;
use super::work::Work;
use super::{Act, all_done, stopped};
use crate::args::Bulk;
use crate::command::{Call, distinct};
use crate::exit::Failure;
use crate::terminal::Terminal;

/// Acts on the jobs with these ids. Whoever names them has chosen, so nobody is asked.
pub(super) async fn run(
    call: Call<'_>,
    act: Act,
    bulk: &Bulk,
    ids: &[JobId],
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    let ids = distinct(ids);
    if bulk.dry_run {
        return rehearse(call, act, &ids, terminal).await;
    }
    let mut work = Work::new(call, act, bulk, ids.len(), terminal);
    let mut answers = Vec::new();
    let mut ended = Ok(());
    for batch in ids.chunks(work.batch_size()) {
        match work.take(batch, ReplayOptions::default(), terminal).await {
            Ok(done) => answers.extend(batch.iter().copied().zip(done)),
            Err(stop) => {
                ended = Err(stop);
                break;
            }
        }
    }
    let tally = work.end(terminal);
    report::each(&answers, act, call.cli.output, terminal)?;
    if let Err(stop) = ended {
        let left = &ids[answers.len()..];
        let resume = Resume::new(call, act, bulk).with_ids(left);
        return Err(stopped(stop, tally, ids.len(), act, &resume, terminal));
    }
    all_done(tally, ids.len())
}

/// Says of each job whether it is there to be acted upon.
async fn rehearse(
    call: Call<'_>,
    act: Act,
    ids: &[JobId],
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    let mut answers = Vec::new();
    for id in ids {
        let dead = call.store.get_dead(call.queue, *id).await?.is_some();
        answers.push((
            *id,
            if dead {
                Outcome::Planned
            } else {
                Outcome::NotDead
            },
        ));
    }
    report::each(&answers, act, call.cli.output, terminal)?;
    terminal.say("a dry run: nothing was done");
    if answers.iter().any(|(_, done)| *done == Outcome::NotDead) {
        return Err(Failure::NotDone);
    }
    Ok(())
}
