use crate::ConfigError;

/// What is signed: fixed text, the id and the timestamp around the body.
#[derive(Debug)]
pub(super) struct Template {
    before: Vec<Segment>,
    after: Vec<Segment>,
    has_id: bool,
    has_timestamp: bool,
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
            match name {
                "id" => segments.push(Segment::Id),
                "timestamp" => segments.push(Segment::Timestamp),
                "body" if before.is_none() => before = Some(std::mem::take(&mut segments)),
                "body" => {
                    return Err(ConfigError::new(format!(
                        "the signed content {text:?} has {{body}} twice"
                    )));
                }
                _ => {
                    return Err(ConfigError::new(format!(
                        "the signed content {text:?} has {{{name}}}; known are {{id}}, {{timestamp}} and {{body}}"
                    )));
                }
            }
            rest = tail;
        }
        push_literal(&mut segments, rest, text)?;
        let before = before.ok_or_else(|| {
            ConfigError::new(format!(
                "the signed content {text:?} has no {{body}}: nothing would protect the payload"
            ))
        })?;
        let all = || before.iter().chain(&segments);
        let has_id = all().any(|segment| matches!(segment, Segment::Id));
        let has_timestamp = all().any(|segment| matches!(segment, Segment::Timestamp));
        Ok(Self {
            has_id,
            has_timestamp,
            before,
            after: segments,
        })
    }

    pub(super) fn has_id(&self) -> bool {
        self.has_id
    }

    pub(super) fn has_timestamp(&self) -> bool {
        self.has_timestamp
    }

    pub(super) fn is_body_only(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// Whether something is signed after the body.
    pub(super) fn goes_on(&self) -> bool {
        !self.after.is_empty()
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
}

/// What the placeholders of one delivery stand for, exactly as it was received.
#[derive(Clone, Copy)]
pub(super) struct Values<'h> {
    pub(super) id: &'h [u8],
    pub(super) timestamp: &'h [u8],
}

#[derive(Debug)]
enum Segment {
    Id,
    Literal(Box<str>),
    Timestamp,
}

impl Segment {
    fn bytes<'a>(&'a self, values: Values<'a>) -> &'a [u8] {
        match self {
            Self::Id => values.id,
            Self::Literal(text) => text.as_bytes(),
            Self::Timestamp => values.timestamp,
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

    #[test]
    fn what_is_signed_before_the_body_is_the_same_in_one_piece_and_in_several() {
        let template = Template::parse("v0:{id}:{timestamp}.{body}").unwrap();
        for len in [0, 1, USUAL_LEN - 7, USUAL_LEN - 4, USUAL_LEN, 1000] {
            let id = vec![b'i'; len];
            let values = Values {
                id: &id,
                timestamp: b"12",
            };
            let mut fed = Vec::new();
            template.feed_before(values, |piece| fed.extend_from_slice(piece));
            assert_eq!(fed, template.before(values), "{len}");
        }
    }

    #[test]
    fn text_id_and_timestamp_are_put_around_the_body() {
        let template = Template::parse("v0:{timestamp}:{body}|{id}.").unwrap();
        let values = Values {
            id: b"msg",
            timestamp: b"12",
        };
        assert_eq!(template.before(values), b"v0:12:");
        assert_eq!(template.after(values), b"|msg.");
        assert!(template.has_id() && template.has_timestamp() && !template.is_body_only());
        assert!(Template::parse("{body}").unwrap().is_body_only());
    }

    #[test]
    fn a_template_that_means_nothing_is_refused() {
        for (text, word) in [
            ("", "no {body}"),
            ("{timestamp}.", "no {body}"),
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
