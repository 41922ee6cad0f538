//! Form-encoded bodies and queries, read as bytes.

use std::borrow::Cow;

use http::header::CONTENT_TYPE;
use http::request::Parts;

/// Whether the body says that it is a form.
pub(crate) fn is_form(head: &Parts) -> bool {
    let value = head.headers.get(CONTENT_TYPE).map(|value| value.as_bytes());
    let essence = value.and_then(|value| value.split(|byte| *byte == b';').next());
    essence.is_some_and(|essence| essence.trim_ascii().eq_ignore_ascii_case(FORM))
}

/// Names and values, in their order
/// ([WHATWG URL](https://url.spec.whatwg.org/#urlencoded-parsing)), without a decision about their
/// character set.
pub(crate) fn fields(text: &[u8]) -> impl Iterator<Item = (Cow<'_, [u8]>, Cow<'_, [u8]>)> {
    let pairs = text.split(|byte| *byte == b'&');
    pairs.filter(|pair| !pair.is_empty()).map(|pair| {
        let at = memchr::memchr(b'=', pair).unwrap_or(pair.len());
        let (name, value) = pair.split_at(at);
        (decode(name), decode(value.get(1..).unwrap_or_default()))
    })
}

/// The value of the field with this name, where there is exactly one and it is UTF-8.
pub(crate) fn field(text: &[u8], name: &str) -> Option<String> {
    let mut values = fields(text).filter(|(found, _)| **found == *name.as_bytes());
    let (_, value) = values.next()?;
    let value = String::from_utf8(value.into_owned()).ok();
    value.filter(|_| values.next().is_none())
}

/// Plus is a space; what is no escape stands for itself.
fn decode(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr2(b'%', b'+', text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let mut byte = [0];
        rest = tail;
        plain.push(match first {
            b'+' => b' ',
            b'%' if tail.len() >= 2 && hex::decode_to_slice(&tail[..2], &mut byte).is_ok() => {
                rest = &tail[2..];
                byte[0]
            }
            other => *other,
        });
    }
    plain.into()
}

const FORM: &[u8] = b"application/x-www-form-urlencoded";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::head;

    fn all(text: &str) -> Vec<(String, String)> {
        let text_of = |bytes: Cow<'_, [u8]>| String::from_utf8(bytes.into_owned()).unwrap();
        let pairs = fields(text.as_bytes());
        pairs
            .map(|(name, value)| (text_of(name), text_of(value)))
            .collect()
    }

    #[test]
    fn names_and_values_are_decoded_and_keep_their_order() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            all("b=1+2&a=%2B3%c3%A4&&c&d==&b=%zz%4"),
            [
                pair("b", "1 2"),
                pair("a", "+3ä"),
                pair("c", ""),
                pair("d", "="),
                pair("b", "%zz%4"),
            ]
        );
        assert_eq!(all(""), []);
    }

    #[test]
    fn a_field_is_found_where_there_is_one_and_not_where_there_are_two() {
        let find = |text: &[u8]| field(text, "a");
        assert_eq!(find(b"b=2&%61=1").as_deref(), Some("1"));
        assert_eq!(find(b"a=").as_deref(), Some(""));
        for text in [&b"a=1&a=1"[..], b"b=1", b"", b"a=%FF"] {
            assert_eq!(find(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_form_is_known_by_its_content_type() {
        for (value, expected) in [
            ("application/x-www-form-urlencoded", true),
            ("Application/X-WWW-Form-URLEncoded ; charset=UTF-8", true),
            ("application/json", false),
            ("", false),
        ] {
            assert_eq!(
                is_form(&head(&[("content-type", value)])),
                expected,
                "{value}"
            );
        }
        assert!(!is_form(&head(&[])));
    }

    proptest! {
        #[test]
        fn no_input_panics(text: Vec<u8>) {
            fields(&text).for_each(drop);
            field(&text, "a");
        }
    }
}
