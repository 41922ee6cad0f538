use http::Response;
use http::header::ALLOW;

use crate::Rejection;

/// Makes the answer to a refused delivery, with the body type of the inner service.
///
/// Implemented by [`EmptyResponse`] and by closures from [`Rejection`] to a response. Whatever the
/// answer, the layer adds the rejection to its extensions, and an `Allow` header to a 405 that has
/// none.
///
/// Tell the sender no more than a status: which check failed helps whoever is trying to forge.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't answer a refused delivery with a body of type `{B}`",
    note = "the default answer needs `{B}: Default`; otherwise pass a closure to `VerifyLayer::on_rejection` that makes the response"
)]
pub trait ResponseForRejection<B> {
    /// The answer to a delivery that was refused for this reason.
    fn response_for_rejection(&self, rejection: &Rejection) -> Response<B>;
}

impl<F, B> ResponseForRejection<B> for F
where
    F: Fn(&Rejection) -> Response<B>,
{
    fn response_for_rejection(&self, rejection: &Rejection) -> Response<B> {
        self(rejection)
    }
}

/// Answers with [`Rejection::status`] and an empty body.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct EmptyResponse;

impl<B: Default> ResponseForRejection<B> for EmptyResponse {
    fn response_for_rejection(&self, rejection: &Rejection) -> Response<B> {
        let mut response = Response::new(B::default());
        *response.status_mut() = rejection.status();
        response
    }
}

/// The answer with what the layer adds to it.
pub(super) fn refuse<R, B>(respond: &R, rejection: Rejection) -> Response<B>
where
    R: ResponseForRejection<B>,
{
    let mut response = respond.response_for_rejection(&rejection);
    if let Some(allow) = rejection.allow() {
        response.headers_mut().entry(ALLOW).or_insert(allow);
    }
    response.extensions_mut().insert(rejection);
    response
}
