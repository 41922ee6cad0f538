use std::io::ErrorKind;

use anvil_tests::Answer;
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Server;

/// A connection of HTTP/1.1 that sends what it is told, byte for byte.
pub(crate) struct Client {
    stream: TcpStream,
    unread: Vec<u8>,
}

impl Client {
    pub(crate) async fn connect(server: &Server) -> Self {
        let stream = TcpStream::connect(server.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let unread = Vec::new();
        Self { stream, unread }
    }

    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// The next answer, which may be an interim one, or nothing where the connection has ended.
    pub(crate) async fn answer(&mut self) -> Option<Answer> {
        let end_of_head = loop {
            let end = self
                .unread
                .windows(4)
                .position(|bytes| bytes == b"\r\n\r\n");
            match end {
                Some(end) => break end,
                None if self.read().await => {}
                None => return None,
            }
        };
        let head = self.unread.drain(..end_of_head + 4).collect();
        let head = String::from_utf8(head).unwrap();
        let (line, lines) = head.split_once("\r\n").unwrap();
        let status = line.split(' ').nth(1).unwrap().parse().unwrap();
        let headers: HeaderMap = lines
            .lines()
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| {
                let name: HeaderName = name.parse().unwrap();
                (name, HeaderValue::from_str(value).unwrap())
            })
            .collect();
        let length = headers.get("content-length");
        let length = length.map_or(0, |length| length.to_str().unwrap().parse().unwrap());
        while self.unread.len() < length {
            assert!(self.read().await, "an answer that ends half-way");
        }
        let body: Vec<u8> = self.unread.drain(..length).collect();
        Some(Answer::new(status, headers, body))
    }

    /// The next answer, which has to come.
    pub(crate) async fn expect(&mut self) -> Answer {
        self.answer().await.expect("an answer")
    }

    /// Sends a request and reads its answer.
    pub(crate) async fn exchange(&mut self, request: impl AsRef<[u8]>) -> Answer {
        self.send(request).await;
        self.expect().await
    }

    /// Sends chunks of one byte, one after the other, until there is an answer.
    pub(crate) async fn trickle(&mut self) -> Answer {
        while self.unread.is_empty() {
            let sent = self.stream.write_all(b"1\r\nx\r\n").await;
            match self.stream.try_read_buf(&mut self.unread) {
                Err(error) if error.kind() == ErrorKind::WouldBlock && sent.is_ok() => {
                    tokio::task::yield_now().await;
                }
                _ => break,
            }
        }
        self.expect().await
    }

    /// Says that nothing more will be sent; the other side may have hung up already.
    pub(crate) async fn finish(&mut self) {
        let _ = self.stream.shutdown().await;
    }

    /// Whether there was more to read. A reset counts as the end.
    async fn read(&mut self) -> bool {
        let read = self.stream.read_buf(&mut self.unread).await;
        read.is_ok_and(|bytes| bytes > 0)
    }
}
