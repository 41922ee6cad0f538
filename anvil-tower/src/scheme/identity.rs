use std::borrow::Cow;
use std::fmt;

use http::HeaderName;
use sha2::{Digest, Sha256};

/// The names a verified delivery goes by.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[must_use]
pub struct Identity {
    delivery_id: Option<DeliveryId>,
    kind: Option<Cow<'static, str>>,
    signature_header: Option<HeaderName>,
    signed_content: SignedContent,
}

impl Identity {
    /// A delivery without a name.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the id the sender gave the delivery, and whether the signature covers it.
    ///
    /// An id that is empty, longer than 200 bytes or not printable is no id. Default: none.
    pub fn delivery_id(mut self, id: impl Into<Box<str>>, signed: bool) -> Self {
        let id = id.into();
        self.delivery_id = is_name(&id).then_some(DeliveryId { value: id, signed });
        self
    }

    /// Sets the event type.
    ///
    /// A type that is empty, longer than 200 bytes or not printable is no type. Default: none, and
    /// the job's kind is then `"webhook"`.
    pub fn kind(mut self, kind: impl Into<Cow<'static, str>>) -> Self {
        let kind = kind.into();
        self.kind = is_name(&kind).then_some(kind);
        self
    }

    /// Sets the header that carries the signature, for
    /// [`SignatureAndPayload`](crate::SignatureAndPayload). Default: none.
    pub fn signature_header(mut self, name: HeaderName) -> Self {
        self.signature_header = Some(name);
        self
    }

    /// Sets what is signed before and after the body, for the digest that names a delivery without
    /// a signed id. Default: the body alone is signed.
    pub fn signed_around(
        mut self,
        before: impl Into<Box<[u8]>>,
        after: impl Into<Box<[u8]>>,
    ) -> Self {
        self.signed_content = SignedContent::Around {
            before: before.into(),
            after: after.into(),
        };
        self
    }

    /// Sets what is signed instead of the body, for the same digest. Default: the body is signed.
    pub fn signed_instead(mut self, content: impl Into<Box<[u8]>>) -> Self {
        self.signed_content = SignedContent::Instead(content.into());
        self
    }

    /// The id the sender gave the delivery.
    #[must_use]
    pub fn id(&self) -> Option<&DeliveryId> {
        self.delivery_id.as_ref()
    }

    /// The event type, or `"webhook"` where there is none.
    #[must_use]
    pub fn kind_name(&self) -> &str {
        self.kind.as_deref().unwrap_or(DEFAULT_KIND)
    }

    pub(crate) fn into_kind(self) -> Cow<'static, str> {
        self.kind.unwrap_or(Cow::Borrowed(DEFAULT_KIND))
    }

    pub(crate) fn signature_header_name(&self) -> Option<&HeaderName> {
        self.signature_header.as_ref()
    }

    /// The signed id, or else the SHA-256 of what was signed.
    pub(crate) fn recommended_part(&self, body: &[u8]) -> Vec<u8> {
        if let Some(id) = self.delivery_id.as_ref().filter(|id| id.signed) {
            return id.value.as_bytes().to_vec();
        }
        let (before, body, after) = match &self.signed_content {
            SignedContent::Around { before, after } => (&before[..], body, &after[..]),
            SignedContent::Body => (&[][..], body, &[][..]),
            SignedContent::Instead(content) => (&[][..], &content[..], &[][..]),
        };
        Sha256::new()
            .chain_update(before)
            .chain_update(body)
            .chain_update(after)
            .finalize()
            .to_vec()
    }
}

/// The id a sender gave a delivery.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DeliveryId {
    value: Box<str>,
    signed: bool,
}

impl DeliveryId {
    /// The id, 1 to 200 printable bytes.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.value
    }

    /// Whether the signature covers the id. Where it does not, whoever captured one delivery can
    /// send it again under any id.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.signed
    }
}

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.value)
    }
}

/// What the digest of a delivery covers.
#[derive(Clone, Default, Eq, PartialEq)]
enum SignedContent {
    Around {
        before: Box<[u8]>,
        after: Box<[u8]>,
    },
    #[default]
    Body,
    Instead(Box<[u8]>),
}

impl fmt::Debug for SignedContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Around { before, after } => f
                .debug_struct("Around")
                .field("before_len", &before.len())
                .field("after_len", &after.len())
                .finish(),
            Self::Body => f.write_str("Body"),
            Self::Instead(content) => f
                .debug_struct("Instead")
                .field("len", &content.len())
                .finish(),
        }
    }
}

fn is_name(text: &str) -> bool {
    if !(1..=MAX_NAME_LEN).contains(&text.len()) {
        return false;
    }
    // Without an early exit, so that many bytes are looked at in one step.
    let plain = text
        .bytes()
        .fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~'));
    plain || !text.chars().any(char::is_control)
}

const DEFAULT_KIND: &str = "webhook";
const MAX_NAME_LEN: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_empty_long_or_unprintable_is_none() {
        for bad in ["", "a\nb", "\u{7f}", &"x".repeat(201)] {
            let identity = Identity::new().delivery_id(bad, true).kind(bad.to_owned());
            assert_eq!(identity, Identity::new(), "{bad:?}");
        }
        let longest = "x".repeat(200);
        assert_eq!(
            Identity::new()
                .delivery_id(&*longest, true)
                .id()
                .unwrap()
                .as_str(),
            longest
        );
    }

    #[test]
    fn an_unsigned_id_does_not_name_a_delivery() {
        let signed = Identity::new().delivery_id("a", true);
        assert_eq!(signed.recommended_part(b"body"), b"a");
        let unsigned = Identity::new().delivery_id("a", false);
        assert_eq!(
            unsigned.recommended_part(b"body"),
            Sha256::digest(b"body").to_vec()
        );
    }

    #[test]
    fn the_digest_covers_all_that_is_signed() {
        let identity = Identity::new().signed_around(&b"1."[..], &b".2"[..]);
        assert_eq!(
            identity.recommended_part(b"body"),
            Sha256::digest(b"1.body.2").to_vec()
        );
        let identity = Identity::new().signed_instead(&b"1.token"[..]);
        assert_eq!(
            identity.recommended_part(b"body"),
            Sha256::digest(b"1.token").to_vec()
        );
    }
}
