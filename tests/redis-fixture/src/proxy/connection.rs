//! One connection through the proxy.
//!
//! Three threads serve it: one reads commands, one reads replies, one writes replies when they are
//! due. The second knows by a list what each reply answers, since a server answers in order.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use super::Fault;
use super::frame;
use super::shared::Shared;
use crate::reply::Reply;

/// Serves a client until one side closes or the connection is cut.
pub(super) fn serve(client: TcpStream, shared: &Shared) -> io::Result<()> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, shared.target()))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_server, to_client) = (server.try_clone()?, client.try_clone()?);
    let (outgoing, due) = channel();
    let connection = Connection {
        shared,
        id: shared.open([client.try_clone()?, server.try_clone()?]),
        line: Mutex::new(Line {
            awaited: VecDeque::new(),
            speech: Speech::Commands,
            outgoing,
        }),
    };
    thread::scope(|scope| {
        scope.spawn(|| connection.ending(|| connection.pass_replies(from_server)));
        scope.spawn(|| connection.ending(|| connection.write(to_client, due)));
        connection.ending(|| connection.pass_commands(client, server));
    });
    Ok(())
}

struct Connection<'a> {
    shared: &'a Shared,
    id: u64,
    line: Mutex<Line>,
}

/// What is on its way back to the client.
struct Line {
    /// One entry for each command without a reply yet, the oldest first.
    awaited: VecDeque<Awaited>,
    speech: Speech,
    outgoing: Sender<Outgoing>,
}

enum Awaited {
    /// The server will send it; then this happens to it.
    FromServer(Option<Fault>),
    /// The proxy has it already.
    Known(Vec<u8>),
}

#[derive(Clone, Copy, PartialEq)]
enum Speech {
    /// Every command has one reply.
    Commands,
    /// The server speaks unasked.
    Messages,
    /// Not the protocol of Redis.
    Opaque,
}

struct Outgoing {
    bytes: Vec<u8>,
    due: Instant,
    then_end: bool,
}

impl Connection<'_> {
    /// Ends the whole connection when one of its directions has ended.
    fn ending(&self, direction: impl FnOnce() -> io::Result<()>) {
        // An error is a connection that ended, which is what both sides see.
        let _ = direction();
        self.shared.close(self.id);
        self.line().put(Vec::new(), Instant::now(), true);
    }

    fn pass_commands(&self, client: TcpStream, mut server: TcpStream) -> io::Result<()> {
        let mut client = BufReader::new(client);
        if !client.fill_buf()?.starts_with(b"*") {
            self.line().speech = Speech::Opaque;
        }
        while let Some(bytes) = self.read(&mut client)? {
            if !self.shared.may_pass() {
                return Ok(());
            }
            match self.fault_for(&bytes) {
                Some(Fault::LoseRequest) => return Ok(()),
                Some(Fault::Answer(error)) => {
                    let mut line = self.line();
                    let error = format!("-{error}\r\n").into_bytes();
                    line.awaited.push_back(Awaited::Known(error));
                    self.put_what_is_known(&mut line);
                }
                fault => {
                    // Noted first: the reply may be there before the next line is reached.
                    self.line().awaited.push_back(Awaited::FromServer(fault));
                    server.write_all(&bytes)?;
                }
            }
        }
        Ok(())
    }

    fn pass_replies(&self, server: TcpStream) -> io::Result<()> {
        let mut server = BufReader::new(server);
        while let Some(bytes) = self.read(&mut server)? {
            let mut line = self.line();
            match line.fault_of(&bytes) {
                Some(Fault::LoseReply) => line.put(Vec::new(), self.due(), true),
                Some(Fault::CutReplyAfter(length)) => {
                    let start = bytes[..length.min(bytes.len())].to_vec();
                    line.put(start, self.due(), true);
                }
                _ => line.put(self.renamed(bytes), self.due(), false),
            }
            self.put_what_is_known(&mut line);
        }
        Ok(())
    }

    fn write(&self, mut client: TcpStream, due: Receiver<Outgoing>) -> io::Result<()> {
        for outgoing in due {
            thread::sleep(outgoing.due.saturating_duration_since(Instant::now()));
            if !self.shared.may_pass() {
                break;
            }
            client.write_all(&outgoing.bytes)?;
            if outgoing.then_end {
                break;
            }
        }
        Ok(())
    }

    /// The next command or reply, or what there is of bytes that are neither.
    fn read(&self, stream: &mut BufReader<TcpStream>) -> io::Result<Option<Vec<u8>>> {
        // What is spoken is known only when the first bytes are there.
        let available = stream.fill_buf()?.len();
        if available == 0 {
            return Ok(None);
        }
        if self.line().speech != Speech::Opaque {
            return frame::read(stream).map(Some);
        }
        let bytes = stream.buffer().to_vec();
        stream.consume(available);
        Ok(Some(bytes))
    }

    /// What is to happen to a command.
    fn fault_for(&self, bytes: &[u8]) -> Option<Fault> {
        if self.line().speech != Speech::Commands {
            return None;
        }
        let Ok(Reply::Array(words)) = Reply::read(&mut &bytes[..]) else {
            return None;
        };
        let Some(Reply::Bulk(name)) = words.first() else {
            return None;
        };
        if UNASKED
            .iter()
            .any(|command| command.eq_ignore_ascii_case(name))
        {
            self.line().speech = Speech::Messages;
            return None;
        }
        self.shared.take_fault(name)
    }

    fn put_what_is_known(&self, line: &mut Line) {
        while let Some(Awaited::Known(_)) = line.awaited.front() {
            if let Some(Awaited::Known(bytes)) = line.awaited.pop_front() {
                line.put(bytes, self.due(), false);
            }
        }
    }

    fn renamed(&self, bytes: Vec<u8>) -> Vec<u8> {
        let (from, to) = self.shared.renaming();
        match bytes
            .strip_prefix(b"-")
            .and_then(|error| error.strip_prefix(from.as_bytes()))
        {
            Some(rest) if !from.is_empty() => [b"-", to.as_bytes(), rest].concat(),
            _ => bytes,
        }
    }

    fn due(&self) -> Instant {
        Instant::now() + self.shared.delay()
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    /// What is to happen to a reply.
    fn fault_of(&mut self, reply: &[u8]) -> Option<Fault> {
        // A push of the third version of the protocol answers nothing.
        if self.speech != Speech::Commands || reply.starts_with(b">") {
            return None;
        }
        match self.awaited.pop_front() {
            Some(Awaited::FromServer(fault)) => fault,
            _ => None,
        }
    }

    fn put(&self, bytes: Vec<u8>, due: Instant, then_end: bool) {
        // Fails only when the writer has ended, and the connection with it.
        let _ = self.outgoing.send(Outgoing {
            bytes,
            due,
            then_end,
        });
    }
}

/// The commands after which a server speaks unasked.
const UNASKED: &[&[u8]] = &[
    b"MONITOR",
    b"PSUBSCRIBE",
    b"PSYNC",
    b"SSUBSCRIBE",
    b"SUBSCRIBE",
    b"SYNC",
];
