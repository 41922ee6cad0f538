//! What Redis says about itself, over a connection of one command.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// One number of `INFO`, such as `used_memory` of the section `memory`.
///
/// # Errors
///
/// Where Redis does not answer or the answer has no such number.
pub fn info(url: &str, section: &str, field: &str) -> io::Result<f64> {
    let mut stream = connect(url)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    write!(stream, "INFO {section}\r\n")?;
    let mut answer = BufReader::new(stream);
    let mut head = String::new();
    answer.read_line(&mut head)?;
    let length = head
        .trim_end()
        .strip_prefix('$')
        .and_then(|length| length.parse().ok())
        .ok_or_else(|| io::Error::other(format!("INFO was answered {head:?}")))?;
    let mut text = vec![0; length];
    answer.read_exact(&mut text)?;
    number(&String::from_utf8_lossy(&text), field)
        .ok_or_else(|| io::Error::other(format!("INFO {section} has no {field}")))
}

/// The seconds of processor time that the main thread has used.
///
/// # Errors
///
/// As [`info`].
pub fn main_thread_seconds(url: &str) -> io::Result<f64> {
    let user = info(url, "cpu", "used_cpu_user_main_thread")?;
    Ok(user + info(url, "cpu", "used_cpu_sys_main_thread")?)
}

/// The memory in use, once it has stopped falling: what is unlinked is freed later.
///
/// # Errors
///
/// As [`info`].
pub fn settled_memory(url: &str) -> io::Result<f64> {
    let mut last = info(url, "memory", "used_memory")?;
    loop {
        std::thread::sleep(Duration::from_millis(500));
        let now = info(url, "memory", "used_memory")?;
        if now >= last * 0.999 {
            return Ok(now);
        }
        last = now;
    }
}

/// How many commands clients send in this time. What a script calls is not counted.
///
/// # Errors
///
/// Where Redis does not answer.
pub fn commands_sent(url: &str, during: Duration) -> io::Result<u64> {
    let mut stream = connect(url)?;
    stream.write_all(b"MONITOR\r\n")?;
    let mut lines = BufReader::new(stream);
    let mut line = Vec::new();
    lines.read_until(b'\n', &mut line)?;
    if line != b"+OK\r\n" {
        return Err(io::Error::other("MONITOR was refused"));
    }
    let end = Instant::now() + during;
    let mut count = 0;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(count);
        }
        lines.get_ref().set_read_timeout(Some(left))?;
        line.clear();
        match lines.read_until(b'\n', &mut line) {
            Ok(0) => return Err(io::Error::other("Redis closed the connection")),
            Ok(_) if !is_of_a_script(&line) => count += 1,
            Ok(_) => {}
            Err(error) if is_timeout(&error) => return Ok(count),
            Err(error) => return Err(error),
        }
    }
}

fn connect(url: &str) -> io::Result<TcpStream> {
    let address = url
        .strip_prefix("redis://")
        .ok_or_else(|| io::Error::other(format!("{url} is no redis:// URL")))?;
    TcpStream::connect(address)
}

fn number(text: &str, field: &str) -> Option<f64> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| *name == field)
        .and_then(|(_, value)| value.trim().parse().ok())
}

/// `+1339518083.107412 [0 lua] "get" "x"` is what a script called.
fn is_of_a_script(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    line.split('"')
        .next()
        .is_some_and(|head| head.contains(" lua]"))
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let text = "# Memory\r\nused_memory_rss:9\r\nused_memory:1048576\r\n";
        assert_eq!(number(text, "used_memory"), Some(1_048_576.0));
        assert_eq!(number(text, "memory"), None);
    }

    #[test]
    fn what_a_script_calls_is_told_from_what_a_client_sends() {
        assert!(is_of_a_script(b"+1.5 [0 lua] \"hget\" \"k\"\r\n"));
        assert!(!is_of_a_script(
            b"+1.5 [0 127.0.0.1:5] \"set\" \"[0 lua]\"\r\n"
        ));
    }
}
