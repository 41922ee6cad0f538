/// A JSON text as PHP writes it: in ASCII, with `\uXXXX` for what is not, and slashes escaped.
///
/// Only the spelling of texts may change, so that a signature of this form says as much about the
/// other. There is none where that can't be had, and none where `json` is in this form as it is.
pub(super) fn escape(json: &[u8]) -> Option<String> {
    let json = str::from_utf8(json).ok()?;
    let mut escaped = String::with_capacity(json.len() + json.len() / 8);
    let mut after_backslash = false;
    for c in json.chars() {
        match c {
            '/' if !after_backslash => escaped.push_str("\\/"),
            '\0'..='~' => escaped.push(c),
            // In JSON nothing like it stands there, and the escape would read as another text.
            _ if after_backslash => return None,
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    escaped.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
        after_backslash = c == '\\' && !after_backslash;
    }
    (escaped != json).then_some(escaped)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn escaped(json: &str) -> Option<String> {
        escape(json.as_bytes())
    }

    #[test]
    fn what_is_not_ascii_and_bare_slashes_are_escaped() {
        for (json, expected) in [
            (r#"{"a":"é"}"#, r#"{"a":"\u00e9"}"#),
            (r#"["😀/"]"#, r#"["\ud83d\ude00\/"]"#),
            (r#"["\/\\/"]"#, r#"["\/\\\/"]"#),
            (r#"["\\é"]"#, r#"["\\\u00e9"]"#),
            ("[\"\u{7f}\"]", r#"["\u007f"]"#),
        ] {
            assert_eq!(escaped(json).as_deref(), Some(expected), "{json}");
        }
    }

    #[test]
    fn what_is_escaped_already_or_would_become_another_text_has_no_escaped_form() {
        assert_eq!(escaped(r#"{"a":"caf\u00e9 \/ \\"}"#), None);
        assert_eq!(escaped(r#"["\é"]"#), None);
        assert_eq!(escape(b"[\"\xff\"]"), None);
    }

    proptest! {
        #[test]
        fn the_value_stays_the_same(text: String) {
            let json = Value::String(text).to_string();
            if let Some(escaped) = escaped(&json) {
                let read = |json: &str| serde_json::from_str::<Value>(json).unwrap();
                prop_assert_eq!(read(&escaped), read(&json));
            }
        }

        #[test]
        fn no_text_panics(text: Vec<u8>) {
            escape(&text);
        }
    }
}
