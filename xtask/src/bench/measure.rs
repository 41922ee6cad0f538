//! What was measured, and whether it meets its bar.

use std::fmt;

use super::stats::{median, range};
use crate::error::Error;

/// Runs of a comparison: fewer would let two bad ones decide.
pub(super) const RUNS: usize = 5;

/// One figure with a bar, from several runs.
#[derive(Debug)]
pub(super) struct Measure {
    name: String,
    unit: &'static str,
    samples: Samples,
    bar: Bar,
}

impl Measure {
    /// Runs ours and the floor in alternating pairs; the bar is on the ratio of ours to the floor.
    ///
    /// Which of the two goes first alternates as well, so that neither always finds the warmer
    /// machine.
    pub(super) fn of_pairs(
        name: impl Into<String>,
        unit: &'static str,
        bar: Bar,
        mut run: impl FnMut(Side) -> Result<f64, Error>,
    ) -> Result<Self, Error> {
        let name = name.into();
        let mut pairs = Vec::with_capacity(RUNS);
        for number in 1..=RUNS {
            let pair = if number % 2 == 1 {
                let ours = run(Side::Ours)?;
                Pair {
                    ours,
                    floor: run(Side::Floor)?,
                }
            } else {
                let floor = run(Side::Floor)?;
                Pair {
                    ours: run(Side::Ours)?,
                    floor,
                }
            };
            let (ours, floor, ratio) =
                (Figure(pair.ours), Figure(pair.floor), Figure(pair.ratio()));
            println!(
                "{name}: pair {number} of {RUNS}: ours {ours} {unit}, floor {floor} {unit}, ratio {ratio}"
            );
            pairs.push(pair);
        }
        Ok(Self::of_finished_pairs(name, unit, bar, pairs))
    }

    /// From pairs that were run elsewhere; the bar is on the ratio of ours to the other.
    pub(super) fn of_finished_pairs(
        name: impl Into<String>,
        unit: &'static str,
        bar: Bar,
        pairs: Vec<Pair>,
    ) -> Self {
        Self {
            name: name.into(),
            unit,
            samples: Samples::Pairs(pairs),
            bar,
        }
    }

    /// From the figures of runs that stand alone; the bar is on their median.
    pub(super) fn of_runs(
        name: impl Into<String>,
        unit: &'static str,
        bar: Bar,
        figures: Vec<f64>,
    ) -> Self {
        Self {
            name: name.into(),
            unit,
            samples: Samples::Runs(figures),
            bar,
        }
    }

    /// From the figures of runs that stand alone, each of which has to meet the bar.
    pub(super) fn of_each_run(
        name: impl Into<String>,
        unit: &'static str,
        bar: Bar,
        figures: Vec<f64>,
    ) -> Self {
        Self {
            name: name.into(),
            unit,
            samples: Samples::EachRun(figures),
            bar,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn unit(&self) -> &'static str {
        self.unit
    }

    pub(super) fn samples(&self) -> &Samples {
        &self.samples
    }

    pub(super) fn bar(&self) -> Bar {
        self.bar
    }

    /// The figure of each run that the bar is about: a ratio for pairs.
    pub(super) fn figures(&self) -> Vec<f64> {
        match &self.samples {
            Samples::Pairs(pairs) => pairs.iter().map(Pair::ratio).collect(),
            Samples::Runs(figures) | Samples::EachRun(figures) => figures.clone(),
        }
    }

    /// Whether the bar is met.
    pub(super) fn holds(&self) -> bool {
        let figures = self.figures();
        match &self.samples {
            Samples::Pairs(_) | Samples::Runs(_) => self.bar.holds(median(&figures)),
            Samples::EachRun(_) => {
                !figures.is_empty() && figures.iter().all(|figure| self.bar.holds(*figure))
            }
        }
    }

    /// `met`, `MISSED`, or `–` where there is no bar.
    pub(super) fn verdict(&self) -> &'static str {
        match self.bar {
            Bar::None => "–",
            _ if self.holds() => "met",
            _ => "MISSED",
        }
    }
}

/// One line: the name, the median, the range, the bar, the verdict.
impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figures = self.figures();
        let (low, high) = range(&figures);
        let (what, unit) = match self.samples {
            Samples::Pairs(_) => ("median ratio", ""),
            Samples::Runs(_) | Samples::EachRun(_) => ("median", self.unit),
        };
        let (name, bar, verdict) = (&self.name, self.bar, self.verdict());
        write!(f, "{name}: {what} {}", Figure(median(&figures)))?;
        write!(f, "{}{unit}", if unit.is_empty() { "" } else { " " })?;
        write!(
            f,
            " ({} to {}), bar {bar}: {verdict}",
            Figure(low),
            Figure(high)
        )
    }
}

/// Which program of a pair.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Side {
    Floor,
    Ours,
}

impl Side {
    /// The argument that tells a program which of the two to be.
    pub(super) fn argument(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Ours => "ours",
        }
    }
}

/// The runs behind a measure.
#[derive(Debug)]
pub(super) enum Samples {
    EachRun(Vec<f64>),
    Pairs(Vec<Pair>),
    Runs(Vec<f64>),
}

/// Ours and the floor, one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) ours: f64,
    pub(super) floor: f64,
}

impl Pair {
    fn ratio(&self) -> f64 {
        self.ours / self.floor
    }
}

/// What a figure has to be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bar {
    AtLeast(f64),
    AtMost(f64),
    Below(f64),
    Exactly(f64),
    /// The figure is told, not judged.
    None,
}

impl Bar {
    /// NaN meets no bar.
    fn holds(self, figure: f64) -> bool {
        match self {
            Self::AtLeast(bar) => figure >= bar,
            Self::AtMost(bar) => figure <= bar,
            Self::Below(bar) => figure < bar,
            Self::Exactly(bar) => figure == bar,
            Self::None => true,
        }
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(bar) => write!(f, "≥ {bar}"),
            Self::AtMost(bar) => write!(f, "≤ {bar}"),
            Self::Below(bar) => write!(f, "< {bar}"),
            Self::Exactly(bar) => write!(f, "= {bar}"),
            Self::None => f.write_str("–"),
        }
    }
}

/// A figure with as many decimals as its size makes worth reading.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figure(pub(super) f64);

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = match self.0.abs() {
            size if size >= 1_000.0 => 0,
            size if size >= 100.0 => 1,
            size if size >= 10.0 => 2,
            _ => 3,
        };
        write!(f, "{:.decimals$}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(bar: Bar, figures: &[(f64, f64)]) -> Measure {
        let mut ours = figures.iter().map(|pair| pair.0);
        let mut floor = figures.iter().map(|pair| pair.1);
        Measure::of_pairs("x", "ns", bar, |side| {
            Ok(match side {
                Side::Ours => ours.next().unwrap(),
                Side::Floor => floor.next().unwrap(),
            })
        })
        .unwrap()
    }

    #[test]
    fn the_bar_is_on_the_median_of_the_ratios_not_on_the_ratio_of_the_medians() {
        let figures = [
            (3.0, 3.0),
            (2.0, 2.0),
            (1.0, 1.0),
            (30.0, 10.0),
            (60.0, 20.0),
        ];
        let measure = pairs(Bar::AtMost(1.0), &figures);
        assert_eq!(measure.figures(), [1.0, 1.0, 1.0, 3.0, 3.0]);
        assert!(measure.holds());
    }

    #[test]
    fn each_of_a_pair_goes_first_in_turn() {
        let mut order = Vec::new();
        let run = |side| {
            order.push(side);
            Ok(1.0)
        };
        Measure::of_pairs("x", "ns", Bar::AtMost(1.0), run).unwrap();
        assert_eq!(
            order[..4],
            [Side::Ours, Side::Floor, Side::Floor, Side::Ours]
        );
        assert_eq!(order.len(), 2 * RUNS);
    }

    #[test]
    fn a_run_that_cannot_be_used_ends_the_comparison() {
        let run = |_| Err(Error::unusable("a duplicate"));
        assert!(Measure::of_pairs("x", "ns", Bar::AtMost(1.0), run).is_err());
    }

    #[test]
    fn one_bad_run_misses_where_each_run_counts() {
        let figures = vec![200.0, 199.0, 200.0];
        assert!(Measure::of_runs("x", "", Bar::Exactly(200.0), figures.clone()).holds());
        assert!(!Measure::of_each_run("x", "", Bar::Exactly(200.0), figures).holds());
    }

    #[test]
    fn no_figures_meet_no_bar() {
        assert!(!Measure::of_runs("x", "", Bar::AtMost(1.0), vec![]).holds());
        assert!(!Measure::of_each_run("x", "", Bar::AtMost(1.0), vec![]).holds());
    }

    #[test]
    fn without_a_bar_there_is_no_verdict() {
        let measure = Measure::of_runs("x", "ms", Bar::None, vec![1.0]);
        assert!(measure.holds());
        assert_eq!(measure.verdict(), "–");
    }

    #[test]
    fn bars_say_on_which_side_equality_falls() {
        assert!(Bar::AtMost(1.6).holds(1.6) && !Bar::AtMost(1.6).holds(1.601));
        assert!(Bar::AtLeast(0.8).holds(0.8) && !Bar::AtLeast(0.8).holds(0.799));
        assert!(Bar::Below(300.0).holds(299.9) && !Bar::Below(300.0).holds(300.0));
    }

    #[test]
    fn a_measure_reads_as_one_line() {
        let measure = pairs(Bar::AtMost(1.6), &[(3.0, 2.0); RUNS]);
        assert_eq!(
            measure.to_string(),
            "x: median ratio 1.500 (1.500 to 1.500), bar ≤ 1.6: met"
        );
        let measure = Measure::of_runs("rss", "MiB", Bar::Below(300.0), vec![311.0, 312.0]);
        assert_eq!(
            measure.to_string(),
            "rss: median 311.5 MiB (311.0 to 312.0), bar < 300: MISSED"
        );
    }
}
