use std::{fmt, iter};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use memchr::memchr;

use super::decode::{decode_base64, decode_hex};
use super::keys::{Algorithm, Tag};
use crate::rejection::{
    CONFLICTING_HEADERS, MALFORMED_SIGNATURE, MALFORMED_TIMESTAMP, MISSING_SIGNATURE, Rejection,
    TOO_MANY_SIGNATURES,
};

/// How the bytes of a signature are written.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Encoding {
    /// Standard base64 with padding.
    Base64,
    /// Hex, in either case.
    #[default]
    Hex,
}

impl Encoding {
    /// Decodes exactly one signature, or nothing: no other length, no spaces, no missing padding.
    pub(in crate::scheme) fn decode(self, text: &[u8], bytes: &mut [u8]) -> Option<()> {
        match self {
            Self::Base64 => decode_base64(text, bytes),
            Self::Hex => decode_hex(text, bytes),
        }
    }

    fn encode(self, bytes: &[u8]) -> String {
        match self {
            Self::Base64 => STANDARD.encode(bytes),
            Self::Hex => hex::encode(bytes),
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Base64 => "base64",
            Self::Hex => "hex",
        })
    }
}

/// How a signature header is put together: items between separators, told apart by the tag they
/// start with.
#[derive(Clone, Debug, Default)]
pub(crate) struct SignatureForm {
    pub(crate) separator: Option<u8>,
    /// What an item that is a signature starts with. Empty: every item is a bare signature.
    pub(crate) tags: Vec<String>,
    /// Whether an item without a tag is a signature as well.
    pub(crate) tag_optional: bool,
    /// What the item that is the timestamp starts with.
    pub(crate) timestamp_tag: Option<String>,
    pub(crate) encoding: Encoding,
    /// Whether the sender repeats the header, one signature each.
    pub(crate) repeated: bool,
}

impl SignatureForm {
    /// All signatures in the values of one header, and the timestamp where the header carries it.
    ///
    /// A signature that can't be decoded is passed over as long as another one can. They are decoded
    /// right to where they stay: to copy what was just written byte by byte is slow.
    #[inline]
    pub(crate) fn read<'h>(
        &self,
        values: impl IntoIterator<Item = &'h [u8]>,
        algorithm: Algorithm,
        signatures: &mut Signatures,
    ) -> Result<Option<&'h [u8]>, Rejection> {
        let mut timestamp = None;
        let mut first: Option<&[u8]> = None;
        for value in values {
            if let Some(first) = first
                && !self.repeated
            {
                if first != value {
                    return Err(CONFLICTING_HEADERS);
                }
                continue;
            }
            first = Some(value);
            signatures.seen |= !value.is_empty();
            for item in self.items(value) {
                if let Some(signature) = self.signature(item) {
                    signatures.presented += 1;
                    if signatures.presented > MAX_SIGNATURES {
                        return Err(TOO_MANY_SIGNATURES);
                    }
                    let len = algorithm.tag_len();
                    signatures.push(len, |bytes| self.encoding.decode(signature, bytes));
                } else if let Some(found) = self.timestamp_of(item) {
                    if timestamp.is_some_and(|earlier| earlier != found) {
                        return Err(MALFORMED_TIMESTAMP);
                    }
                    timestamp = Some(found);
                }
            }
        }
        Ok(timestamp)
    }

    /// The signatures in the values of one header as they are written, for signatures that are no
    /// HMAC and decoded elsewhere. There is at least one.
    #[cfg(any(feature = "ecdsa", feature = "ed25519"))]
    pub(super) fn texts<'h>(
        &self,
        values: impl IntoIterator<Item = &'h [u8]>,
    ) -> Result<Vec<&'h [u8]>, Rejection> {
        let mut values = values.into_iter();
        let value = values.next().unwrap_or_default();
        if values.any(|other| other != value) {
            return Err(CONFLICTING_HEADERS);
        }
        let texts: Vec<_> = self
            .items(value)
            .filter_map(|item| self.signature(item))
            .collect();
        match texts.len() {
            0 if value.is_empty() => Err(MISSING_SIGNATURE),
            0 => Err(MALFORMED_SIGNATURE),
            len if len > usize::from(MAX_SIGNATURES) => Err(TOO_MANY_SIGNATURES),
            _ => Ok(texts),
        }
    }

    /// A signature as this form writes it, with the timestamp where the form holds it.
    pub(crate) fn write(&self, signature: &[u8], timestamp: &str) -> String {
        let mut text = String::new();
        if let Some(tag) = &self.timestamp_tag {
            text.push_str(tag);
            text.push_str(timestamp);
            text.extend(self.separator.map(char::from));
        }
        text.extend(self.tags.first().map(String::as_str));
        text.push_str(&self.encoding.encode(signature));
        text
    }

    /// The timestamp in a header that was read before.
    pub(crate) fn timestamp<'h>(&self, value: &'h HeaderValue) -> Option<&'h [u8]> {
        self.items(value.as_bytes())
            .find_map(|item| self.timestamp_of(item))
    }

    fn items<'v>(&self, value: &'v [u8]) -> impl Iterator<Item = &'v [u8]> {
        let separator = self.separator;
        let mut rest = Some(value);
        let items = iter::from_fn(move || {
            let text = rest?;
            let Some(at) = separator.and_then(|separator| memchr(separator, text)) else {
                return rest.take();
            };
            rest = Some(&text[at + 1..]);
            Some(&text[..at])
        });
        items.map(<[u8]>::trim_ascii)
    }

    fn signature<'v>(&self, item: &'v [u8]) -> Option<&'v [u8]> {
        let tagged = self
            .tags
            .iter()
            .find_map(|tag| item.strip_prefix(tag.as_bytes()));
        if tagged.is_none() && (self.tags.is_empty() || self.tag_optional) {
            let is_timestamp = self.timestamp_of(item).is_some();
            return Some(item).filter(|item| !item.is_empty() && !is_timestamp);
        }
        tagged
    }

    fn timestamp_of<'v>(&self, item: &'v [u8]) -> Option<&'v [u8]> {
        item.strip_prefix(self.timestamp_tag.as_ref()?.as_bytes())
    }
}

/// The signatures a delivery presents, decoded. Nearly all present one, which is kept in place.
pub(crate) struct Signatures {
    /// How many there were, decodable or not.
    presented: u8,
    len: u8,
    /// Whether there was any text at all.
    seen: bool,
    first: Tag,
    rest: Vec<Tag>,
}

impl Signatures {
    pub(crate) fn none() -> Self {
        Self {
            presented: 0,
            seen: false,
            len: 0,
            first: Tag::ZERO,
            rest: Vec::new(),
        }
    }

    /// Adds the signature of this length that `decode` writes, where it can.
    fn push(&mut self, len: usize, decode: impl FnOnce(&mut [u8]) -> Option<()>) {
        if self.len == 0 {
            if decode(self.first.bytes_mut(len)).is_some() {
                self.len = 1;
            } else {
                self.first = Tag::ZERO;
            }
            return;
        }
        let mut tag = Tag::ZERO;
        if decode(tag.bytes_mut(len)).is_some() {
            self.rest.push(tag);
            self.len += 1;
        }
    }

    /// Refuses a delivery of whose signatures none can be one.
    #[inline]
    pub(crate) fn check(&self) -> Result<(), Rejection> {
        match (self.len, self.seen) {
            (0, false) => Err(MISSING_SIGNATURE),
            (0, true) => Err(MALFORMED_SIGNATURE),
            _ => Ok(()),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Tag> {
        let first = (self.len > 0).then_some(&self.first);
        first.into_iter().chain(&self.rest)
    }
}

/// How many signatures a delivery may present: each costs a comparison with every key.
pub(super) const MAX_SIGNATURES: u8 = 8;

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderName};
    use proptest::prelude::*;

    use super::*;

    const NAME: HeaderName = HeaderName::from_static("signature");
    const GOOD: &str = "0000000000000000000000000000000000000000000000000000000000000000";

    fn form() -> SignatureForm {
        SignatureForm {
            separator: Some(b','),
            tags: vec!["v1=".into()],
            timestamp_tag: Some("t=".into()),
            ..SignatureForm::default()
        }
    }

    fn read(
        form: &SignatureForm,
        values: &[&str],
    ) -> Result<(usize, Option<String>), &'static str> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(NAME, value.parse().unwrap());
        }
        let mut signatures = Signatures::none();
        let lines = headers.get_all(NAME).iter().map(HeaderValue::as_bytes);
        let timestamp = form
            .read(lines, Algorithm::Sha256, &mut signatures)
            .and_then(|timestamp| signatures.check().map(|()| timestamp))
            .map_err(|rejection| rejection.cause())?;
        let text = timestamp.map(|text| String::from_utf8(text.to_vec()).unwrap());
        assert_eq!(
            text.as_deref().map(str::as_bytes),
            headers.get(NAME).and_then(|value| form.timestamp(value))
        );
        Ok((signatures.iter().count(), text))
    }

    #[test]
    fn every_accepted_item_is_read_and_others_are_passed_over() {
        let value = format!("t=1, v1={GOOD} ,v1=bad,v0={GOOD},x,,v1={GOOD}");
        assert_eq!(read(&form(), &[&value]), Ok((2, Some("1".into()))));
    }

    #[test]
    fn a_header_without_a_usable_signature_is_malformed_and_an_empty_one_missing() {
        for value in [
            "t=1",
            "t=1,v1=",
            "t=1,v1=zz",
            "v1",
            ",,",
            &format!("v0={GOOD}"),
            &format!("v1={GOOD}0"),
        ] {
            assert_eq!(
                read(&form(), &[value]),
                Err("malformed_signature"),
                "{value}"
            );
        }
        assert_eq!(read(&form(), &[""]), Err("missing_signature"));
        assert_eq!(read(&form(), &[]), Err("missing_signature"));
    }

    #[test]
    fn eight_signatures_are_read_and_nine_refused() {
        let value = vec![format!("v1={GOOD}"); 8].join(",");
        assert_eq!(read(&form(), &[&value]), Ok((8, None)));
        assert_eq!(
            read(&form(), &[&format!("{value},v1=bad")]),
            Err("too_many_signatures")
        );
    }

    #[test]
    fn a_repeated_header_must_repeat_its_value_unless_the_sender_repeats_it() {
        let (a, b) = (format!("v1={GOOD}"), format!("t=1,v1={GOOD}"));
        assert_eq!(read(&form(), &[&a, &a]), Ok((1, None)));
        assert_eq!(read(&form(), &[&a, &b]), Err("conflicting_headers"));
        assert_eq!(
            read(
                &SignatureForm {
                    repeated: true,
                    ..form()
                },
                &[&a, &a]
            ),
            Ok((2, None))
        );
    }

    #[test]
    fn two_different_timestamps_are_malformed() {
        assert_eq!(
            read(&form(), &[&format!("t=1,t=2,v1={GOOD}")]),
            Err("malformed_timestamp")
        );
        assert_eq!(
            read(&form(), &[&format!("t=1,t=1,v1={GOOD}")]),
            Ok((1, Some("1".into())))
        );
    }

    #[test]
    fn what_is_written_is_read() {
        let text = form().write(&[7; 32], "12");
        assert_eq!(read(&form(), &[&text]), Ok((1, Some("12".into()))));
        let base64 = SignatureForm {
            encoding: Encoding::Base64,
            ..SignatureForm::default()
        };
        assert_eq!(read(&base64, &[&base64.write(&[7; 32], "")]), Ok((1, None)));
    }

    #[test]
    fn an_optional_tag_may_be_missing() {
        let form = SignatureForm {
            tags: vec!["sha256=".into()],
            tag_optional: true,
            ..SignatureForm::default()
        };
        assert_eq!(read(&form, &[GOOD]), Ok((1, None)));
        assert_eq!(read(&form, &[&format!("sha256={GOOD}")]), Ok((1, None)));
        assert_eq!(
            read(&form, &[&format!("sha1={GOOD}")]),
            Err("malformed_signature")
        );
    }

    #[test]
    fn base64_is_decoded_strictly() {
        let form = SignatureForm {
            encoding: Encoding::Base64,
            ..SignatureForm::default()
        };
        let good = format!("{}=", "A".repeat(43));
        assert_eq!(read(&form, &[&good]), Ok((1, None)));
        for bad in [
            "A".repeat(43),
            "A".repeat(44),
            format!("{}B=", "A".repeat(42)),
            good.replace("AA=", "-A="),
        ] {
            assert_eq!(read(&form, &[&bad]), Err("malformed_signature"), "{bad}");
        }
        for (algorithm, len) in [
            (Algorithm::Sha1, 28),
            (Algorithm::Sha256, 44),
            (Algorithm::Sha512, 88),
        ] {
            let text = STANDARD.encode(vec![255; algorithm.tag_len()]);
            assert_eq!(text.len(), len);
            let mut decoded = vec![0; algorithm.tag_len()];
            let decoding = Encoding::Base64.decode(text.as_bytes(), &mut decoded);
            assert!(decoding.is_some());
        }
    }

    proptest! {
        #[test]
        fn no_header_value_panics(value: Vec<u8>, separator: Option<u8>, base64: bool) {
            let Ok(value) = HeaderValue::from_bytes(&value) else { return Ok(()) };
            let mut headers = HeaderMap::new();
            headers.insert(NAME, value);
            let encoding = if base64 { Encoding::Base64 } else { Encoding::Hex };
            for tag_optional in [false, true] {
                let form = SignatureForm { separator, encoding, tag_optional, ..form() };
                let lines = headers.get_all(NAME).iter().map(HeaderValue::as_bytes);
                let _ = form.read(lines, Algorithm::Sha512, &mut Signatures::none());
            }
        }
    }
}
