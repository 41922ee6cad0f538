use std::iter;

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::ConfigError;
use crate::rejection::{CONFLICTING_HEADERS, Rejection};

/// The names of the headers a sender uses together.
///
/// Names are compared without regard to case. A sender with two spellings, such as `webhook-*` and
/// `svix-*`, has two sets: [`HmacBuilder::or_headers`](super::HmacBuilder::or_headers).
#[derive(Clone, Debug)]
#[must_use]
pub struct Headers {
    signature: String,
    more_signatures: Vec<String>,
    timestamp: Option<String>,
    id: Option<String>,
    kind: Option<String>,
}

impl Headers {
    /// The signature is in this header.
    pub fn new(signature: impl Into<String>) -> Self {
        Self {
            signature: signature.into(),
            more_signatures: Vec::new(),
            timestamp: None,
            id: None,
            kind: None,
        }
    }

    /// Another signature may be in this header, in the same form: for senders that number their
    /// headers or have one for each key. Default: none.
    pub fn or_signature(mut self, name: impl Into<String>) -> Self {
        self.more_signatures.push(name.into());
        self
    }

    /// The time of signing is in this header. Default: there is none, or it is in the signature
    /// header under a [tag](super::HmacBuilder::timestamp_tag).
    pub fn timestamp(mut self, name: impl Into<String>) -> Self {
        self.timestamp = Some(name.into());
        self
    }

    /// The id of the delivery is in this header. It counts as signed where the signed content has
    /// `{id}`. Default: none.
    pub fn id(mut self, name: impl Into<String>) -> Self {
        self.id = Some(name.into());
        self
    }

    /// The event type is in this header. Headers of this kind are rarely signed. Default: none.
    pub fn kind(mut self, name: impl Into<String>) -> Self {
        self.kind = Some(name.into());
        self
    }

    pub(super) fn has_timestamp(&self) -> bool {
        self.timestamp.is_some()
    }

    pub(super) fn has_id(&self) -> bool {
        self.id.is_some()
    }

    pub(super) fn id_name(&self) -> Option<&str> {
        self.id.as_deref()
    }

    pub(super) fn kind_name(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    pub(super) fn signature_names(&self) -> impl Iterator<Item = &str> {
        let more = self.more_signatures.iter();
        iter::once(&self.signature).chain(more).map(String::as_str)
    }

    pub(super) fn compile(&self) -> Result<Names, ConfigError> {
        let Self {
            signature,
            more_signatures,
            timestamp,
            id,
            kind,
        } = self;
        let optional = |name: &Option<String>| name.as_deref().map(header_name).transpose();
        Ok(Names {
            signature: header_name(signature)?,
            more_signatures: more_signatures
                .iter()
                .map(|name| header_name(name))
                .collect::<Result<_, _>>()?,
            timestamp: optional(timestamp)?,
            id: optional(id)?,
            kind: optional(kind)?,
        })
    }
}

/// [`Headers`], checked once.
pub(super) struct Names {
    pub(super) signature: HeaderName,
    pub(super) more_signatures: Box<[HeaderName]>,
    pub(super) timestamp: Option<HeaderName>,
    pub(super) id: Option<HeaderName>,
    pub(super) kind: Option<HeaderName>,
}

/// A signature header that is there. It was looked up once, and need not be again.
#[derive(Clone, Copy)]
pub(super) struct Presented<'s, 'h> {
    pub(super) names: &'s Names,
    pub(super) name: &'s HeaderName,
    pub(super) value: &'h HeaderValue,
    /// Those of its set that come after it.
    pub(super) others: &'s [HeaderName],
}

impl Names {
    /// The first of its signature headers that is there, and the header's first value.
    #[inline]
    pub(super) fn presented<'s, 'h>(&'s self, headers: &'h HeaderMap) -> Option<Presented<'s, 'h>> {
        let first = |name| headers.get(name);
        if let Some(value) = first(&self.signature) {
            return Some(Presented {
                names: self,
                name: &self.signature,
                value,
                others: &self.more_signatures,
            });
        }
        let (index, value) = self
            .more_signatures
            .iter()
            .enumerate()
            .find_map(|(index, name)| Some((index, first(name)?)))?;
        Some(Presented {
            names: self,
            name: &self.more_signatures[index],
            value,
            others: &self.more_signatures[index + 1..],
        })
    }

    /// Refuses id and event type that are there twice with two values.
    #[inline]
    pub(super) fn check_names(&self, headers: &HeaderMap) -> Result<(), Rejection> {
        if headers.len() > headers.keys_len() {
            for name in [&self.id, &self.kind].into_iter().flatten() {
                single(headers, name)?;
            }
        }
        Ok(())
    }
}

/// The value of a header that may be there only once, or several times with one value.
#[inline]
pub(crate) fn single<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'h [u8]>, Rejection> {
    let Some(first) = headers.get(name) else {
        return Ok(None);
    };
    if let Some(mut others) = repeated(headers, name)
        && others.any(|other| other != first)
    {
        return Err(CONFLICTING_HEADERS);
    }
    Ok(Some(first.as_bytes()))
}

/// The values of a header after its first one. In nearly all heads no header is there twice, which
/// is known without another look-up.
#[inline]
pub(super) fn repeated<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> Option<impl Iterator<Item = &'h HeaderValue> + use<'h>> {
    let any_repeated = headers.len() > headers.keys_len();
    any_repeated.then(|| headers.get_all(name).iter().skip(1))
}

pub(crate) fn header_name(name: &str) -> Result<HeaderName, ConfigError> {
    HeaderName::try_from(name)
        .map_err(|_| ConfigError::new(format!("{name:?} can't be the name of a header")))
}
