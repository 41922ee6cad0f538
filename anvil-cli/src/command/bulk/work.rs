use std::pin::Pin;

use anvil_queue::{JobId, ReplayOptions};
use tokio::time::sleep_until;

use super::pace::Pace;
use super::progress::Progress;
use super::report::{self, Outcome, Tally};
use super::{Act, Call, Stop, act_on};
use crate::args::{Bulk, Format};
use crate::terminal::Terminal;

/// A run over many jobs: paced, interruptible between two calls, and telling how far it is.
pub(super) struct Work<'a> {
    call: Call<'a>,
    act: Act,
    planned: usize,
    pace: Pace,
    tally: Tally,
    progress: Progress,
    interrupt: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        call: Call<'a>,
        act: Act,
        bulk: &Bulk,
        planned: usize,
        terminal: &mut Terminal<'_>,
    ) -> Self {
        let lines = matches!(call.cli.output, Format::Jsonl | Format::Ids);
        Self {
            call,
            act,
            planned,
            pace: Pace::new(bulk.rate),
            tally: Tally::default(),
            progress: Progress::new(lines, terminal),
            interrupt: terminal.interrupt(),
        }
    }

    /// How many jobs [`take`](Self::take) takes at most.
    pub(super) fn batch_size(&self) -> usize {
        self.pace.batch_size()
    }

    /// Acts on some jobs in one call, when the pace allows it. Once interrupted, it makes no call.
    pub(super) async fn take(
        &mut self,
        ids: &[JobId],
        options: ReplayOptions,
        terminal: &mut Terminal<'_>,
    ) -> Result<Vec<Outcome>, Stop> {
        tokio::select! {
            biased;
            () = &mut self.interrupt => return Err(Stop::Interrupted),
            () = sleep_until(self.pace.next()) => {}
        }
        let answers = act_on(self.call, self.act, ids, options).await?;
        self.pace.took(ids.len());
        for (id, done) in ids.iter().zip(&answers) {
            self.account(*id, *done, terminal);
        }
        let (seen, planned) = (self.tally.seen(), self.planned);
        let (done, act) = (self.tally.done, self.act.done());
        let text = format!("{seen} of {planned}: {done} {act}");
        self.progress.show(&text, terminal);
        Ok(answers)
    }

    /// Ends the run and gives its counts.
    pub(super) fn end(mut self, terminal: &mut Terminal<'_>) -> Tally {
        self.progress.clear(terminal);
        self.tally
    }

    fn account(&mut self, id: JobId, done: Outcome, terminal: &mut Terminal<'_>) {
        self.tally.count(done);
        // A run that was agreed to goes on where nobody reads what it writes.
        let _ = report::line((id, done), self.act, self.call.cli.output, terminal);
        let why = match done {
            Outcome::Superseded(by) => format!("{id} was not replayed: its key belongs to {by}"),
            Outcome::NotDead => format!("{id} was not dead"),
            _ => return,
        };
        self.progress.clear(terminal);
        terminal.say(&why);
    }
}
