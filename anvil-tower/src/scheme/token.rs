//! Senders that send a shared token instead of a signature.
//!
//! ```
//! use anvil_tower::VerifyLayer;
//! use anvil_tower::token::TokenScheme;
//!
//! let scheme = TokenScheme::header("acme", "x-acme-token")
//!     .id_pointer("/event/id")
//!     .kind_header("x-acme-event")
//!     .token("a token of 16 bytes or more")
//!     .build()?;
//! let layer = VerifyLayer::new("acme", scheme);
//! # let _ = layer;
//! # Ok::<(), anvil_tower::ConfigError>(())
//! ```
//!
//! # What it guarantees
//!
//! * Tokens are compared as SHA-256 digests in constant time, every token without an early exit.
//! * A token in a header is judged before a byte of the body is asked for.
//! * A header of the scheme that is there twice with two values is refused.
//! * An expired token is reported as such only after it matched.
//!
//! # What it does not
//!
//! Sign anything. Whoever sees one delivery, such as a proxy or a log of requests, has the token and
//! can make up others, so the sender has to send over TLS and the token must not be stored. No
//! timestamp protects from a replay, and no id is a signed one: the digest of the body names a
//! delivery.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderName;
use http::header::AUTHORIZATION;
use http::request::Parts;
use sha2::{Digest, Sha256};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use super::hmac::{SecretEncoding, Secrets, header_name, single};
use super::{Check, DEFAULT_BODY_LIMIT, Identity, Proof, Scheme};
use crate::json::{JsonPointer, first_name_beside};
use crate::preset::{Described, Settings};
use crate::rejection::{
    EXPIRED, MALFORMED_BODY, MALFORMED_TOKEN, MISMATCH, MISSING_TOKEN, Rejection,
};
use crate::{ConfigError, RejectionKind};

/// A sender that sends a shared token; see the [module docs](self) for an example.
///
/// `Debug` shows the name and the ids of the tokens, never a token.
pub struct TokenScheme {
    name: &'static str,
    place: Place,
    tokens: Arc<Tokens>,
    id: Option<Field>,
    kind: Option<Field>,
    body_limit: usize,
}

/// Where the token is.
#[derive(Clone)]
enum Place {
    Basic,
    Body(JsonPointer),
    Header(HeaderName),
    Items {
        list: JsonPointer,
        item: JsonPointer,
    },
}

/// Where a name of the delivery is.
enum Field {
    Header(HeaderName),
    /// The name of the first field that is not this one.
    NameBeside(&'static str),
    Pointer(JsonPointer),
}

impl TokenScheme {
    /// Starts the description of a sender with this name whose token is the whole value of this
    /// header.
    pub fn header(name: &'static str, header: impl Into<String>) -> TokenBuilder {
        TokenBuilder::new(name, PlaceText::Header(header.into()))
    }

    /// Starts the description of a sender with this name that uses HTTP basic authentication
    /// ([RFC 7617](https://www.rfc-editor.org/rfc/rfc7617)). The token is `user:password`.
    pub fn basic_auth(name: &'static str) -> TokenBuilder {
        TokenBuilder::new(name, PlaceText::Basic)
    }

    /// Starts the description of a sender with this name that puts the token into a JSON body, at
    /// this pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)). A field on the way that is
    /// there twice is refused: readers disagree about which one counts.
    pub fn in_body(name: &'static str, pointer: impl Into<String>) -> TokenBuilder {
        TokenBuilder::new(name, PlaceText::Body(pointer.into()))
    }

    /// Starts the description of a sender with this name that puts a token into every item of a
    /// batch. `list` points to the array, through objects only, and `item` from each of its elements
    /// to the token.
    ///
    /// Every item needs a token, and an empty array is refused.
    ///
    /// ```
    /// use anvil_tower::token::TokenScheme;
    ///
    /// let scheme = TokenScheme::in_every_item("acme", "/events", "/token")
    ///     .token("a token of 16 bytes or more")
    ///     .build()?;
    /// # let _ = scheme;
    /// # Ok::<(), anvil_tower::ConfigError>(())
    /// ```
    pub fn in_every_item(
        name: &'static str,
        list: impl Into<String>,
        item: impl Into<String>,
    ) -> TokenBuilder {
        let (list, item) = (list.into(), item.into());
        TokenBuilder::new(name, PlaceText::Items { list, item })
    }
}

impl Field {
    fn find(&self, head: &Parts, body: &[u8]) -> Option<String> {
        match self {
            Self::Header(name) => Some(head.headers.get(name)?.to_str().ok()?.to_owned()),
            Self::NameBeside(known) => first_name_beside(known, body),
            Self::Pointer(pointer) => pointer.find(body),
        }
    }
}

impl Scheme for TokenScheme {
    fn name(&self) -> &'static str {
        self.name
    }

    fn begin(&self, head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        for field in [&self.id, &self.kind] {
            if let Some(Field::Header(name)) = field {
                single(&head.headers, name)?;
            }
        }
        let presented = |name| {
            let value = single(&head.headers, name)?;
            value.filter(|value| !value.is_empty()).ok_or(MISSING_TOKEN)
        };
        let proof = match &self.place {
            Place::Basic => self
                .tokens
                .prove(&credentials(presented(&AUTHORIZATION)?)?, now)?,
            Place::Header(name) => self.tokens.prove(presented(name)?, now)?,
            Place::Body(pointer) => {
                let (tokens, pointer) = (Arc::clone(&self.tokens), pointer.clone());
                return Ok(Check::whole_body(move |body| {
                    let token = pointer.find(body).filter(|token| !token.is_empty());
                    tokens.prove(token.ok_or(MISSING_TOKEN)?.as_bytes(), now)
                }));
            }
            Place::Items { list, item } => {
                let (tokens, list, item) = (Arc::clone(&self.tokens), list.clone(), item.clone());
                return Ok(Check::whole_body(move |body| {
                    tokens.prove_each(&list, &item, body, now)
                }));
            }
        };
        Ok(Check::whole_body(|_| Ok(proof)))
    }

    fn identify(&self, head: &Parts, body: &[u8]) -> Identity {
        let find = |field: &Option<Field>| field.as_ref()?.find(head, body);
        let mut identity = Identity::new();
        if let Some(id) = find(&self.id) {
            identity = identity.delivery_id(id, false);
        }
        if let Some(kind) = find(&self.kind) {
            identity = identity.kind(kind);
        }
        identity
    }

    fn key_id(&self, key: u32) -> Arc<str> {
        let index = usize::try_from(key).unwrap_or(usize::MAX);
        let token = self.tokens.0.get(index);
        token.map_or_else(|| key.to_string().into(), |token| Arc::clone(&token.id))
    }

    fn key_is_named(&self, key: u32) -> bool {
        let token = usize::try_from(key)
            .ok()
            .and_then(|index| self.tokens.0.get(index));
        token.is_some_and(|token| token.is_named)
    }

    fn body_limit(&self) -> usize {
        self.body_limit
    }
}

impl fmt::Debug for TokenScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<_> = self.tokens.0.iter().map(|token| &token.id).collect();
        f.debug_struct("TokenScheme")
            .field("name", &self.name)
            .field("tokens", &ids)
            .finish_non_exhaustive()
    }
}

/// The `user:password` in the value of an `Authorization` header.
fn credentials(value: &[u8]) -> Result<Vec<u8>, Rejection> {
    let (scheme, text) = value.split_at_checked(BASIC.len()).ok_or(MALFORMED_TOKEN)?;
    if !scheme.eq_ignore_ascii_case(BASIC) {
        return Err(MALFORMED_TOKEN);
    }
    STANDARD.decode(text).map_err(|_| MALFORMED_TOKEN)
}

/// The digests of the tokens, by number. No `Debug`.
struct Tokens(Box<[Token]>);

struct Token {
    id: Arc<str>,
    is_named: bool,
    digest: [u8; 32],
    expires: Option<SystemTime>,
}

impl Tokens {
    /// Which token this is, found without a branch on what was compared.
    fn find(&self, presented: &[u8]) -> Option<u32> {
        let digest = Sha256::digest(presented);
        let mut matched = Choice::from(0);
        let mut key = 0_u32;
        for (token, index) in self.0.iter().zip(0..) {
            let equal = token.digest[..].ct_eq(&digest);
            key.conditional_assign(&index, equal & !matched);
            matched |= equal;
        }
        bool::from(matched).then_some(key)
    }

    fn prove(&self, presented: &[u8], now: SystemTime) -> Result<Proof, Rejection> {
        let key = self.find(presented).ok_or(MISMATCH)?;
        let index = usize::try_from(key).unwrap_or(usize::MAX);
        let expires = self.0.get(index).and_then(|token| token.expires);
        if expires.is_some_and(|expires| expires <= now) {
            return Err(EXPIRED);
        }
        Ok(Proof::new(key))
    }

    /// Checks every item; the proof is the first one's. Of several bad items a wrong token is
    /// reported before an expired one, since that one might have been copied.
    fn prove_each(
        &self,
        list: &JsonPointer,
        item: &JsonPointer,
        body: &[u8],
        now: SystemTime,
    ) -> Result<Proof, Rejection> {
        let mut verdict: Option<Result<Proof, Rejection>> = None;
        let count = list.each(item, body, |token| {
            let proof = match token.filter(|token| !token.is_empty()) {
                Some(token) => self.prove(token.as_bytes(), now),
                None => Err(MISSING_TOKEN),
            };
            verdict = Some(match (verdict.take(), proof) {
                (None, proof) => proof,
                (Some(Ok(_)), Err(rejection)) => Err(rejection),
                (Some(Err(earlier)), Err(rejection))
                    if earlier.kind() == RejectionKind::Expired =>
                {
                    Err(rejection)
                }
                (Some(earlier), _) => earlier,
            });
        });
        count.ok_or(MALFORMED_BODY)?;
        verdict.ok_or(MISSING_TOKEN)?
    }
}

/// Describes how a sender shows its token, and builds the scheme.
///
/// Every setter takes whatever it is given; [`build`](Self::build) checks the whole.
#[must_use = "a description does nothing until it is built"]
pub struct TokenBuilder {
    name: &'static str,
    place: PlaceText,
    secrets: Secrets,
    encoding: Option<SecretEncoding>,
    id: Option<FieldText>,
    kind: Option<FieldText>,
    body_limit: usize,
}

#[derive(Debug)]
enum PlaceText {
    Basic,
    Body(String),
    Header(String),
    Items { list: String, item: String },
}

enum FieldText {
    Header(String),
    NameBeside(&'static str),
    Pointer(String),
}

impl TokenBuilder {
    fn new(name: &'static str, place: PlaceText) -> Self {
        Self {
            name,
            place,
            secrets: Secrets::default(),
            encoding: None,
            id: None,
            kind: None,
            body_limit: DEFAULT_BODY_LIMIT,
        }
    }

    /// Adds a token, as the sender sends it. Its id is its number, from `"0"`.
    ///
    /// While tokens are rotated there are two: each of them is accepted. Range: 1 to 8 tokens.
    /// Default: none, which is refused.
    pub fn token(mut self, token: impl AsRef<[u8]>) -> Self {
        self.secrets.push(None, token.as_ref(), None);
        self
    }

    /// Adds a token under an id of its own, by which
    /// [`Verified::key_id`](crate::Verified::key_id) reports it.
    pub fn named_token(mut self, id: impl Into<Arc<str>>, token: impl AsRef<[u8]>) -> Self {
        self.secrets.push(Some(id.into()), token.as_ref(), None);
        self
    }

    /// Adds a token under an id of its own that is accepted until `end`, the end excluded. From then
    /// on a delivery with it is refused as [`Expired`](RejectionKind::Expired).
    pub fn expiring_token(
        mut self,
        id: impl Into<Arc<str>>,
        token: impl AsRef<[u8]>,
        end: SystemTime,
    ) -> Self {
        self.secrets
            .push(Some(id.into()), token.as_ref(), Some(end));
        self
    }

    /// Accepts tokens under 16 bytes, which are easier to guess. Default: refused.
    pub fn allow_short_token(mut self) -> Self {
        self.secrets.allow_short();
        self
    }

    /// Reads the id of the delivery from this header. Default: none. The last setting counts.
    pub fn id_header(mut self, name: impl Into<String>) -> Self {
        self.id = Some(FieldText::Header(name.into()));
        self
    }

    /// Reads the id of the delivery from the body, by a JSON pointer to a text or a whole number.
    /// Default: none. The last setting counts.
    pub fn id_pointer(mut self, pointer: impl Into<String>) -> Self {
        self.id = Some(FieldText::Pointer(pointer.into()));
        self
    }

    /// Reads the event type from this header. Default: none. The last setting counts.
    pub fn kind_header(mut self, name: impl Into<String>) -> Self {
        self.kind = Some(FieldText::Header(name.into()));
        self
    }

    /// Reads the event type from the body, by a JSON pointer. Default: none. The last setting
    /// counts.
    pub fn kind_pointer(mut self, pointer: impl Into<String>) -> Self {
        self.kind = Some(FieldText::Pointer(pointer.into()));
        self
    }

    /// The event type is the name of the first field of the body that is not the known one.
    pub(crate) fn kind_is_name_beside(mut self, known: &'static str) -> Self {
        self.kind = Some(FieldText::NameBeside(known));
        self
    }

    /// Sets the longest body the sender sends, in bytes. A limit of the layer overrides it. Default:
    /// 1 MiB.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Takes what the user of a preset has set.
    pub(crate) fn settings(mut self, settings: &Settings) -> Self {
        self.secrets = settings.secrets.clone();
        self.encoding = settings.secret_encoding;
        self
    }

    /// What the description says, in words.
    pub(crate) fn described(&self) -> Described {
        let (algorithm, place) = match &self.place {
            PlaceText::Basic => ("HTTP basic authentication", "authorization".into()),
            PlaceText::Body(pointer) => (EQUALITY, format!("{pointer} in the body")),
            PlaceText::Header(name) => (EQUALITY, name.clone()),
            PlaceText::Items { list, item } => (
                EQUALITY,
                format!("{item} in every element of {list} in the body"),
            ),
        };
        let field = |field: &Option<FieldText>| match field {
            Some(FieldText::Header(name)) => name.clone(),
            Some(FieldText::NameBeside(known)) => {
                format!("the name of the field beside {known} in the body")
            }
            Some(FieldText::Pointer(pointer)) => format!("{pointer} in the body"),
            None => String::new(),
        };
        Described {
            algorithm: algorithm.into(),
            signature: place.into(),
            signed_content: "nothing".into(),
            id: field(&self.id).into(),
            kind: field(&self.kind).into(),
            ..Described::default()
        }
    }

    /// Builds the scheme.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] says what to change: no token, more than 8, an empty or short one or one
    /// with white space around it, one without a colon where basic authentication is used, a name
    /// that can't be a header's, or a JSON pointer that can't be read.
    pub fn build(self) -> Result<TokenScheme, ConfigError> {
        if self.encoding.is_some() {
            return Err(ConfigError::new(format!(
                "{} sends its token as it stands, so a secret encoding changes nothing; leave it out",
                self.name
            )));
        }
        let secrets = self.secrets.decode(SecretEncoding::Verbatim)?;
        if secrets.is_empty() {
            return Err(ConfigError::new(
                "there is no token; set the one that was given to the sender",
            ));
        }
        if matches!(self.place, PlaceText::Basic)
            && secrets.iter().any(|secret| !secret.bytes.contains(&b':'))
        {
            return Err(ConfigError::new(
                "the secret of basic authentication is user and password with a colon between, such as \"user:password\"",
            ));
        }
        let tokens = secrets.iter().map(|secret| Token {
            id: Arc::clone(&secret.id),
            is_named: secret.is_named,
            digest: Sha256::digest(&secret.bytes).into(),
            expires: secret.expires,
        });
        let field = |field: Option<FieldText>| {
            let compiled = match field {
                Some(FieldText::Header(name)) => Field::Header(header_name(&name)?),
                Some(FieldText::NameBeside(known)) => Field::NameBeside(known),
                Some(FieldText::Pointer(text)) => Field::Pointer(JsonPointer::parse(&text)?),
                None => return Ok(None),
            };
            Ok::<_, ConfigError>(Some(compiled))
        };
        Ok(TokenScheme {
            name: self.name,
            place: match &self.place {
                PlaceText::Basic => Place::Basic,
                PlaceText::Body(pointer) => Place::Body(JsonPointer::parse(pointer)?),
                PlaceText::Header(name) => Place::Header(header_name(name)?),
                PlaceText::Items { list, item } => Place::Items {
                    list: JsonPointer::parse(list)?,
                    item: JsonPointer::parse(item)?,
                },
            },
            tokens: Arc::new(Tokens(tokens.collect())),
            id: field(self.id)?,
            kind: field(self.kind)?,
            body_limit: self.body_limit,
        })
    }
}

impl fmt::Debug for TokenBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenBuilder")
            .field("name", &self.name)
            .field("place", &self.place)
            .field("tokens", &self.secrets.len())
            .finish_non_exhaustive()
    }
}

const BASIC: &[u8] = b"Basic ";
const EQUALITY: &str = "equality of a token";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::testing::{check, check_at, head, names, signed_at};

    const OLD: &str = "the token of last year";
    const NEW: &str = "the token of this year";

    fn with_tokens(builder: TokenBuilder) -> TokenScheme {
        let builder = builder.named_token("old", OLD).named_token("new", NEW);
        builder.build().unwrap()
    }

    #[test]
    fn each_token_in_the_header_is_accepted_and_named() {
        let scheme = with_tokens(TokenScheme::header("acme", "X-Token"));
        for (token, id) in [(OLD, "old"), (NEW, "new")] {
            let proof = check(&scheme, &[("x-token", token)], "any body").unwrap();
            assert_eq!(&*scheme.key_id(proof.key), id);
        }
        for (value, cause) in [
            ("", "missing_token"),
            ("the token of this yea", "mismatch"),
            ("the token of this year!", "mismatch"),
            ("THE TOKEN OF THIS YEAR", "mismatch"),
        ] {
            assert_eq!(
                check(&scheme, &[("x-token", value)], ""),
                Err(cause),
                "{value}"
            );
        }
        assert_eq!(check(&scheme, &[], ""), Err("missing_token"));
    }

    #[test]
    fn two_tokens_or_ids_that_differ_are_refused() {
        let scheme = with_tokens(TokenScheme::header("acme", "x-token").id_header("x-id"));
        for headers in [
            [("x-token", NEW), ("x-token", OLD), ("x-id", "1")],
            [("x-token", NEW), ("x-id", "2"), ("x-id", "1")],
        ] {
            assert_eq!(check(&scheme, &headers, ""), Err("conflicting_headers"));
        }
        assert!(check(&scheme, &[("x-token", NEW), ("x-token", NEW)], "").is_ok());
    }

    #[test]
    fn a_token_in_the_head_is_judged_before_the_body() {
        let scheme = with_tokens(TokenScheme::header("acme", "x-token"));
        let refused = scheme.begin(&head(&[("x-token", "wrong")]), signed_at());
        assert_eq!(refused.unwrap_err().cause(), "mismatch");
    }

    #[test]
    fn a_token_that_has_expired_is_reported_as_such_at_its_end() {
        let scheme = TokenScheme::header("acme", "x-token")
            .expiring_token("old", OLD, signed_at())
            .token(NEW)
            .build()
            .unwrap();
        let head = head(&[("x-token", OLD)]);
        let at = |now| check_at(&scheme, &head, b"", now).map(|_| ());
        assert_eq!(at(signed_at() - Duration::from_nanos(1)), Ok(()));
        assert_eq!(at(signed_at()), Err("expired"));
        assert!(check(&scheme, &[("x-token", NEW)], "").is_ok());
        assert_eq!(check(&scheme, &[("x-token", "wrong")], ""), Err("mismatch"));
    }

    #[test]
    fn basic_credentials_are_decoded_and_compared_as_a_whole() {
        let scheme = TokenScheme::basic_auth("acme")
            .token("user:pass:word:long")
            .build()
            .unwrap();
        let cause = |value: &str| check(&scheme, &[("authorization", value)], "").map(|_| ());
        let good = STANDARD.encode("user:pass:word:long");
        assert_eq!(cause(&format!("Basic {good}")), Ok(()));
        assert_eq!(cause(&format!("basic {good}")), Ok(()));
        let other = STANDARD.encode("user:pass");
        assert_eq!(cause(&format!("Basic {other}")), Err("mismatch"));
        for value in ["Basic", "Basic *", &format!("Bearer {good}"), &good, "B"] {
            assert_eq!(cause(value), Err("malformed_token"), "{value}");
        }
    }

    #[test]
    fn a_token_in_the_body_is_found_where_it_is_said_to_be() {
        let scheme = with_tokens(TokenScheme::in_body("acme", "/auth/token"));
        let cause = |body: &str| check(&scheme, &[], body).map(|proof| proof.key);
        assert_eq!(cause(&format!(r#"{{"auth":{{"token":"{NEW}"}}}}"#)), Ok(1));
        assert_eq!(cause(r#"{"auth":{"token":"wrong"}}"#), Err("mismatch"));
        for body in [
            "",
            "{}",
            r#"{"auth":{"token":""}}"#,
            &format!(r#"{{"auth":{{"token":"{NEW}","token":"{NEW}"}}}}"#),
        ] {
            assert_eq!(cause(body), Err("missing_token"), "{body}");
        }
    }

    #[test]
    fn every_item_of_a_batch_needs_a_token() {
        let scheme = TokenScheme::in_every_item("acme", "/value", "/state")
            .named_token("new", NEW)
            .expiring_token("old", OLD, signed_at())
            .build()
            .unwrap();
        let item = |token: &str| format!(r#"{{"state":"{token}"}}"#);
        let (good, old, bad) = (item(NEW), item(OLD), item("wrong"));
        let cause = |items: &[&str]| {
            let body = format!(r#"{{"value":[{}]}}"#, items.join(","));
            check(&scheme, &[], &body).map(|proof| proof.key)
        };
        assert_eq!(cause(&[&good]), Ok(0));
        assert_eq!(cause(&[&good, &good, &good]), Ok(0));
        assert_eq!(cause(&[&good, &old]), Err("expired"));
        assert_eq!(cause(&[&old, &good, &bad]), Err("mismatch"));
        assert_eq!(cause(&[&bad, &old]), Err("mismatch"));
        assert_eq!(cause(&[&good, "{}", &good]), Err("missing_token"));
        assert_eq!(cause(&[]), Err("missing_token"));
        for body in ["", "{}", r#"{"value":{}}"#, r#"[]"#, r#"{"value":[}"#] {
            assert_eq!(check(&scheme, &[], body), Err("malformed_body"), "{body}");
        }
    }

    #[test]
    fn no_id_is_signed_and_the_body_names_the_delivery() {
        let scheme = with_tokens(
            TokenScheme::header("acme", "x-token")
                .id_pointer("/id")
                .kind_header("x-kind"),
        );
        let headers = [("x-token", NEW), ("x-kind", "paid")];
        let (kind, id, part) = names(&scheme, &headers, r#"{"id":7}"#);
        assert_eq!((kind.as_str(), id), ("paid", Some(("7".into(), false))));
        assert_eq!(part, Sha256::digest(r#"{"id":7}"#).to_vec());
        let beside = with_tokens(TokenScheme::header("acme", "x-token").kind_is_name_beside("id"));
        assert_eq!(names(&beside, &headers, r#"{"id":7,"paid":{}}"#).0, "paid");
    }

    #[test]
    fn what_can_not_work_is_refused() {
        let header = || TokenScheme::header("acme", "x-token");
        for (builder, word) in [
            (header(), "no token"),
            (header().token("short"), "16"),
            (header().token("trailing white space\n"), "white space"),
            (
                header().named_token("a", OLD).named_token("a", NEW),
                "two secrets",
            ),
            (TokenScheme::header("acme", "x token").token(NEW), "header"),
            (header().token(NEW).id_pointer("id"), "slash"),
            (header().token(NEW).kind_header(""), "header"),
            (TokenScheme::in_body("acme", "token").token(NEW), "slash"),
            (
                TokenScheme::in_every_item("acme", "/a", "b").token(NEW),
                "slash",
            ),
            (TokenScheme::basic_auth("acme").token(NEW), "user:password"),
        ] {
            let message = builder.build().unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
            assert!(!message.contains("this year"), "{message}");
        }
        assert!(header().token("short").allow_short_token().build().is_ok());
    }

    #[test]
    fn debug_shows_the_ids_of_the_tokens_only() {
        let builder = TokenScheme::header("acme", "x-token").named_token("new", NEW);
        assert!(!format!("{builder:?}").contains(NEW));
        let scheme = builder.build().unwrap();
        assert_eq!(
            format!("{scheme:?}"),
            r#"TokenScheme { name: "acme", tokens: ["new"], .. }"#
        );
    }

    proptest! {
        #[test]
        fn no_input_panics(value: Vec<u8>) {
            let _ = credentials(&value);
            let scheme = with_tokens(TokenScheme::in_every_item("acme", "/value", "/state"));
            let _ = check_at(&scheme, &head(&[]), &value, signed_at());
            let _ = scheme.identify(&head(&[]), &value);
        }
    }
}
