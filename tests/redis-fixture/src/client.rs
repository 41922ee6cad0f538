//! A blocking connection that sends commands, for what the tests themselves ask a server.

use std::fmt;
use std::io::{self, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use crate::reply::Reply;

/// A connection to a server on 127.0.0.1 that sends one command at a time.
///
/// It gives up connecting after 1 s and waiting for a reply after 5 s.
pub struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    /// Connects to a port of 127.0.0.1.
    ///
    /// # Errors
    ///
    /// Fails where nobody listens.
    pub fn connect(port: u16) -> io::Result<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        stream.set_write_timeout(Some(Duration::from_secs(5)))?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    /// Sends a command and returns its reply, which may be [`Reply::Error`].
    ///
    /// # Errors
    ///
    /// Fails when the connection does; it can't be used again after that.
    pub fn command<W: AsRef<[u8]>>(&mut self, words: &[W]) -> io::Result<Reply> {
        self.send(words)?;
        self.receive()
    }

    /// Sends a command without waiting for its reply.
    ///
    /// # Errors
    ///
    /// Fails when the connection does.
    pub fn send<W: AsRef<[u8]>>(&mut self, words: &[W]) -> io::Result<()> {
        let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
        for word in words {
            let word = word.as_ref();
            bytes.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
            bytes.extend_from_slice(word);
            bytes.extend_from_slice(b"\r\n");
        }
        self.stream.get_mut().write_all(&bytes)
    }

    /// Waits for the next reply.
    ///
    /// # Errors
    ///
    /// Fails when the connection does, and after 5 s without a byte.
    pub fn receive(&mut self) -> io::Result<Reply> {
        Reply::read(&mut self.stream)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stream } = self;
        f.debug_tuple("Client").field(stream.get_ref()).finish()
    }
}
