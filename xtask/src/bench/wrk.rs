//! Load from `wrk`, every request different.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;

use super::figures::Figures;
use crate::error::Error;
use crate::process;

/// A file of complete requests of equal length, no two bodies alike.
#[derive(Debug)]
pub(super) struct Requests {
    pub(super) file: PathBuf,
    /// How many.
    pub(super) count: u64,
    /// The bytes of each.
    pub(super) length: u64,
}

impl Requests {
    /// Derives the length of a request from the size of the file.
    pub(super) fn of_file(file: PathBuf, size: u64, count: u64) -> Result<Self, Error> {
        match (size.checked_div(count), size.checked_rem(count)) {
            (Some(length), Some(0)) if length > 0 => Ok(Self {
                file,
                count,
                length,
            }),
            _ => Err(Error::unusable(format!(
                "{size} bytes are not {count} requests of one length"
            ))),
        }
    }

    /// Removes the file: some hundred megabytes that are quickly made again.
    pub(super) fn remove(self) -> Result<(), Error> {
        fs::remove_file(&self.file)
            .map_err(|error| Error::unusable(format!("cannot remove the requests: {error}")))
    }
}

/// What one run of `wrk` came to, with the server's own counts where it has any.
#[derive(Debug)]
pub(super) struct Load {
    requests: f64,
    seconds: f64,
    /// Answers of 400 and above.
    refused: f64,
    /// Connections that failed, timed out or broke.
    socket_errors: f64,
    /// Threads that had sent all of their slice before the time was up.
    exhausted: f64,
    counts: Option<Counts>,
    connections: u16,
}

impl Load {
    /// Sends requests for five seconds.
    pub(super) fn run(
        address: SocketAddr,
        requests: &Requests,
        connections: u16,
    ) -> Result<Self, Error> {
        let threads = threads();
        let mut command = Command::new("wrk");
        command
            .current_dir(process::root())
            .arg(format!("-t{threads}"))
            .arg(format!("-c{connections}"))
            .args(OPTIONS)
            .arg(format!("http://{address}/"));
        command.arg("--").arg(&requests.file);
        command.args([requests.length, requests.count, threads].map(|number| number.to_string()));
        let text =
            process::output(&mut command).map_err(|error| Error::unusable(error.to_string()))?;
        Self::parse(&text, connections)
    }

    /// Reads the line that `signed.lua` prints at the end of a run.
    fn parse(text: &str, connections: u16) -> Result<Self, Error> {
        let figures = Figures::parse(text)?;
        Ok(Self {
            requests: figures.positive("requests")?,
            seconds: figures.positive("duration_us")? / 1e6,
            refused: figures.get("status_errors")?,
            socket_errors: figures.get("socket_errors")?,
            exhausted: figures.get("exhausted")?,
            counts: None,
            connections,
        })
    }

    /// Adds what the server counted, to be held against what `wrk` saw.
    pub(super) fn add_counts(&mut self, counts: &Figures) -> Result<(), Error> {
        self.counts = Some(Counts {
            accepted: counts.get("accepted")?,
            duplicates: counts.get("duplicates")?,
            refused: counts.get("refused")?,
        });
        Ok(())
    }

    fn requests_per_second(&self) -> f64 {
        self.requests / self.seconds
    }

    /// The rate, or why this run does not count.
    pub(super) fn judged(&self) -> Result<f64, String> {
        match self.problem() {
            None => Ok(self.requests_per_second()),
            Some(problem) => Err(problem),
        }
    }

    fn problem(&self) -> Option<String> {
        let Self {
            requests,
            seconds: _,
            refused,
            socket_errors,
            exhausted,
            counts,
            connections,
        } = self;
        if *exhausted > 0.0 {
            return Some(format!(
                "{exhausted} threads ran out of requests; generate more"
            ));
        }
        if *refused > 0.0 {
            return Some(format!("{refused} answers were 400 or above"));
        }
        if *socket_errors > 0.0 {
            return Some(format!("{socket_errors} socket errors"));
        }
        let Counts {
            accepted,
            duplicates,
            refused,
        } = counts.as_ref()?;
        if *duplicates > 0.0 || *refused > 0.0 {
            return Some(format!(
                "the server counted {duplicates} duplicates, {refused} refused"
            ));
        }
        // What was under way when the time was up is accepted but not answered.
        if *accepted < *requests || *accepted > requests + f64::from(*connections) {
            return Some(format!(
                "the server accepted {accepted} of {requests} answered requests"
            ));
        }
        None
    }
}

/// The server's own counts.
#[derive(Debug)]
struct Counts {
    accepted: f64,
    duplicates: f64,
    refused: f64,
}

/// One thread of load for two cores: load and server share the machine, and a load that wants all
/// of it measures the scheduler.
fn threads() -> u64 {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    (cores / 2).clamp(1, 8)
}

const OPTIONS: [&str; 3] = ["-d5s", "-s", "benches/wrk/signed.lua"];

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
Running 5s test @ http://127.0.0.1:4000/
  2 threads and 50 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.14ms  322.01us   6.62ms   77.12%
Requests/sec:  39987.11
requests=320000 duration_us=8000000 status_errors=0 socket_errors=0 exhausted=0
";

    fn load(line: &str) -> Load {
        Load::parse(line, 50).unwrap()
    }

    #[test]
    fn the_rate_comes_from_the_line_of_the_script() {
        let load = load(OUTPUT);
        assert_eq!(load.requests_per_second(), 40_000.0);
        assert_eq!(load.problem(), None);
    }

    #[test]
    fn output_without_the_line_of_the_script_is_an_error() {
        assert!(Load::parse("Requests/sec:  39987.11\n", 50).is_err());
    }

    #[test]
    fn refusals_socket_errors_and_exhaustion_make_a_run_invalid() {
        for name in ["status_errors", "socket_errors", "exhausted"] {
            let line = OUTPUT.replace(&format!("{name}=0"), &format!("{name}=1"));
            assert!(load(&line).problem().is_some(), "{name}");
        }
    }

    #[test]
    fn a_duplicate_makes_a_run_invalid() {
        let mut load = load(OUTPUT);
        let counts = Figures::parse("accepted=320000 duplicates=1 refused=0").unwrap();
        load.add_counts(&counts).unwrap();
        assert!(load.problem().unwrap().contains("1 duplicates"));
    }

    #[test]
    fn the_server_may_have_accepted_what_was_still_under_way_but_no_less_and_no_more() {
        for (accepted, valid) in [
            (320_000, true),
            (320_050, true),
            (319_999, false),
            (320_051, false),
        ] {
            let mut load = load(OUTPUT);
            let counts = format!("accepted={accepted} duplicates=0 refused=0");
            load.add_counts(&Figures::parse(&counts).unwrap()).unwrap();
            assert_eq!(load.problem().is_none(), valid, "{accepted}");
        }
    }

    #[test]
    fn a_file_has_to_divide_into_its_requests() {
        assert_eq!(
            Requests::of_file("x".into(), 6_000, 10).unwrap().length,
            600
        );
        for (size, count) in [(6_001, 10), (0, 10), (6_000, 0)] {
            assert!(
                Requests::of_file("x".into(), size, count).is_err(),
                "{size}/{count}"
            );
        }
    }
}
