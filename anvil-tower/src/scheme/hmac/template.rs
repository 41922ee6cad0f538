use http::HeaderName;
use http::request::Parts;

use super::headers::{header_name, single};
use crate::ConfigError;
use crate::json::JsonPointer;
use crate::rejection::{MISSING_HEADER, Rejection};

/// What is signed: fixed text and parts of the request around the body.
#[derive(Debug)]
pub(super) struct Template {
    before: Vec<Segment>,
    has_body: bool,
    after: Vec<Segment>,
    has: Has,
}

/// What occurs in a template: asked for every delivery.
#[derive(Debug, Default)]
struct Has {
    header: bool,
    id: bool,
    json: bool,
    timestamp: bool,
    url: bool,
}

impl Template {
    /// Reads a text such as `"{id}.{timestamp}.{body}"`.
    pub(super) fn parse(text: &str) -> Result<Self, ConfigError> {
        let mut before = None;
        let mut segments = Vec::new();
        let mut rest = text;
        while let Some((literal, tail)) = rest.split_once('{') {
            push_literal(&mut segments, literal, text)?;
            let Some((name, tail)) = tail.split_once('}') else {
                return Err(stray_brace(text));
            };
            match name.split_once(':').unwrap_or((name, "")) {
                ("body", "") if before.is_none() => before = Some(std::mem::take(&mut segments)),
                ("body", "") => {
                    return Err(ConfigError::new(format!(
                        "the signed content {text:?} has {{body}} twice"
                    )));
                }
                ("header", name) => segments.push(Segment::Header(header_name(name)?)),
                ("id", "") => segments.push(Segment::Id),
                ("json", pointer) => segments.push(Segment::Json(JsonPointer::parse(pointer)?)),
                ("method", "") => segments.push(Segment::Method),
                ("path", "") => segments.push(Segment::Path),
                ("timestamp", "") => segments.push(Segment::Timestamp),
                ("url", "") => segments.push(Segment::Url),
                _ => {
                    return Err(ConfigError::new(format!(
                        "the signed content {text:?} has {{{name}}}; known are {{body}}, {{header:NAME}}, {{id}}, {{json:POINTER}}, {{method}}, {{path}}, {{timestamp}} and {{url}}"
                    )));
                }
            }
            rest = tail;
        }
        push_literal(&mut segments, rest, text)?;
        let has_body = before.is_some();
        let (before, after) = match before {
            Some(before) => (before, segments),
            None => (segments, Vec::new()),
        };
        let mut has = Has::default();
        for segment in before.iter().chain(&after) {
            match segment {
                Segment::Header(_) => has.header = true,
                Segment::Id => has.id = true,
                Segment::Json(_) => has.json = true,
                Segment::Timestamp => has.timestamp = true,
                Segment::Url => has.url = true,
                Segment::Literal(_) | Segment::Method | Segment::Path => {}
            }
        }
        Ok(Self {
            before,
            has_body,
            after,
            has,
        })
    }

    pub(super) fn has_body(&self) -> bool {
        self.has_body
    }

    pub(super) fn has_id(&self) -> bool {
        self.has.id
    }

    pub(super) fn has_timestamp(&self) -> bool {
        self.has.timestamp
    }

    pub(super) fn has_url(&self) -> bool {
        self.has.url
    }

    /// Whether a part of it is in the body.
    pub(super) fn has_json(&self) -> bool {
        self.has.json
    }

    pub(super) fn signs_json(&self, pointer: &JsonPointer) -> bool {
        self.has_body
            || self.any(|segment| matches!(segment, Segment::Json(signed) if signed == pointer))
    }

    pub(super) fn signs_header(&self, name: &HeaderName) -> bool {
        self.any(|segment| matches!(segment, Segment::Header(signed) if signed == name))
    }

    fn any(&self, is: impl Fn(&Segment) -> bool) -> bool {
        self.before.iter().chain(&self.after).any(is)
    }

    pub(super) fn is_body_only(&self) -> bool {
        self.has_body && self.before.is_empty() && self.after.is_empty()
    }

    /// Whether something is signed after the body.
    pub(super) fn goes_on(&self) -> bool {
        !self.after.is_empty()
    }

    /// Refuses a head that lacks a signed header, or has two of them.
    #[inline]
    pub(super) fn check_headers(&self, head: &Parts) -> Result<(), Rejection> {
        if !self.has.header {
            return Ok(());
        }
        for segment in self.before.iter().chain(&self.after) {
            if let Segment::Header(name) = segment {
                single(&head.headers, name)?.ok_or(MISSING_HEADER)?;
            }
        }
        Ok(())
    }

    /// Hands over what is signed before the body, in one piece where it is as short as usual: a
    /// hash takes one piece faster than five.
    #[inline]
    pub(super) fn feed_before(&self, values: Values<'_>, mut feed: impl FnMut(&[u8])) {
        let mut piece = [0; USUAL_LEN];
        let mut len = 0;
        for segment in &self.before {
            let bytes = segment.bytes(values);
            if let Some(free) = piece.get_mut(len..len + bytes.len()) {
                free.copy_from_slice(bytes);
                len += bytes.len();
            } else {
                feed(&piece[..len]);
                feed(bytes);
                len = 0;
            }
        }
        if len > 0 {
            feed(&piece[..len]);
        }
    }

    /// What is signed before the body.
    pub(super) fn before(&self, values: Values<'_>) -> Vec<u8> {
        concat(&self.before, values)
    }

    /// What is signed after the body.
    pub(super) fn after(&self, values: Values<'_>) -> Vec<u8> {
        concat(&self.after, values)
    }

    /// What is known before the body has come; the rest is read from the body.
    pub(super) fn resolve(&self, values: Values<'_>) -> Vec<Piece> {
        let piece = |segment: &Segment| match segment {
            Segment::Json(pointer) => Piece::Json(pointer.clone()),
            _ => Piece::Known(segment.bytes(values).to_vec()),
        };
        let before = self.before.iter().map(piece);
        let body = self.has_body.then_some(Piece::Body);
        before
            .chain(body)
            .chain(self.after.iter().map(piece))
            .collect()
    }
}

/// What the placeholders of one delivery stand for, exactly as it was received.
#[derive(Clone, Copy)]
pub(super) struct Values<'h> {
    pub(super) head: &'h Parts,
    pub(super) id: &'h [u8],
    pub(super) timestamp: &'h [u8],
    pub(super) url: &'h str,
}

/// A part of what is signed, where some of it is in the body.
pub(super) enum Piece {
    Body,
    Json(JsonPointer),
    Known(Vec<u8>),
}

/// All that is signed; `None` where the body lacks a part of it, or has two.
pub(super) fn join(pieces: &[Piece], body: &[u8]) -> Option<Vec<u8>> {
    let mut signed = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Body => signed.extend_from_slice(body),
            Piece::Json(pointer) => signed.extend_from_slice(pointer.find(body)?.as_bytes()),
            Piece::Known(bytes) => signed.extend_from_slice(bytes),
        }
    }
    Some(signed)
}

#[derive(Debug)]
enum Segment {
    Header(HeaderName),
    Id,
    Json(JsonPointer),
    Literal(Box<str>),
    Method,
    Path,
    Timestamp,
    Url,
}

impl Segment {
    #[inline]
    fn bytes<'a>(&'a self, values: Values<'a>) -> &'a [u8] {
        let Values {
            head,
            id,
            timestamp,
            url,
        } = values;
        match self {
            Self::Header(name) => match head.headers.get(name) {
                Some(value) => value.as_bytes(),
                None => &[],
            },
            Self::Id => id,
            Self::Json(_) => &[],
            Self::Literal(text) => text.as_bytes(),
            Self::Method => head.method.as_str().as_bytes(),
            Self::Path => head
                .uri
                .path_and_query()
                .map_or("/", |path| path.as_str())
                .as_bytes(),
            Self::Timestamp => timestamp,
            Self::Url => url.as_bytes(),
        }
    }
}

fn concat(segments: &[Segment], values: Values<'_>) -> Vec<u8> {
    segments
        .iter()
        .flat_map(|segment| segment.bytes(values))
        .copied()
        .collect()
}

fn push_literal(segments: &mut Vec<Segment>, literal: &str, text: &str) -> Result<(), ConfigError> {
    if literal.contains('}') {
        return Err(stray_brace(text));
    }
    if !literal.is_empty() {
        segments.push(Segment::Literal(literal.into()));
    }
    Ok(())
}

fn stray_brace(text: &str) -> ConfigError {
    ConfigError::new(format!(
        "the signed content {text:?} has a brace that opens or closes nothing"
    ))
}

/// Holds an id, a timestamp and what is between them.
const USUAL_LEN: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::head;

    #[test]
    fn what_is_signed_before_the_body_is_the_same_in_one_piece_and_in_several() {
        let template = Template::parse("v0:{id}:{timestamp}.{body}").unwrap();
        for len in [0, 1, USUAL_LEN - 7, USUAL_LEN - 4, USUAL_LEN, 1000] {
            let id = vec![b'i'; len];
            let head = head(&[]);
            let values = Values {
                head: &head,
                id: &id,
                timestamp: b"12",
                url: "",
            };
            let mut fed = Vec::new();
            template.feed_before(values, |piece| fed.extend_from_slice(piece));
            assert_eq!(fed, template.before(values), "{len}");
        }
    }

    #[test]
    fn text_id_and_timestamp_are_put_around_the_body() {
        let template = Template::parse("v0:{timestamp}:{body}|{id}.").unwrap();
        let head = head(&[]);
        let values = Values {
            head: &head,
            id: b"msg",
            timestamp: b"12",
            url: "",
        };
        assert_eq!(template.before(values), b"v0:12:");
        assert_eq!(template.after(values), b"|msg.");
        assert!(template.has_id() && template.has_timestamp() && !template.is_body_only());
        assert!(Template::parse("{body}").unwrap().is_body_only());
    }

    #[test]
    fn parts_of_the_head_stand_for_what_was_received() {
        let template = Template::parse("{method}\n{path}\n{url}\n{header:x-a}\n{body}").unwrap();
        let mut head = head(&[("x-a", "1")]);
        head.uri = "/hooks?b=%20".parse().unwrap();
        let values = Values {
            head: &head,
            id: b"",
            timestamp: b"",
            url: "https://example.com/",
        };
        let before = b"POST\n/hooks?b=%20\nhttps://example.com/\n1\n";
        assert_eq!(template.before(values), before);
        assert_eq!(template.check_headers(&head), Ok(()));
        head.headers.clear();
        assert_eq!(template.check_headers(&head), Err(MISSING_HEADER));
    }

    #[test]
    fn parts_of_the_body_are_read_from_it_or_nothing_is() {
        let template = Template::parse("{json:/a}.{json:/b/c}").unwrap();
        let head = head(&[]);
        let values = Values {
            head: &head,
            id: b"",
            timestamp: b"",
            url: "",
        };
        let join = |body: &str| join(&template.resolve(values), body.as_bytes());
        assert_eq!(join(r#"{"a":1,"b":{"c":"x"}}"#).unwrap(), b"1.x");
        assert_eq!(join(r#"{"a":1,"a":1,"b":{"c":"x"}}"#), None);
        assert_eq!(join(r#"{"a":1}"#), None);
    }

    #[test]
    fn a_template_that_means_nothing_is_refused() {
        for (text, word) in [
            ("{header:}{body}", "header"),
            ("{header:a b}{body}", "header"),
            ("{json:id}{body}", "slash"),
            ("{id:1}{body}", "{id:1}"),
            ("{body}{body}", "twice"),
            ("{boddy}", "{boddy}"),
            ("{body", "brace"),
            ("}{body}", "brace"),
            ("{body}}", "brace"),
        ] {
            let message = Template::parse(text).unwrap_err().to_string();
            assert!(message.contains(word), "{text:?}: {message}");
        }
    }
}
