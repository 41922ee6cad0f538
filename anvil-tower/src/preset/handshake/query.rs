use std::borrow::Cow;

use http::request::Parts;
use percent_encoding::percent_decode_str;

/// The value of a parameter of the query, decoded, where it is there exactly once.
pub(super) fn parameter(head: &Parts, name: &str) -> Option<String> {
    let pairs = head.uri.query()?.split('&');
    let mut values = pairs.filter_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        (decoded(key)? == name).then_some(value)
    });
    let value = values.next()?;
    match values.next() {
        None => decoded(value),
        Some(_) => None,
    }
}

/// As browsers and forms encode.
fn decoded(text: &str) -> Option<String> {
    let text = if text.contains('+') {
        Cow::Owned(text.replace('+', " "))
    } else {
        Cow::Borrowed(text)
    };
    let decoded = percent_decode_str(&text).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn find(uri: &str, name: &str) -> Option<String> {
        let (head, ()) = Request::get(uri).body(()).unwrap().into_parts();
        parameter(&head, name)
    }

    #[test]
    fn a_parameter_is_found_and_decoded() {
        assert_eq!(find("/?a=1&b=x%2By+z", "b").unwrap(), "x+y z");
        assert_eq!(
            find("/?hub%2Emode=subscribe", "hub.mode").unwrap(),
            "subscribe"
        );
        assert_eq!(find("/?a=", "a").unwrap(), "");
        assert_eq!(find("/?a=b=c", "a").unwrap(), "b=c");
    }

    #[test]
    fn what_is_not_there_or_twice_or_not_text_is_none() {
        for uri in ["/", "/?", "/?a", "/?aa=1", "/?A=1", "/?a=1&a=1", "/?a=%ff"] {
            assert_eq!(find(uri, "a"), None, "{uri}");
        }
    }
}
