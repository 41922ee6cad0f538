use std::time::SystemTime;

use anvil_queue::{DeadLetter, DeadPosition, DeadQuery, QueueName};

use super::report::{self, Outcome};
use super::{Act, Call, PAGE};
use crate::args::{Bulk, Filter};
use crate::exit::Failure;
use crate::output::ago;
use crate::terminal::Terminal;

/// What would be acted upon: how many letters, and the oldest and the newest death among them.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) letters: usize,
    pub(super) ends: Option<(End, End)>,
}

/// One end of the deaths that match.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) position: DeadPosition,
    died_at: SystemTime,
}

impl Plan {
    /// Walks over the letters without touching them; `listed` writes each as a line.
    pub(super) async fn make(
        call: Call<'_>,
        act: Act,
        bulk: &Bulk,
        filter: &Filter,
        listed: bool,
        terminal: &mut Terminal<'_>,
    ) -> Result<Self, Failure> {
        let mut plan = Self::default();
        let mut left = bulk.limit.and_then(|limit| usize::try_from(limit).ok());
        let mut query = DeadQuery::new()
            .filter(filter.of_letters())
            .after(filter.after)
            .up_to(filter.up_to)
            .limit(PAGE);
        loop {
            let page = call.store.list_dead(call.queue, query.clone()).await?;
            // What dies while the plan is made is no part of it.
            query.up_to = query.up_to.or(page.newest);
            let counted = page.letters.len().min(left.unwrap_or(usize::MAX));
            for letter in &page.letters[..counted] {
                plan.add(letter);
                if listed {
                    let planned = (letter.id(), Outcome::Planned);
                    report::line(planned, act, call.cli.output, terminal)?;
                }
            }
            left = left.map(|left| left - counted);
            match page.next {
                Some(next) if left != Some(0) => query.after = Some(next),
                _ => return Ok(plan),
            }
        }
    }

    fn add(&mut self, letter: &DeadLetter) {
        let end = End {
            position: letter.position,
            died_at: letter.died_at,
        };
        self.letters += 1;
        self.ends = Some((self.ends.map_or(end, |(first, _)| first), end));
    }

    pub(super) fn say(
        &self,
        act: Act,
        queue: &QueueName,
        filter: &Filter,
        terminal: &mut Terminal<'_>,
    ) {
        let (verb, letters, words) = (act.verb(), self.letters, filter.in_words());
        let name = if letters == 1 { "letter" } else { "letters" };
        terminal.say(&format!(
            "{verb}: {letters} dead {name} of `{queue}`, {words}"
        ));
        if let Some((first, last)) = self.ends {
            for (name, end) in [("oldest", first), ("newest", last)] {
                let (died, position) = (ago(end.died_at), end.position);
                terminal.say(&format!("{name}: died {died}, position {position}"));
            }
        }
    }
}

impl End {
    /// The position a walk starts after to meet this end.
    pub(super) fn before(self) -> Option<DeadPosition> {
        self.position.get().checked_sub(1).map(DeadPosition::new)
    }
}
