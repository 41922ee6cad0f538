//! A server under load: started, asked for its counts, stopped.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::figures::Figures;
use crate::error::Error;
use crate::process::cannot_start;

/// A running server; it is stopped when this is dropped.
#[derive(Debug)]
pub(super) struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    /// Starts it with `--port` and a free port, and waits until it says that it listens.
    pub(super) fn start(command: &mut Command) -> Result<Self, Error> {
        let address = free_address()?;
        command
            .args(["--port", &address.port().to_string()])
            .stdout(Stdio::piped());
        let process = command
            .spawn()
            .map_err(|error| cannot_start(command, &error))?;
        let mut server = Self { process, address };
        server.wait_until_listening()?;
        Ok(server)
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What `GET /counts` answers.
    pub(super) fn counts(&self) -> Result<Figures, Error> {
        let answer = self
            .get_counts()
            .map_err(|error| Error::unusable(format!("the server gives no counts: {error}")))?;
        Figures::parse(&answer)
    }

    fn wait_until_listening(&mut self) -> Result<(), Error> {
        let Some(output) = self.process.stdout.take() else {
            return Err(Error::unusable("the server has no standard output"));
        };
        let (announce, announced) = mpsc::channel();
        // The thread reads on, so that a server that goes on printing is never held up.
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if line.trim() == "listening" {
                    // The starter may have given up by now.
                    let _ = announce.send(());
                }
            }
        });
        announced.recv_timeout(START_LIMIT).map_err(|error| {
            Error::unusable(match error {
                RecvTimeoutError::Timeout => "the server did not print `listening` in time",
                RecvTimeoutError::Disconnected => "the server ended without printing `listening`",
            })
        })
    }

    fn get_counts(&self) -> std::io::Result<String> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(ANSWER_LIMIT))?;
        stream
            .write_all(b"GET /counts HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Either fails only where the process has already ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A port that nobody listens on now.
pub(super) fn free_address() -> Result<SocketAddr, Error> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map_err(|error| Error::unusable(format!("no free port: {error}")))
}

const START_LIMIT: Duration = Duration::from_secs(20);
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script, "server"]);
        command
    }

    #[test]
    fn a_server_counts_as_started_once_it_says_so() {
        let server = Server::start(&mut shell("echo warming; echo listening; exec cat")).unwrap();
        assert!(server.address().port() > 0);
    }

    #[test]
    fn a_server_that_ends_early_is_an_error() {
        let error = Server::start(&mut shell("echo no; exit 3")).unwrap_err();
        assert!(error.to_string().contains("ended without"), "{error}");
    }
}
