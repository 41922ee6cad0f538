//! Where one command or reply ends.

use std::io::{self, BufRead, Read};

/// Reads the bytes of one command or reply, of either version of the protocol.
pub(super) fn read(stream: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut values = 1_usize;
    while values > 0 {
        values -= 1;
        let line = bytes.len();
        stream.read_until(b'\n', &mut bytes)?;
        if !bytes[line..].ends_with(b"\n") {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        let count = count(&bytes[line..]);
        match bytes[line] {
            b'*' | b'~' | b'>' => values += count,
            // A map has a key and a value each; an attribute stands before the reply it is about.
            b'%' => values += 2 * count,
            b'|' => values += 2 * count + 1,
            b'$' | b'=' | b'!' if !bytes[line..].starts_with(b"$-") => {
                let text = count + b"\r\n".len();
                let mut rest = stream.take(text as u64);
                if rest.read_to_end(&mut bytes)? < text {
                    return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
                }
            }
            _ => {}
        }
    }
    Ok(bytes)
}

/// The number after the first byte of a line; nothing has `-1` members.
fn count(line: &[u8]) -> usize {
    str::from_utf8(&line[1..])
        .ok()
        .and_then(|text| text.trim_end().parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_ends_where_its_value_ends() {
        let frames: &[&[u8]] = &[
            b"+OK\r\n",
            b"$4\r\na\r\nb\r\n",
            b"$-1\r\n",
            b"$0\r\n\r\n",
            b"*-1\r\n",
            b"*0\r\n",
            b"*2\r\n*1\r\n:1\r\n$1\r\nx\r\n",
            b"%1\r\n+key\r\n*2\r\n:1\r\n:2\r\n",
            b">2\r\n+invalidate\r\n_\r\n",
            b"|1\r\n+ttl\r\n:3\r\n+OK\r\n",
            b"=6\r\ntxt:ab\r\n",
        ];
        let all = frames.concat();
        let mut stream = &all[..];
        for frame in frames {
            assert_eq!(read(&mut stream).unwrap(), *frame);
        }
        assert!(stream.is_empty());
    }

    #[test]
    fn a_frame_that_was_cut_is_an_error() {
        for bytes in [&b""[..], b"*1\r\n", b"$4\r\nab", b"+OK"] {
            assert!(read(&mut &bytes[..]).is_err(), "{bytes:?}");
        }
    }
}
