//! JSON written in another way, without a change of its meaning, its order or its numbers.

use serde::de::IgnoredAny;

/// How white space is set.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Spacing {
    Compact,
    /// A space after each comma and colon, as Python writes it.
    Spaced,
    /// One value a line, indented by this.
    Lines(&'static str),
}

/// How characters in texts are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Escapes {
    EscapedSlashes,
    EscapedUnicode,
    /// Both, as PHP writes it.
    EscapedSlashesAndUnicode,
    PlainSlashes,
    PlainUnicode,
    PlainSlashesAndUnicode,
}

/// Whether it is JSON at all.
pub(super) fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// The same JSON with other white space. What is no JSON gives anything.
pub(super) fn respace(json: &[u8], spacing: Spacing) -> Vec<u8> {
    let mut written = Vec::with_capacity(json.len() + json.len() / 2);
    let mut depth = 0_usize;
    let mut tokens = Tokens(json).peekable();
    let new_line = |written: &mut Vec<u8>, depth: usize| {
        if let Spacing::Lines(indent) = spacing {
            written.push(b'\n');
            written.extend(indent.as_bytes().repeat(depth));
        }
    };
    while let Some(token) = tokens.next() {
        let is_closed_next = matches!(tokens.peek(), Some([b'}' | b']', ..]));
        match token {
            b"{" | b"[" => {
                written.extend_from_slice(token);
                depth += 1;
                if !is_closed_next {
                    new_line(&mut written, depth);
                }
            }
            b"}" | b"]" => {
                depth = depth.saturating_sub(1);
                if !matches!(written.last(), Some(b'{' | b'[')) {
                    new_line(&mut written, depth);
                }
                written.extend_from_slice(token);
            }
            b"," => {
                written.push(b',');
                if spacing == Spacing::Spaced {
                    written.push(b' ');
                }
                new_line(&mut written, depth);
            }
            b":" => {
                written.push(b':');
                if spacing != Spacing::Compact {
                    written.push(b' ');
                }
            }
            _ => written.extend_from_slice(token),
        }
    }
    written
}

/// The same JSON with its texts written in another way.
pub(super) fn reescape(json: &str, escapes: Escapes) -> String {
    use Escapes::{
        EscapedSlashes, EscapedSlashesAndUnicode, EscapedUnicode, PlainSlashes,
        PlainSlashesAndUnicode, PlainUnicode,
    };
    let escapes_slashes = matches!(escapes, EscapedSlashes | EscapedSlashesAndUnicode);
    let escapes_unicode = matches!(escapes, EscapedUnicode | EscapedSlashesAndUnicode);
    let plain_slashes = matches!(escapes, PlainSlashes | PlainSlashesAndUnicode);
    let plain_unicode = matches!(escapes, PlainUnicode | PlainSlashesAndUnicode);
    let mut written = String::with_capacity(json.len() + json.len() / 4);
    let mut rest = json;
    // Slashes and letters beyond ASCII stand in texts only.
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if c == '\\' {
            let len = if plain_unicode { escaped(rest) } else { None };
            if let Some((c, len)) = len {
                written.push(c);
                rest = &rest[len..];
                continue;
            }
            if !(plain_slashes && after.starts_with('/')) {
                written.push('\\');
            }
            // What is escaped is passed on, so that its backslash is not taken for another one.
            let next = after.chars().next();
            written.extend(next);
            rest = &after[next.map_or(0, char::len_utf8)..];
            continue;
        }
        if c == '/' && escapes_slashes {
            written.push('\\');
        }
        if !c.is_ascii() && escapes_unicode {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                written.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            written.push(c);
        }
        rest = after;
    }
    written
}

/// The letter beyond ASCII that is escaped at the start of this text, and how long its escape is.
fn escaped(text: &str) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let first = unit(0)?;
    let (units, len) = match unit(6) {
        Some(second) if (0xd800..0xdc00).contains(&first) => (vec![first, second], 12),
        _ => (vec![first], 6),
    };
    let c = char::decode_utf16(units).next()?.ok()?;
    (!c.is_ascii()).then_some((c, len))
}

/// Marks, texts with their quotes, and whatever else stands between white space.
struct Tokens<'t>(&'t [u8]);

impl<'t> Iterator for Tokens<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        let text = self.0.trim_ascii_start();
        let len = match *text.first()? {
            b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
            b'"' => end_of_text(text),
            _ => {
                let ends = |byte: &u8| byte.is_ascii_whitespace() || b"{}[],:\"".contains(byte);
                text.iter().position(ends).unwrap_or(text.len())
            }
        };
        let (token, rest) = text.split_at(len);
        self.0 = rest;
        Some(token)
    }
}

/// How long the text in quotes is with which this begins.
fn end_of_text(text: &[u8]) -> usize {
    let mut is_escaped = false;
    for (index, byte) in text.iter().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPACT: &str = r#"{"b":1.10,"a":[],"c":{"x, \" {":[true,{}]}}"#;

    #[test]
    fn spacing_changes_white_space_outside_of_texts_only() {
        let lines = "{\n  \"b\": 1.10,\n  \"a\": [],\n  \"c\": {\n    \"x, \\\" {\": [\n      true,\n      {}\n    ]\n  }\n}";
        let spaced = r#"{"b": 1.10, "a": [], "c": {"x, \" {": [true, {}]}}"#;
        for from in [COMPACT, lines, spaced] {
            let again = |spacing| String::from_utf8(respace(from.as_bytes(), spacing)).unwrap();
            assert_eq!(again(Spacing::Compact), COMPACT);
            assert_eq!(again(Spacing::Spaced), spaced);
            assert_eq!(again(Spacing::Lines("  ")), lines);
        }
    }

    #[test]
    fn escapes_are_written_and_taken_back() {
        let plain = "{\"a\":\"\u{e9}/\u{1f600}\\\\u00e9\"}";
        let both = r#"{"a":"\u00e9\/\ud83d\ude00\\u00e9"}"#;
        assert_eq!(reescape(plain, Escapes::EscapedSlashesAndUnicode), both);
        assert_eq!(reescape(both, Escapes::PlainSlashesAndUnicode), plain);
        let slashes = reescape(plain, Escapes::EscapedSlashes);
        assert_eq!(reescape(&slashes, Escapes::PlainSlashes), plain);
        let unicode = reescape(plain, Escapes::EscapedUnicode);
        assert_eq!(reescape(&unicode, Escapes::PlainUnicode), plain);
        for odd in ["\\", "\\u", "\\u12", "\\ud83d", "\\u0041", "\\\u{e9}"] {
            assert_eq!(reescape(odd, Escapes::PlainUnicode), odd);
        }
    }

    #[test]
    fn nothing_panics_on_what_is_no_json() {
        for text in ["", "\"", "]}", "{\"a", "\\", ",:,", "\"\\"] {
            let _ = respace(text.as_bytes(), Spacing::Lines("\t"));
            assert!(!is_json(text.as_bytes()));
        }
    }
}
