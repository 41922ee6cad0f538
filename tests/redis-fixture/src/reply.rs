//! What a Redis server answers.

use std::io::{self, BufRead};

/// A reply of a Redis server, in the types of its second protocol version.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Reply {
    /// A list of replies.
    Array(Vec<Self>),
    /// A string of bytes.
    Bulk(Vec<u8>),
    /// An error, from its first word on: `ERR no such key`.
    Error(String),
    /// A whole number.
    Integer(i64),
    /// Nothing: an absent string or list.
    Nil,
    /// A status, such as `OK`.
    Status(String),
}

impl Reply {
    /// Reads one reply.
    ///
    /// # Errors
    ///
    /// Fails when the stream does, when it ends early, and when the bytes are no reply.
    pub fn read(stream: &mut impl BufRead) -> io::Result<Self> {
        let mut line = Vec::new();
        stream.read_until(b'\n', &mut line)?;
        let Some((kind, text)) = line
            .strip_suffix(b"\r\n")
            .and_then(|line| line.split_first())
        else {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        };
        let text = str::from_utf8(text).map_err(io::Error::other)?;
        match kind {
            b'+' => Ok(Self::Status(text.to_owned())),
            b'-' => Ok(Self::Error(text.to_owned())),
            b':' => Ok(Self::Integer(number(text)?)),
            b'$' => match usize::try_from(number(text)?) {
                Err(_) => Ok(Self::Nil),
                Ok(length) => {
                    let mut bytes = vec![0; length + 2];
                    stream.read_exact(&mut bytes)?;
                    bytes.truncate(length);
                    Ok(Self::Bulk(bytes))
                }
            },
            b'*' => match usize::try_from(number(text)?) {
                Err(_) => Ok(Self::Nil),
                Ok(length) => (0..length).map(|_| Self::read(stream)).collect(),
            },
            _ => Err(io::Error::other(format!("not a reply: {text:?}"))),
        }
    }

    /// The text of a status, a string or an error.
    ///
    /// # Panics
    ///
    /// Panics where the reply is none of these, or not UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Status(text) | Self::Error(text) => text,
            Self::Bulk(bytes) => str::from_utf8(bytes).expect("the reply is UTF-8"),
            other => panic!("not a text: {other:?}"),
        }
    }

    /// The number of an integer reply.
    ///
    /// # Panics
    ///
    /// Panics where the reply is something else.
    #[must_use]
    pub fn integer(&self) -> i64 {
        match self {
            Self::Integer(number) => *number,
            other => panic!("not an integer: {other:?}"),
        }
    }

    /// The members of a list.
    ///
    /// # Panics
    ///
    /// Panics where the reply is something else.
    #[must_use]
    pub fn array(&self) -> &[Self] {
        match self {
            Self::Array(members) => members,
            other => panic!("not a list: {other:?}"),
        }
    }

    /// Whether this is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }
}

impl FromIterator<Self> for Reply {
    fn from_iter<I: IntoIterator<Item = Self>>(members: I) -> Self {
        Self::Array(members.into_iter().collect())
    }
}

fn number(text: &str) -> io::Result<i64> {
    text.parse().map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mut bytes: &[u8]) -> io::Result<Reply> {
        Reply::read(&mut bytes)
    }

    #[test]
    fn every_kind_of_reply_is_read() {
        let bytes = b"*6\r\n+OK\r\n-ERR no\r\n:-7\r\n$4\r\na\r\nb\r\n$-1\r\n*0\r\n";
        assert_eq!(
            read(bytes).unwrap(),
            Reply::Array(vec![
                Reply::Status("OK".into()),
                Reply::Error("ERR no".into()),
                Reply::Integer(-7),
                Reply::Bulk(b"a\r\nb".to_vec()),
                Reply::Nil,
                Reply::Array(vec![]),
            ])
        );
    }

    #[test]
    fn a_reply_that_was_cut_is_an_error() {
        for bytes in [&b""[..], b"+O", b"+OK\n", b"$4\r\nab", b"*2\r\n+OK\r\n"] {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
    }
}
