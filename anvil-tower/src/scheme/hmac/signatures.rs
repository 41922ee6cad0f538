use http::HeaderValue;
use http::header::GetAll;

use super::encoding::Encoding;
use super::keys::Algorithm;
use crate::rejection::{
    CONFLICTING_HEADERS, MALFORMED_SIGNATURE, MALFORMED_TIMESTAMP, MISSING_SIGNATURE, Rejection,
    TOO_MANY_SIGNATURES,
};

/// How a signature header is put together: items between separators, told apart by the tag they
/// start with.
#[derive(Clone, Debug, Default)]
pub(super) struct SignatureForm {
    pub(super) separator: Option<u8>,
    /// What an item that is a signature starts with. Empty: every item is a bare signature.
    pub(super) tags: Vec<String>,
    /// Whether an item without a tag is a signature as well.
    pub(super) tag_optional: bool,
    /// What the item that is the timestamp starts with.
    pub(super) timestamp_tag: Option<String>,
    pub(super) encoding: Encoding,
    /// Whether the sender repeats the header, one signature each.
    pub(super) repeated: bool,
}

impl SignatureForm {
    /// Puts all signatures of the header into `signatures`, and gives the timestamp where the
    /// header carries it.
    ///
    /// A signature that can't be decoded is passed over as long as another one can.
    pub(super) fn read<'h>(
        &self,
        values: GetAll<'h, HeaderValue>,
        signatures: &mut Signatures,
    ) -> Result<Option<&'h [u8]>, Rejection> {
        let mut timestamp = None;
        let mut presented = 0;
        let mut first: Option<&[u8]> = None;
        for value in values {
            let value = value.as_bytes();
            if let Some(first) = first
                && !self.repeated
            {
                if first != value {
                    return Err(CONFLICTING_HEADERS);
                }
                continue;
            }
            first = Some(value);
            for item in self.items(value) {
                if let Some(signature) = self.signature(item) {
                    presented += 1;
                    if presented > signatures.capacity() {
                        return Err(TOO_MANY_SIGNATURES);
                    }
                    signatures.push(|slot| self.encoding.decode(signature, slot));
                } else if let Some(found) = self.timestamp_of(item) {
                    if timestamp.is_some_and(|earlier| earlier != found) {
                        return Err(MALFORMED_TIMESTAMP);
                    }
                    timestamp = Some(found);
                }
            }
        }
        match (signatures.is_empty(), first) {
            (true, None | Some([])) => Err(MISSING_SIGNATURE),
            (true, Some(_)) => Err(MALFORMED_SIGNATURE),
            (false, _) => Ok(timestamp),
        }
    }

    /// The timestamp in a header that was read before.
    pub(super) fn timestamp<'h>(&self, value: &'h HeaderValue) -> Option<&'h [u8]> {
        self.items(value.as_bytes())
            .find_map(|item| self.timestamp_of(item))
    }

    fn items<'v>(&self, value: &'v [u8]) -> impl Iterator<Item = &'v [u8]> {
        let separator = self.separator;
        value
            .split(move |byte| Some(*byte) == separator)
            .map(<[u8]>::trim_ascii)
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

/// The signatures a delivery presents, decoded: a bounded number, each of which costs a comparison
/// with every key.
///
/// One flat array and no more, because it is moved along with every delivery.
pub(super) struct Signatures {
    bytes: [u8; Self::BYTES],
    tag_len: usize,
    len: usize,
}

impl Signatures {
    /// Room for 8 signatures, or 4 of SHA-512.
    const BYTES: usize = 256;

    pub(super) fn new(algorithm: Algorithm) -> Self {
        Self {
            bytes: [0; Self::BYTES],
            tag_len: algorithm.tag_len(),
            len: 0,
        }
    }

    /// The signatures, each with zeros behind it up to the length of a slot.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.slot_len()).take(self.len)
    }

    fn push(&mut self, decode: impl FnOnce(&mut [u8]) -> Option<()>) {
        let start = self.len * self.slot_len();
        if let Some(slot) = self.bytes.get_mut(start..start + self.tag_len)
            && decode(slot).is_some()
        {
            self.len += 1;
        }
    }

    fn capacity(&self) -> usize {
        Self::BYTES / self.slot_len()
    }

    fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn slot_len(&self) -> usize {
        self.tag_len.next_multiple_of(32)
    }
}

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
        let mut signatures = Signatures::new(Algorithm::Sha256);
        let timestamp = form
            .read(headers.get_all(NAME), &mut signatures)
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
    fn longer_signatures_are_fewer() {
        let long = format!("v1={GOOD}{GOOD}");
        let mut headers = HeaderMap::new();
        let mut read = |count: usize| {
            headers.insert(NAME, vec![&*long; count].join(",").parse().unwrap());
            let mut signatures = Signatures::new(Algorithm::Sha512);
            form()
                .read(headers.get_all(NAME), &mut signatures)
                .map(|_| signatures.iter().count())
        };
        assert_eq!(read(4), Ok(4));
        assert_eq!(read(5), Err(TOO_MANY_SIGNATURES));
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
                let _ = form.read(headers.get_all(NAME), &mut Signatures::new(Algorithm::Sha512));
            }
        }
    }
}
