use std::convert::Infallible;
use std::mem;

use bytes::Bytes;
use http::Response;
use http::request::Parts;

use crate::Scheme;

/// Whether a [`Verify`](crate::verify::Verify) answers handshakes. Sealed: [`AnswerHandshakes`] and
/// [`NoHandshakes`] are the only ones.
///
/// A type and no flag, so that a service that answers none costs nothing and takes any response
/// body.
pub trait Handshakes: sealed::Sealed {
    #[doc(hidden)]
    type Answer;

    #[doc(hidden)]
    fn open(scheme: &impl Scheme, head: &Parts) -> Option<Self::Answer>;

    #[doc(hidden)]
    fn signed(scheme: &impl Scheme, key: u32, head: &Parts, body: &[u8]) -> Option<Self::Answer>;
}

/// Handshakes whose answer can be a response with a body of type `B`. Sealed.
#[diagnostic::on_unimplemented(
    message = "a handshake can't be answered with a body of type `{B}`",
    note = "the answers are made of `Bytes`, so the body of the inner service's responses has to be `From<Bytes>`"
)]
pub trait HandshakesWith<B>: Handshakes {
    #[doc(hidden)]
    fn respond(answer: &mut Self::Answer) -> Response<B>;
}

/// Answers them.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AnswerHandshakes;

/// Answers none of them: an unsigned one is refused, and a signed one is a delivery.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NoHandshakes;

impl Handshakes for AnswerHandshakes {
    /// Boxed, so that deliveries are not the longer for it.
    type Answer = Box<Response<Bytes>>;

    #[inline]
    fn open(scheme: &impl Scheme, head: &Parts) -> Option<Self::Answer> {
        scheme.open_handshake(head).map(Box::new)
    }

    #[inline]
    fn signed(scheme: &impl Scheme, key: u32, head: &Parts, body: &[u8]) -> Option<Self::Answer> {
        scheme.signed_handshake(key, head, body).map(Box::new)
    }
}

impl<B: From<Bytes>> HandshakesWith<B> for AnswerHandshakes {
    fn respond(answer: &mut Self::Answer) -> Response<B> {
        mem::take(&mut **answer).map(B::from)
    }
}

impl Handshakes for NoHandshakes {
    type Answer = Infallible;

    #[inline]
    fn open(_scheme: &impl Scheme, _head: &Parts) -> Option<Self::Answer> {
        None
    }

    #[inline]
    fn signed(_: &impl Scheme, _: u32, _: &Parts, _: &[u8]) -> Option<Self::Answer> {
        None
    }
}

impl<B> HandshakesWith<B> for NoHandshakes {
    fn respond(answer: &mut Self::Answer) -> Response<B> {
        match *answer {}
    }
}

mod sealed {
    #[expect(
        unnameable_types,
        reason = "a trait that nobody can name is what seals the other"
    )]
    pub trait Sealed {}

    impl Sealed for super::AnswerHandshakes {}
    impl Sealed for super::NoHandshakes {}
}
