//! A request as text, as it goes over the wire.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Uri};

/// Reads a captured request: request line, headers, an empty line, the body.
///
/// Lines of the head end in LF or CRLF. The body is taken byte for byte.
///
/// # Errors
///
/// What is wrong with the head, and in which line; never a value of a header.
pub(crate) fn parse(text: &Bytes) -> Result<Request<Bytes>, String> {
    let mut rest = &text[..];
    let line = next_line(&mut rest).ok_or("the request is empty")?;
    let (method, target) = request_line(line).ok_or(
        "line 1 is no request line; it begins with a method and a path, such as POST /hooks HTTP/1.1",
    )?;
    let mut request = Request::builder().method(method).uri(target);
    let mut number = 1;
    loop {
        number += 1;
        let line = next_line(&mut rest)
            .ok_or("the head has no end: an empty line stands between the headers and the body")?;
        if line.is_empty() {
            break;
        }
        let (name, value) = header(line)
            .ok_or_else(|| format!("line {number} is no header; it is a name, a colon, a value"))?;
        request = request.header(name, value);
    }
    let body = text.slice_ref(rest);
    request.body(body).map_err(|error| error.to_string())
}

/// Writes a request in the form that [`parse`] reads.
pub(crate) fn write(request: &Request<Bytes>) -> Vec<u8> {
    let target = request
        .uri()
        .path_and_query()
        .map_or("/", |path| path.as_str());
    let mut text = format!("{} {target} HTTP/1.1\r\n", request.method()).into_bytes();
    for (name, value) in request.headers() {
        text.extend_from_slice(name.as_str().as_bytes());
        text.extend_from_slice(b": ");
        text.extend_from_slice(value.as_bytes());
        text.extend_from_slice(b"\r\n");
    }
    text.extend_from_slice(b"\r\n");
    text.extend_from_slice(request.body());
    text
}

/// Takes a line off, without its end; the last one has one too.
fn next_line<'t>(rest: &mut &'t [u8]) -> Option<&'t [u8]> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let line = &rest[..end];
    *rest = &rest[end + 1..];
    Some(line.strip_suffix(b"\r").unwrap_or(line))
}

fn request_line(line: &[u8]) -> Option<(Method, Uri)> {
    let mut words = str::from_utf8(line).ok()?.split_ascii_whitespace();
    let method = Method::from_bytes(words.next()?.as_bytes()).ok()?;
    let target = words.next()?.parse().ok()?;
    let version = words.next();
    let is_whole = version.is_none_or(|version| version.starts_with("HTTP/"));
    (is_whole && words.next().is_none()).then_some((method, target))
}

fn header(line: &[u8]) -> Option<(HeaderName, HeaderValue)> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let name = HeaderName::from_bytes(&line[..colon]).ok()?;
    let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).ok()?;
    Some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &'static [u8]) -> Result<Request<Bytes>, String> {
        parse(&Bytes::from_static(text))
    }

    #[test]
    fn a_head_ends_its_lines_in_lf_or_crlf_and_a_body_stays_as_it_is() {
        for head in [
            "POST /hooks?a=b HTTP/1.1\r\nHost: example.com\r\nX-Id:1\r\n\r\n",
            "POST /hooks?a=b HTTP/1.1\nHost:   example.com \nX-Id: 1\n\n",
            "POST /hooks?a=b\r\nhost: example.com\nx-id: 1\r\n\n",
        ] {
            let mut text = head.as_bytes().to_vec();
            text.extend_from_slice(b"\r\n \xff\x00\n");
            let request = parse(&text.into()).unwrap();
            assert_eq!(request.method(), Method::POST);
            assert_eq!(request.uri(), "/hooks?a=b");
            assert_eq!(request.headers()["host"], "example.com");
            assert_eq!(request.headers()["x-id"], "1");
            assert_eq!(&request.body()[..], b"\r\n \xff\x00\n");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let request = Request::post("https://example.com/hooks?a=%20")
            .header("x-twice", "1")
            .header("x-twice", "2")
            .body(Bytes::from_static(b"{\"a\": \"\xc3\xa9\"}\n"))
            .unwrap();
        let read = parse(&write(&request).into()).unwrap();
        assert_eq!(read.uri(), "/hooks?a=%20");
        assert_eq!(read.headers(), request.headers());
        assert_eq!(read.body(), request.body());
    }

    #[test]
    fn what_is_no_request_is_said_by_its_line_and_never_repeated() {
        for (text, expected) in [
            (&b""[..], "empty"),
            (b"\n", "line 1"),
            (b"hidden\n\n", "line 1"),
            (b"POST / HTTP/1.1 hidden\n\n", "line 1"),
            (b"POST /hidden hidden\n\n", "line 1"),
            (b"POST / HTTP/1.1\nhidden\n\n", "line 2"),
            (b"POST / HTTP/1.1\na: b\nx hidden: 1\n\n", "line 3"),
            (b"POST / HTTP/1.1\na: hidden\n folded\n\n", "line 3"),
            (b"POST / HTTP/1.1\na: hid\x00den\n\n", "line 2"),
            (b"POST / HTTP/1.1\na: hidden\n", "empty line"),
        ] {
            let message = parsed(text).unwrap_err();
            assert!(message.contains(expected), "{message}");
            assert!(!message.contains("hidden"), "{message}");
        }
    }
}
