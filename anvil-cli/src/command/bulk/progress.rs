use std::time::Duration;

use tokio::time::Instant;

use crate::terminal::Terminal;

/// Says how far a run is: often in one line on a screen, now and then in a new line elsewhere.
#[derive(Debug)]
pub(super) struct Progress {
    next: Instant,
    every: Duration,
    in_place: bool,
    drawn: bool,
}

impl Progress {
    /// `lines` says that data is written as it comes; on the same screen it leaves no room for a
    /// line that is rewritten.
    pub(super) fn new(lines: bool, terminal: &Terminal<'_>) -> Self {
        let in_place = terminal.words_on_screen() && !(lines && terminal.data_on_screen());
        let every = if in_place { ON_SCREEN } else { ELSEWHERE };
        Self {
            next: Instant::now() + every,
            every,
            in_place,
            drawn: false,
        }
    }

    pub(super) fn show(&mut self, text: &str, terminal: &mut Terminal<'_>) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + self.every;
        if self.in_place {
            terminal.rewrite(text);
            self.drawn = true;
        } else {
            terminal.say(text);
        }
    }

    /// Takes the line away, so that another can be written.
    pub(super) fn clear(&mut self, terminal: &mut Terminal<'_>) {
        if std::mem::take(&mut self.drawn) {
            terminal.rewrite("");
        }
    }
}

const ON_SCREEN: Duration = Duration::from_millis(100);
const ELSEWHERE: Duration = Duration::from_secs(10);
