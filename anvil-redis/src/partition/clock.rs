use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The queue's time as far as this process knows without asking: what the server said last,
/// carried on. The server judges every guess, so nothing depends on it.
#[derive(Default)]
pub(super) struct Clock(Mutex<Option<Heard>>);

#[derive(Clone, Copy)]
struct Heard {
    micros: u64,
    at: Instant,
}

impl Clock {
    /// Microseconds, late by about what an answer takes; zero before the first answer.
    pub(super) fn guess(&self) -> u64 {
        let heard = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        heard.map_or(0, |Heard { micros, at }| {
            let since = u64::try_from(at.elapsed().as_micros()).unwrap_or(u64::MAX);
            micros.saturating_add(since)
        })
    }

    pub(super) fn hear(&self, micros: u64) {
        let at = Instant::now();
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *heard = Some(Heard { micros, at });
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_guess_is_what_was_heard_last_carried_on() {
        let clock = Clock::default();
        assert_eq!(clock.guess(), 0);
        clock.hear(5_000_000);
        sleep(Duration::from_millis(5));
        assert!((5_005_000..6_000_000).contains(&clock.guess()));
        clock.hear(1_000);
        assert!(clock.guess() < 1_000_000, "an earlier time counts too");
    }
}
