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

    /// Shows what is at `item` in each element of the array at this path, as [`find`](Self::find)
    /// reads it, and gives their number; `None` where `json` is not valid or has not exactly one
    /// array there. The path leads through objects only.
    pub(crate) fn each(
        &self,
        item: &Self,
        json: &[u8],
        mut see: impl FnMut(Option<&str>),
    ) -> Option<usize> {
        let each = Each {
            list: &self.0,
            item: &item.0,
            see: &mut see,
        };
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        let count = deserializer.deserialize_any(each).ok()?;
        deserializer.end().ok()?;
        count
    }
}

/// The first name in the object that `json` is, other than `known`.
pub(crate) fn first_name_beside(known: &str, json: &[u8]) -> Option<String> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let found = deserializer.deserialize_map(Beside(known)).ok()?;
    deserializer.end().ok()?;
    found
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

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let (name, rest) = match self.0 {
            [name, rest @ ..] => (Some(&**name), rest),
            [] => (None, self.0),
        };
        at_name(map, name, |map| map.next_value_seed(Seek(rest)))
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

/// Walks one value towards an array, and through it.
struct Each<'p, 's> {
    list: &'p [Box<str>],
    item: &'p [Box<str>],
    see: &'s mut dyn FnMut(Option<&str>),
}

impl<'de> DeserializeSeed<'de> for Each<'_, '_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Each<'_, '_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array, or an object on the way to it")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let Self { list, item, see } = self;
        let (name, list) = match list {
            [name, rest @ ..] => (Some(&**name), rest),
            [] => (None, list),
        };
        at_name(map, name, |map| {
            map.next_value_seed(Each {
                list,
                item,
                see: &mut *see,
            })
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let Self { list, item, see } = self;
        if !list.is_empty() {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(None);
        }
        let mut count = 0;
        while let Some(found) = seq.next_element_seed(Seek(item))? {
            see(found.as_deref());
            count += 1;
        }
        Ok(Some(count))
    }
}

/// Reads the name of the first field that is not the known one.
struct Beside<'n>(&'n str);

impl<'de> Visitor<'de> for Beside<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while found.is_none()
            && let Some(name) = map.next_key::<String>()?
        {
            map.next_value::<IgnoredAny>()?;
            found = Some(name).filter(|name| name != self.0);
        }
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(found)
    }
}

/// What `read` makes of the value under this name, where there is exactly one.
fn at_name<'de, A: MapAccess<'de>, T>(
    mut map: A,
    name: Option<&str>,
    mut read: impl FnMut(&mut A) -> Result<Option<T>, A::Error>,
) -> Result<Option<T>, A::Error> {
    let mut matches = 0_usize;
    let mut found = None;
    while let Some(is_name) = map.next_key_seed(Is(name))? {
        if is_name {
            matches += 1;
            found = read(&mut map)?;
        } else {
            map.next_value::<IgnoredAny>()?;
        }
    }
    Ok(found.filter(|_| matches == 1))
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

    fn each(json: &str) -> Option<Vec<Option<String>>> {
        let pointer = |text| JsonPointer::parse(text).unwrap();
        let mut seen = Vec::new();
        let count = pointer("/a/list").each(&pointer("/id"), json.as_bytes(), |id| {
            seen.push(id.map(str::to_owned));
        })?;
        assert_eq!(count, seen.len());
        Some(seen)
    }

    #[test]
    fn every_element_of_an_array_is_seen_with_or_without_the_value() {
        assert_eq!(
            each(r#"{"a":{"list":[{"id":"x"},{"id":7},{"id":"x","id":"y"},{},[],null]},"b":[1]}"#),
            Some(vec![
                Some("x".into()),
                Some("7".into()),
                None,
                None,
                None,
                None
            ])
        );
        assert_eq!(each(r#"{"a":{"list":[]}}"#), Some(Vec::new()));
    }

    #[test]
    fn what_has_not_exactly_one_array_at_the_path_has_none() {
        for json in [
            "",
            "[]",
            "{}",
            r#"{"a":[{"id":"x"}]}"#,
            r#"{"a":{"list":{"id":"x"}}}"#,
            r#"{"a":{"list":"x"}}"#,
            r#"{"a":{"list":null}}"#,
            r#"{"a":{"list":1}}"#,
            r#"{"a":{"list":true}}"#,
            r#"{"a":{"list":[[{"id":"x"}]],"list":[{"id":"x"}]}}"#,
            r#"{"a":{"list":[{"id":"x"}]},"a":{}}"#,
            r#"{"a":{"list":[{"id":"x"}]}"#,
            r#"{"a":{"list":[{"id":"x"}]}} x"#,
        ] {
            assert_eq!(each(json), None, "{json}");
        }
    }

    #[test]
    fn the_first_name_beside_a_known_one_is_found() {
        let beside = |json: &str| first_name_beside("id", json.as_bytes());
        assert_eq!(
            beside(r#"{"id":1,"a":{"b":2},"c":3}"#).as_deref(),
            Some("a")
        );
        assert_eq!(beside(r#"{"a":1,"id":2}"#).as_deref(), Some("a"));
        for json in [
            "",
            "[]",
            "\"a\"",
            "{}",
            r#"{"id":1}"#,
            r#"{"id":1,"a":2"#,
            "1",
        ] {
            assert_eq!(beside(json), None, "{json}");
        }
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
            let pointer = JsonPointer::parse("/event/type").unwrap();
            pointer.find(&json);
            pointer.each(&pointer, &json, |_| {});
            first_name_beside("id", &json);
        }
    }
}
