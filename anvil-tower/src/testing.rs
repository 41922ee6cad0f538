//! What the tests of this crate share. The signatures were made with Python's `hmac`.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::buf::Chain;
use bytes::{Buf, Bytes};
use http::request::Parts;
use http::{HeaderMap, Request, Response};
use http_body::{Body, Frame, SizeHint};
use tower_service::Service;

use crate::{Decision, Proof, Scheme, Verified, VerifiedBody};

pub(crate) const SECRET: &str = "a secret of 16 bytes or more";
pub(crate) const WHSEC: &str = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
/// Not ASCII, not canonical JSON: any re-encoding breaks the signatures.
pub(crate) const BODY: &str = r#"{"id":"evt_1","type":"invoice.paid","note":"café \/ 1.0"}"#;
pub(crate) const SLACK_BODY: &str = r#"{"event_id":"Ev1","event":{"type":"message"}}"#;
pub(crate) const SLACK_FORM: &str = "command=%2Fhi&text=now";
pub(crate) const SIGNED_AT: u64 = 1_767_225_600;

pub(crate) const GITHUB: &str =
    "sha256=31e467f1a6f15cccb705b139027c6a1e6c71a03570880aaea88d9ac83ae108c2";
pub(crate) const GITHUB_SHA1: &str = "sha1=fc84fc5b617fe32491d42b3ee4d3061b9d54da6c";
pub(crate) const STRIPE: &str =
    "t=1767225600,v1=22c86cf50dc8579cdb6fce32d89d5774c329b3dafd62c981dc9caa00e40ef8a2";
/// The same event, signed again a minute later.
pub(crate) const STRIPE_RETRY: &str =
    "t=1767225660,v1=db6f4661227cc1199f46f78a300080a19460a368ff2b8ba02ebf0b6ab862833e";
pub(crate) const STANDARD: &str = "v1,a8tpbq9A3bPWVaXhb7SSKG83xj2fH4qgNuZnVK1AerU=";
pub(crate) const SHOPIFY: &str = "MeRn8abxXMy3BbE5AnxqHmxxoDVwiAquqI2ayDrhCMI=";
pub(crate) const SLACK: &str =
    "v0=7410de7bbc181191d6b55c84e499f8e412eefbdaeba9b5ad16c325bcb96f21ca";
pub(crate) const SLACK_FORM_SIGNATURE: &str =
    "v0=f43651ae19a803dff477c392ddff610b05a20ea6e7c32c72be0af21862ccec50";
/// HMAC-SHA-512 in base64 over body and timestamp, in this order.
pub(crate) const BODY_THEN_TIMESTAMP: &str =
    "tqgXOXQWWT2YzMQCnUGT3H7Yi/zqqM+Xr/SciEXkDQM3dpTuflqrfb02F+V16JQ3rPN9yeWyLeNHXmbvJwFbyA==";

pub(crate) fn signed_at() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(SIGNED_AT)
}

pub(crate) fn head(headers: &[(&str, &str)]) -> Parts {
    let mut request = Request::post("/hooks");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

/// What `scheme` says about a delivery that arrives when it was signed.
pub(crate) fn check(
    scheme: &impl Scheme,
    headers: &[(&str, &str)],
    body: &str,
) -> Result<Proof, &'static str> {
    check_at(scheme, &head(headers), body.as_bytes(), signed_at())
}

pub(crate) fn check_at(
    scheme: &impl Scheme,
    head: &Parts,
    body: &[u8],
    now: SystemTime,
) -> Result<Proof, &'static str> {
    let judge = || {
        let mut check = scheme.begin(head, now)?;
        let (first, second) = body.split_at(body.len() / 2);
        check.update(first);
        check.update(second);
        match check.finish(&Bytes::copy_from_slice(body)) {
            Decision::Made(decided) => decided,
            Decision::Pending(_) => panic!("a test waits for nothing"),
        }
    };
    judge().map_err(|rejection: crate::Rejection| rejection.cause())
}

/// What `scheme` calls a delivery: kind, id, whether the id is signed, recommended part.
pub(crate) fn names(
    scheme: &impl Scheme,
    headers: &[(&str, &str)],
    body: &str,
) -> (String, Option<(String, bool)>, Vec<u8>) {
    let identity = scheme.identify(&head(headers), body.as_bytes());
    let verified = Verified::assumed("source", identity);
    let id = verified
        .delivery_id()
        .map(|id| (id.to_string(), id.is_signed()));
    (
        verified.kind().to_owned(),
        id,
        verified.recommended_part(body.as_bytes()),
    )
}

/// A body that plays a script. It never says that it is at its end before it is asked.
#[derive(Debug, Default)]
pub(crate) struct TestBody {
    steps: VecDeque<Step>,
    hint: SizeHint,
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Chunk(Bytes),
    /// One frame in two chunks.
    Chunks(Bytes, Bytes),
    /// Empty frames without end.
    Endless,
    Fail,
    /// Nothing more, ever.
    Stall,
    /// Not ready at once.
    Later,
    Trailers,
}

impl TestBody {
    pub(crate) fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            steps: steps.into_iter().collect(),
            hint: SizeHint::default(),
        }
    }

    pub(crate) fn chunks<'a>(chunks: impl IntoIterator<Item = &'a str>) -> Self {
        Self::new(chunks.into_iter().map(Step::chunk))
    }

    pub(crate) fn declaring(mut self, length: u64) -> Self {
        self.hint.set_lower(length);
        self
    }
}

impl Step {
    pub(crate) fn chunk(text: &str) -> Self {
        Self::Chunk(Bytes::copy_from_slice(text.as_bytes()))
    }
}

impl Body for TestBody {
    type Data = Chain<Bytes, Bytes>;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let data = |first: Bytes, second| Poll::Ready(Some(Ok(Frame::data(first.chain(second)))));
        match self.steps.pop_front() {
            Some(Step::Chunk(bytes)) => data(bytes, Bytes::new()),
            Some(Step::Chunks(first, second)) => data(first, second),
            Some(Step::Endless) => {
                self.steps.push_front(Step::Endless);
                data(Bytes::new(), Bytes::new())
            }
            Some(Step::Fail) => Poll::Ready(Some(Err(std::io::Error::other("broken pipe")))),
            Some(Step::Later) => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Some(Step::Stall) => {
                self.steps.push_front(Step::Stall);
                Poll::Pending
            }
            Some(Step::Trailers) => Poll::Ready(Some(Ok(Frame::trailers(HeaderMap::new())))),
            None => Poll::Ready(None),
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.hint
    }
}

/// An inner service that counts its calls, and answers with the body and the extensions it was
/// given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Echo(Arc<AtomicUsize>);

impl Echo {
    pub(crate) fn calls(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Service<Request<VerifiedBody>> for Echo {
    type Response = Response<Vec<u8>>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<VerifiedBody>) -> Self::Future {
        self.0.fetch_add(1, Ordering::SeqCst);
        let (head, body) = request.into_parts();
        let mut response = Response::new(body.into_bytes().to_vec());
        *response.extensions_mut() = head.extensions;
        ready(Ok(response))
    }
}
