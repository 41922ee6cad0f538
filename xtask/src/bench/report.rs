//! `benches/REPORT.md`: one section a benchmark, the newest figures of each.

use std::path::PathBuf;
use std::process::Command;
use std::{fs, io};

use super::measure::{Figure, Measure, Samples};
use super::stats::{median, range};
use super::{SUITES, Suite};
use crate::error::Error;
use crate::process::{output, root};

/// The report, as sections.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// The name of a benchmark, and its section from the heading on.
    sections: Vec<(String, String)>,
}

impl Report {
    /// The report of earlier runs, or an empty one.
    pub(super) fn load() -> Result<Self, Error> {
        match fs::read_to_string(path()) {
            Ok(text) => Ok(Self::parse(&text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Error::unusable(format!("cannot read the report: {error}"))),
        }
    }

    /// Puts the figures of a benchmark in the place of its earlier ones.
    pub(super) fn replace(&mut self, suite: &Suite, machine: &Machine, measures: &[Measure]) {
        self.sections.retain(|(name, _)| name != suite.name);
        self.sections
            .push((suite.name.to_owned(), section(suite, machine, measures)));
        let place = |name: &str| SUITES.iter().position(|suite| suite.name == name);
        self.sections.sort_by_key(|(name, _)| place(name));
    }

    pub(super) fn save(&self) -> Result<(), Error> {
        fs::write(path(), self.render())
            .map_err(|error| Error::unusable(format!("cannot write the report: {error}")))
    }

    fn parse(text: &str) -> Self {
        let mut sections: Vec<(String, String)> = Vec::new();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("## ") {
                sections.push((name.to_owned(), String::new()));
            }
            // What stands before the first heading is written anew.
            if let Some((_, section)) = sections.last_mut() {
                section.push_str(line);
                section.push('\n');
            }
        }
        for (_, section) in &mut sections {
            section.truncate(section.trim_end().len());
        }
        Self { sections }
    }

    fn render(&self) -> String {
        let sections: String = self
            .sections
            .iter()
            .map(|(_, section)| format!("\n{section}\n"))
            .collect();
        format!("{PREAMBLE}{sections}")
    }
}

/// Where and when figures were taken.
#[derive(Debug)]
pub(super) struct Machine {
    date: String,
    processor: String,
    cores: usize,
    kernel: String,
    compiler: String,
}

impl Machine {
    /// This machine, today.
    pub(super) fn read() -> Result<Self, Error> {
        let line = |command: &mut Command| output(command).map(|text| text.trim().to_owned());
        let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Ok(Self {
            date: line(Command::new("date").args(["-u", "+%Y-%m-%d"]))?,
            processor: processor(&processors).to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            kernel: line(Command::new("uname").arg("-sr"))?,
            compiler: line(Command::new("rustc").current_dir(root()).arg("--version"))?,
        })
    }
}

fn path() -> PathBuf {
    root().join("benches/REPORT.md")
}

/// The name of the first processor in `/proc/cpuinfo`.
fn processor(listing: &str) -> &str {
    let model = listing.lines().find(|line| line.starts_with("model name"));
    model
        .and_then(|line| line.split_once(':'))
        .map_or("unknown processor", |(_, name)| name.trim())
}

fn section(suite: &Suite, machine: &Machine, measures: &[Measure]) -> String {
    let Suite { name, about, .. } = suite;
    let Machine {
        date,
        processor,
        cores,
        kernel,
        compiler,
    } = machine;
    let rows: String = measures.iter().map(row).collect();
    format!(
        "## {name}\n\n\
         Measured: {about}.\n\n\
         Command: `cargo xtask bench {name}`, {date}, on {processor}, {cores} cores, {kernel}, \
         {compiler}.\n\n\
         | | ours | other | each run | judged | range | bar | verdict |\n\
         |---|---|---|---|---|---|---|---|\n\
         {}",
        rows.trim_end()
    )
}

fn row(measure: &Measure) -> String {
    let figures = measure.figures();
    let (low, high) = range(&figures);
    let middle = Figure(median(&figures));
    let amount = |figures: &[f64]| format!("{} {}", Figure(median(figures)), measure.unit());
    let (ours, floor, judged) = match measure.samples() {
        Samples::Pairs(pairs) => {
            let ours: Vec<f64> = pairs.iter().map(|pair| pair.ours).collect();
            let floor: Vec<f64> = pairs.iter().map(|pair| pair.floor).collect();
            (
                amount(&ours),
                amount(&floor),
                format!("median ratio {middle}"),
            )
        }
        Samples::Runs(runs) => (amount(runs), "–".to_owned(), format!("median {middle}")),
        Samples::EachRun(runs) => (amount(runs), "–".to_owned(), "each run".to_owned()),
    };
    let each: Vec<String> = figures
        .iter()
        .map(|figure| Figure(*figure).to_string())
        .collect();
    format!(
        "| {} | {ours} | {floor} | {} | {judged} | {}–{} | {} | {} |\n",
        measure.name(),
        each.join(", "),
        Figure(low),
        Figure(high),
        measure.bar(),
        measure.verdict(),
    )
}

const PREAMBLE: &str = "\
# Benchmark report

Written by `cargo xtask bench`; each section holds the newest figures of its benchmark. `ours` and
`other` are medians. Where the two are compared, they run in alternating pairs, a fresh process each
time, `each run` lists the ratio of every pair, and the bar is on the median of those ratios. A row
with `–` for its bar is told, not judged.
";

#[cfg(test)]
mod tests {
    use super::super::measure::{Bar, Side};
    use super::*;

    fn machine() -> Machine {
        Machine {
            date: "2025-01-31".to_owned(),
            processor: "Example 3000".to_owned(),
            cores: 2,
            kernel: "Linux 6.1.0".to_owned(),
            compiler: "rustc 1.95.0".to_owned(),
        }
    }

    fn comparison(ours: f64) -> Measure {
        let run = |side| Ok(if side == Side::Ours { ours } else { 400.0 });
        Measure::of_pairs("github, 340 B", "ns", Bar::AtMost(1.6), run).unwrap()
    }

    #[test]
    fn a_comparison_is_a_row_with_its_ratios_and_verdict() {
        let expected = "| github, 340 B | 500.0 ns | 400.0 ns | 1.250, 1.250, 1.250, 1.250, 1.250 | \
                        median ratio 1.250 | 1.250–1.250 | ≤ 1.6 | met |\n";
        assert_eq!(row(&comparison(500.0)), expected);
    }

    #[test]
    fn a_missed_bar_stands_out() {
        assert!(row(&comparison(800.0)).ends_with("| ≤ 1.6 | MISSED |\n"));
    }

    #[test]
    fn runs_that_stand_alone_have_no_floor() {
        let measure = Measure::of_each_run("memory", "MiB", Bar::Below(300.0), vec![210.0, 220.0]);
        let expected =
            "| memory | 215.0 MiB | – | 210.0, 220.0 | each run | 210.0–220.0 | < 300 | met |\n";
        assert_eq!(row(&measure), expected);
    }

    #[test]
    fn a_new_run_replaces_its_own_section_and_keeps_the_others_in_order() {
        let mut report = Report::default();
        report.replace(&SUITES[2], &machine(), &[comparison(500.0)]);
        report.replace(&SUITES[0], &machine(), &[comparison(800.0)]);
        let mut report = Report::parse(&report.render());
        report.replace(&SUITES[0], &machine(), &[comparison(500.0)]);

        let text = report.render();
        let headings: Vec<_> = text
            .lines()
            .filter(|line| line.starts_with("## "))
            .collect();
        assert_eq!(headings, ["## verify", "## worker-memory"]);
        assert!(!text.contains("MISSED"));
        assert_eq!(Report::parse(&text).render(), text);
    }

    #[test]
    fn a_section_says_where_and_when() {
        let text = section(&SUITES[0], &machine(), &[comparison(500.0)]);
        let place = "2025-01-31, on Example 3000, 2 cores, Linux 6.1.0, rustc 1.95.0.";
        assert!(text.contains(place), "{text}");
    }

    #[test]
    fn the_processor_is_the_model_name() {
        assert_eq!(
            processor("processor : 0\nmodel name\t: Example 3000\n"),
            "Example 3000"
        );
        assert_eq!(processor(""), "unknown processor");
    }
}
