//! Answers that repeat what was asked. They may go to a stranger's browser, so none says that it is
//! a page, and the browser must not think of its own that it is one.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Response};
use serde::Serialize;

pub(super) fn text(body: impl Into<Bytes>) -> Response<Bytes> {
    with_type(body.into(), "text/plain")
}

pub(super) fn json(body: &impl Serialize) -> Option<Response<Bytes>> {
    let body = serde_json::to_vec(body).ok()?;
    Some(with_type(body.into(), "application/json"))
}

fn with_type(body: Bytes, content_type: &'static str) -> Response<Bytes> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
