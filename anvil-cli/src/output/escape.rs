use std::borrow::Cow;
use std::fmt::Write;

/// The text with everything escaped that a terminal would act on: control characters, and the marks
/// that reorder what is shown.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    escape_as(text, |escaped, c| escaped.extend(c.escape_default()))
}

/// JSON with the same characters escaped, by JSON's own means. They stand in strings only, because
/// JSON is printed without line breaks here.
pub(super) fn escape_json(json: &str) -> Cow<'_, str> {
    escape_as(json, |escaped, c| {
        let mut units = [0; 2];
        for unit in c.encode_utf16(&mut units) {
            // Writing to a string does not fail.
            let _ = write!(escaped, "\\u{unit:04x}");
        }
    })
}

fn escape_as(text: &str, mut write: impl FnMut(&mut String, char)) -> Cow<'_, str> {
    if !text.contains(acts_on_terminals) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts_on_terminals(c) {
            write(&mut escaped, c);
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

fn acts_on_terminals(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_escaped_and_the_rest_is_kept() {
        assert_eq!(escape("plain – text, ünïcode"), "plain – text, ünïcode");
        let harmful = "a\x1b[2Jb\r\nc\u{9b}31md\u{202e}e\x7f";
        let escaped = escape(harmful);
        assert_eq!(escaped, "a\\u{1b}[2Jb\\r\\nc\\u{9b}31md\\u{202e}e\\u{7f}");
    }

    #[test]
    fn escaped_json_means_the_same() {
        let harmful = "a\u{9b}31m\u{7f}b\u{202e}\u{feff}c\x1b";
        let json = serde_json::to_string(harmful).unwrap();
        let escaped = escape_json(&json);
        assert!(escaped.is_ascii(), "{escaped}");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), harmful);
    }
}
