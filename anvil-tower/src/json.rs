use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::ConfigError;

/// A path into a JSON document ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)).
///
/// Finding a value walks the document once, decodes nothing but the names on the path and builds
/// no tree.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct JsonPointer(Box<[Box<str>]>);

impl JsonPointer {
    pub(crate) fn parse(text: &str) -> Result<Self, ConfigError> {
        let Some(path) = text.strip_prefix('/') else {
            return Err(ConfigError::new(format!(
                "a JSON pointer starts with a slash, such as \"/data/id\"; this one is {text:?}"
            )));
        };
        path.split('/').map(unescape).collect::<Option<_>>().map(Self).ok_or_else(|| {
            ConfigError::new(format!(
                "in a JSON pointer ~ is written ~0 and a slash within a name ~1; this one is {text:?}"
            ))
        })
    }

    /// The text or whole number at the path, where `json` is valid and has exactly one there.
    ///
    /// A name on the path that occurs twice in its object finds nothing: readers disagree about
    /// which one counts, so none is an identity.
    pub(crate) fn find(&self, json: &[u8]) -> Option<String> {
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        let found = deserializer.deserialize_any(Seek(&self.0)).ok()?;
        deserializer.end().ok()?;
        found
    }
}

fn unescape(name: &str) -> Option<Box<str>> {
    let mut plain = String::with_capacity(name.len());
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        plain.push(match c {
            '~' => match chars.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            c => c,
        });
    }
    Some(plain.into())
}

/// Walks one value towards the rest of the path.
struct Seek<'p>(&'p [Box<str>]);

impl Seek<'_> {
    fn here(&self, value: &(impl ToString + ?Sized)) -> Option<String> {
        self.0.is_empty().then(|| value.to_string())
    }
}

impl<'de> DeserializeSeed<'de> for Seek<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seek<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(self.here(&value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(self.here(&value))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(self.here(value))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (name, rest) = match self.0 {
            [name, rest @ ..] => (Some(&**name), rest),
            [] => (None, self.0),
        };
        let mut matches = 0_usize;
        let mut found = None;
        while let Some(is_name) = map.next_key_seed(Is(name))? {
            if is_name {
                matches += 1;
                found = map.next_value_seed(Seek(rest))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found.filter(|_| matches == 1))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        if let [index, rest @ ..] = self.0
            && let Some(index) = array_index(index)
        {
            for _ in 0..index {
                if seq.next_element::<IgnoredAny>()?.is_none() {
                    return Ok(None);
                }
            }
            found = seq.next_element_seed(Seek(rest))?.flatten();
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(found)
    }
}

/// Whether the next name of an object is the wanted one.
struct Is<'p>(Option<&'p str>);

impl<'de> DeserializeSeed<'de> for Is<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Is<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<bool, E> {
        Ok(self.0 == Some(name))
    }
}

fn array_index(name: &str) -> Option<usize> {
    if name.len() > 1 && name.starts_with('0') || !name.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    name.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find(pointer: &str, json: &str) -> Option<String> {
        JsonPointer::parse(pointer).unwrap().find(json.as_bytes())
    }

    #[test]
    fn texts_and_whole_numbers_are_found_at_any_depth() {
        assert_eq!(
            find("/id", r#"{"x":[{"id":1}],"id":"evt_1","y":{"id":2}}"#).unwrap(),
            "evt_1"
        );
        assert_eq!(
            find("/event/type", r#"{"event":{"a":[1,{}],"type":"message"}}"#).unwrap(),
            "message"
        );
        assert_eq!(
            find("/update", r#"{"update":18446744073709551615}"#).unwrap(),
            "18446744073709551615"
        );
        assert_eq!(find("/n", r#"{"n":-3}"#).unwrap(), "-3");
        assert_eq!(
            find(
                "/list/1/id",
                r#"{"list":[{"id":"a"},{"id":"b"},{"id":"c"}]}"#
            )
            .unwrap(),
            "b"
        );
        assert_eq!(find("/a~1b/~0", r#"{"a/b":{"~":"odd"}}"#).unwrap(), "odd");
        assert_eq!(find("/id", r#"{"id":"\u0065vt"}"#).unwrap(), "evt");
    }

    #[test]
    fn a_name_given_twice_on_the_path_finds_nothing() {
        assert_eq!(find("/id", r#"{"id":"a","id":"b"}"#), None);
        assert_eq!(find("/id", r#"{"id":"a","\u0069d":"a"}"#), None);
        assert_eq!(find("/e/id", r#"{"e":{"id":"a"},"e":{"id":"a"}}"#), None);
    }

    #[test]
    fn what_is_not_an_identity_finds_nothing() {
        for json in [
            "",
            "{",
            "[]",
            "3",
            "\"id\"",
            "null",
            r#"{"id":null}"#,
            r#"{"id":true}"#,
            r#"{"id":1.5}"#,
            r#"{"id":{"id":"x"}}"#,
            r#"{"id":["x"]}"#,
            r#"{"id":"x"} trailing"#,
            r#"{"id":"x",}"#,
        ] {
            assert_eq!(find("/id", json), None, "{json}");
        }
        assert_eq!(find("/list/01", r#"{"list":["a","b"]}"#), None);
        assert_eq!(find("/list/9", r#"{"list":["a","b"]}"#), None);
    }

    #[test]
    fn a_deep_document_is_skipped_and_a_deep_path_ends() {
        let deep = format!(
            r#"{{"x":{}{},"id":"evt"}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        assert_eq!(find("/id", &deep).as_deref(), Some("evt"));
        let path = "/a".repeat(1_000);
        let nested = format!("{}1{}", r#"{"a":"#.repeat(1_000), "}".repeat(1_000));
        assert_eq!(find(&path, &nested), None);
    }

    #[test]
    fn a_pointer_that_is_none_is_refused() {
        for bad in ["", "id", "/a~2", "/a~"] {
            assert!(JsonPointer::parse(bad).is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn no_input_panics(json: Vec<u8>) {
            JsonPointer::parse("/event/type").unwrap().find(&json);
        }
    }
}
