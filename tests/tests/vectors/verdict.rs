use std::convert::Infallible;

use anvil_tower::{Rejection, RejectionKind, Scheme, Verified, VerifiedBody, VerifyLayer};
use anvil_vectors::{Record, Unbuilt};
use http::{Request, Response};
use http_body_util::Full;
use tower::{Layer, ServiceExt, service_fn};

/// What the whole of verification says about a record.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Refused, with this cause.
    Invalid(#[expect(dead_code, reason = "shown where a verdict is wrong")] &'static str),
    /// The receiver can't be configured so, which is right where the secret itself is wrong.
    Refused(#[expect(dead_code, reason = "shown where a verdict is wrong")] String),
    /// Let through as this.
    Valid(Box<Verified>),
    /// There is no preset.
    Unknown(#[expect(dead_code, reason = "shown where a verdict is wrong")] String),
}

pub(crate) async fn verdict(record: &Record) -> Verdict {
    let scheme = match record.scheme() {
        Ok(scheme) => scheme,
        Err(Unbuilt::NoPreset(name)) => return Verdict::Unknown(name),
        Err(Unbuilt::Refused(error)) => return Verdict::Refused(error.to_string()),
    };
    let refusal = scheme.refusal();
    let now = record.now();
    let layer = VerifyLayer::new("vectors", scheme).clock(move || now);
    let inner = service_fn(|request: Request<VerifiedBody>| async move {
        let verified = request.extensions().get::<Verified>().cloned();
        let mut response = Response::new(());
        response.extensions_mut().insert(verified.unwrap());
        Ok::<_, Infallible>(response)
    });
    let request = record.request().map(Full::new);
    let Ok(mut response) = layer.layer(inner).oneshot(request).await;
    if let Some(verified) = response.extensions_mut().remove::<Verified>() {
        return Verdict::Valid(Box::new(verified));
    }
    let rejection = response.extensions().get::<Rejection>().unwrap();
    assert_eq!(response.status(), rejection.status(), "{record:?}");
    if let (Some(status), true) = (refusal, rejection.is_unauthentic()) {
        assert_eq!(response.status(), status, "{record:?}");
    }
    let is_refusal = rejection.is_unauthentic()
        || matches!(
            rejection.kind(),
            RejectionKind::BodyTooLarge | RejectionKind::MethodNotAllowed
        );
    assert!(is_refusal, "{}: {rejection}", record.name);
    Verdict::Invalid(rejection.cause())
}

/// What is reported of a delivery: kind, id, and whether the id is signed.
pub(crate) fn names(verified: &Verified) -> (&str, Option<&str>, bool) {
    let id = verified.delivery_id();
    (
        verified.kind(),
        id.map(|id| id.as_str()),
        id.is_some_and(|id| id.is_signed()),
    )
}
