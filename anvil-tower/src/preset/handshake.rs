use bytes::Bytes;
use http::request::Parts;
use http::{Method, Response};

use super::Preset;

/// How a sender asks whether an endpoint is there and ours, before or between its deliveries.
pub(crate) struct Handshake {
    /// The request and the answer, for a reader; empty where there is no handshake.
    pub(crate) about: &'static str,
    /// Answers a request that nobody has signed, by its head alone.
    pub(crate) open: fn(&Preset, &Parts) -> Option<Response<Bytes>>,
    /// Answers a signed request, after its signature was found right.
    pub(crate) signed: fn(&Preset, &Parts, &[u8]) -> Option<Response<Bytes>>,
}

impl Handshake {
    pub(crate) const NONE: Self = Self {
        about: "",
        open: |_, _| None,
        signed: |_, _, _| None,
    };

    /// Asks with a `HEAD` whether there is an endpoint.
    pub(crate) const HEAD: Self = Self {
        about: "HEAD without a signature; answered with 200",
        open: |_, head| (head.method == Method::HEAD).then(Response::default),
        ..Self::NONE
    };
}
