//! Deliveries at a constant rate, whether or not the answers come.
//!
//! `bench-open-loop --address A --requests FILE --length N --rate N --seconds N` sends the first
//! requests of the file over 64 connections, each request at its time, and prints `sent=`,
//! `refused=`, `p50_ms=`, `p99_ms=`, `p999_ms=` and `max_ms=`. An answer is timed from when its
//! request was due: where a connection is still held up by an earlier one, the wait counts.

use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anvil_benches::options;
use anvil_benches::timing::{millis, quantile};

fn main() -> ExitCode {
    let args = options::args();
    let names = ["--address", "--requests", "--length", "--rate", "--seconds"];
    let Some([address, file, length, rate, seconds]) = options::values(&args, names) else {
        eprintln!(
            "usage: bench-open-loop --address A --requests FILE --length N --rate N --seconds N"
        );
        return ExitCode::from(2);
    };
    match measure(address, file, [length, rate, seconds]) {
        Ok(figures) => {
            println!("{figures}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("bench-open-loop: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(address: &str, file: &str, numbers: [&str; 3]) -> Result<String, Box<dyn Error>> {
    let [length, rate, seconds] = numbers.map(str::parse::<usize>);
    let (length, rate) = (length?, rate?);
    let count = rate * seconds?;
    let mut requests = vec![0; count * length];
    File::open(file)?.read_exact(&mut requests)?;
    let plan = Arc::new(Plan {
        requests,
        length,
        interval: Duration::from_secs(1) / u32::try_from(rate)?,
    });

    let connections: Result<Vec<_>, _> = (0..CONNECTIONS)
        .map(|_| {
            let stream = TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(ANSWER_LIMIT))?;
            io::Result::Ok(BufReader::new(stream))
        })
        .collect();
    let start = Instant::now() + Duration::from_millis(100);
    let threads: Vec<_> = connections?
        .into_iter()
        .enumerate()
        .map(|(place, stream)| {
            let plan = Arc::clone(&plan);
            thread::spawn(move || plan.send(start, place, stream))
        })
        .collect();

    let (mut took, mut refused) = (Vec::with_capacity(count), 0);
    for thread in threads {
        let sent = thread.join().map_err(|_| "a connection panicked")??;
        took.extend(sent.took);
        refused += sent.refused;
    }
    let [p50, p99, p999, max] =
        [0.5, 0.99, 0.999, 1.0].map(|share| millis(quantile(&mut took, share)));
    Ok(format!(
        "sent={} refused={refused} p50_ms={p50:.3} p99_ms={p99:.3} p999_ms={p999:.3} \
         max_ms={max:.3}",
        took.len()
    ))
}

/// What is sent when.
struct Plan {
    requests: Vec<u8>,
    length: usize,
    interval: Duration,
}

impl Plan {
    /// Sends every 64th request, each at its time or, where the answer before is late, after it.
    fn send(
        &self,
        start: Instant,
        place: usize,
        mut stream: BufReader<TcpStream>,
    ) -> io::Result<Sent> {
        let mut sent = Sent::default();
        let requests = self.requests.chunks_exact(self.length);
        for (number, request) in requests.enumerate().skip(place).step_by(CONNECTIONS) {
            let due = start + self.interval * number as u32;
            thread::sleep(due.saturating_duration_since(Instant::now()));
            stream.get_mut().write_all(request)?;
            let status = read_answer(&mut stream)?;
            sent.took.push(due.elapsed());
            sent.refused += u32::from(!(200..300).contains(&status));
        }
        Ok(sent)
    }
}

#[derive(Default)]
struct Sent {
    took: Vec<Duration>,
    /// Answers outside 200 to 299.
    refused: u32,
}

/// Reads one answer to its end and returns its status.
fn read_answer(stream: &mut impl io::BufRead) -> io::Result<u16> {
    let bad = |what: &str| io::Error::other(format!("the answer has {what}"));
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
    let status = status.ok_or_else(|| bad("no status"))?;
    let mut length = None;
    loop {
        line.clear();
        stream.read_line(&mut line)?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
    let length: u64 = length.ok_or_else(|| bad("no length"))?;
    io::copy(&mut stream.take(length), &mut io::sink())?;
    Ok(status)
}

const CONNECTIONS: usize = 64;
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_where_its_length_says() {
        let text = "HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 503 X\r\n\
                    content-length: 0\r\n\r\n";
        let mut stream = text.as_bytes();
        assert_eq!(read_answer(&mut stream).unwrap(), 202);
        assert_eq!(read_answer(&mut stream).unwrap(), 503);
    }

    #[test]
    fn an_answer_without_a_length_is_an_error() {
        assert!(read_answer(&mut "HTTP/1.1 202 Accepted\r\n\r\n".as_bytes()).is_err());
    }
}
