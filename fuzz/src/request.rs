use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Request, Uri};

/// A request as text: method and target, a line for each header, an empty line, the body. What
/// can't be read is left out, so that every input is a request.
pub fn read(input: &[u8]) -> (Parts, Bytes) {
    let (mut head, ()) = Request::new(()).into_parts();
    head.method = Method::POST;
    let (first, mut rest) = line(input);
    let mut words = first.split(|byte| *byte == b' ');
    if let Some(Ok(method)) = words.next().map(Method::from_bytes) {
        head.method = method;
    }
    if let Some(Ok(target)) = words.next().map(Uri::try_from) {
        head.uri = target;
    }
    while !rest.is_empty() {
        let (header, after) = line(rest);
        rest = after;
        if header.is_empty() {
            break;
        }
        let colon = header.iter().position(|byte| *byte == b':');
        let (name, value) = header.split_at(colon.unwrap_or(header.len()));
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        let name = HeaderName::from_bytes(name);
        // A map refuses more than this, and so does every server.
        if let (Ok(name), Ok(value), true) = (
            name,
            HeaderValue::from_bytes(value),
            head.headers.len() < 100,
        ) {
            head.headers.append(name, value);
        }
    }
    (head, Bytes::copy_from_slice(rest))
}

/// The request as text.
pub fn write(head: &Parts, body: &[u8]) -> Vec<u8> {
    let mut text = format!("{} {}\n", head.method, head.uri).into_bytes();
    for (name, value) in &head.headers {
        text.extend_from_slice(name.as_str().as_bytes());
        text.extend_from_slice(b": ");
        text.extend_from_slice(value.as_bytes());
        text.push(b'\n');
    }
    text.push(b'\n');
    text.extend_from_slice(body);
    text
}

/// The first line, without its end, and the rest.
pub fn line(input: &[u8]) -> (&[u8], &[u8]) {
    match input.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (input, &[]),
    }
}
