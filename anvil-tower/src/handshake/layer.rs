use std::fmt;
use std::sync::Arc;

use tower_layer::Layer;

use super::{Handshake, SignedHandshake};
use crate::VerifyLayer;
use crate::verify::EmptyResponse;

/// A [`VerifyLayer`] that answers handshakes as well, made by
/// [`answer_handshakes`](VerifyLayer::answer_handshakes); see the [module docs](super) for an
/// example.
#[must_use = "a layer does nothing until it wraps a service"]
pub struct HandshakeLayer<S, R = EmptyResponse> {
    verify: VerifyLayer<S, R>,
}

impl<S, R> HandshakeLayer<S, R> {
    pub(crate) fn new(verify: VerifyLayer<S, R>) -> Self {
        Self { verify }
    }
}

impl<I, S, R: Clone> Layer<I> for HandshakeLayer<S, R> {
    type Service = Handshake<I, S, R>;

    fn layer(&self, inner: I) -> Self::Service {
        let signed = SignedHandshake::new(inner, Arc::clone(self.verify.scheme()));
        Handshake::new(self.verify.layer(signed))
    }
}

impl<S, R: Clone> Clone for HandshakeLayer<S, R> {
    fn clone(&self) -> Self {
        Self {
            verify: self.verify.clone(),
        }
    }
}

impl<S: fmt::Debug, R> fmt::Debug for HandshakeLayer<S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HandshakeLayer").field(&self.verify).finish()
    }
}
