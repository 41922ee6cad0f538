use std::fmt;

use anvil_queue::QueueStats;

/// What became of all deliveries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Accounting {
    pub(crate) accepted: u64,
    pub(crate) duplicates: u64,
    pub(crate) refused: u64,
    pub(crate) done: u64,
    pub(crate) dead: u64,
    pub(crate) replayed: u64,
    /// Jobs that are neither done nor discarded.
    pub(crate) left: u64,
}

impl Accounting {
    pub(crate) fn new(stats: &QueueStats, refused: u64) -> Self {
        Self {
            accepted: stats.totals.accepted,
            duplicates: stats.totals.duplicates,
            refused,
            done: stats.totals.completed,
            dead: stats.totals.buried,
            replayed: stats.totals.replayed,
            left: (stats.open() + stats.dead) as u64,
        }
    }

    /// The lines of the account beside what they should be.
    pub(crate) fn compared_with(self, expected: Self) -> Comparison {
        Comparison {
            actual: self,
            expected,
        }
    }

    fn lines(self) -> [(&'static str, u64); 7] {
        let Self {
            accepted,
            duplicates,
            refused,
            done,
            dead,
            replayed,
            left,
        } = self;
        [
            ("accepted", accepted),
            ("duplicates", duplicates),
            ("refused", refused),
            ("done", done),
            ("dead", dead),
            ("replayed", replayed),
            ("left over", left),
        ]
    }
}

pub(crate) struct Comparison {
    actual: Accounting,
    expected: Accounting,
}

impl Comparison {
    pub(crate) fn is_right(&self) -> bool {
        self.actual == self.expected
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "   {:<12}{:>8}{:>12}", "", "counted", "should be")?;
        let expected = self.expected.lines();
        for ((name, actual), (_, expected)) in self.actual.lines().into_iter().zip(expected) {
            let mark = if actual == expected { "" } else { "   WRONG" };
            writeln!(f, "   {name:<12}{actual:>8}{expected:>12}{mark}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPECTED: Accounting = Accounting {
        accepted: 3,
        duplicates: 6,
        refused: 2,
        done: 3,
        dead: 1,
        replayed: 1,
        left: 0,
    };

    #[test]
    fn one_wrong_line_makes_the_account_wrong_and_is_marked() {
        assert!(EXPECTED.compared_with(EXPECTED).is_right());
        let actual = Accounting {
            done: 2,
            left: 1,
            ..EXPECTED
        };
        let comparison = actual.compared_with(EXPECTED);
        assert!(!comparison.is_right());
        let wrong: Vec<_> = comparison
            .to_string()
            .lines()
            .filter(|line| line.ends_with("WRONG"))
            .filter_map(|line| line.split_whitespace().next())
            .map(str::to_owned)
            .collect();
        assert_eq!(wrong, ["done", "left"]);
    }
}
