use std::error::Error;
use std::fmt;

use anvil_queue::JobId;
use anvil_tower::Rejection;
use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::Body;
use http_body_util::BodyExt;
use serde_json::Value;
use tower::{Service, ServiceExt};

/// What a sender was answered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// The cause of a refusal by verification; never on the wire.
    pub cause: Option<&'static str>,
}

impl Answer {
    /// An answer as it came over the wire.
    pub fn new(status: u16, headers: HeaderMap, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            headers,
            body: body.into(),
            cause: None,
        }
    }

    /// The id in the answer to a stored delivery.
    ///
    /// # Panics
    ///
    /// Where the answer is not 202 with an id.
    #[must_use]
    pub fn job_id(&self) -> JobId {
        let id = self.json()["jobId"].as_str().map(str::parse);
        id.expect("an id").expect("a valid id")
    }

    /// Whether the answer says that an earlier job stands for the delivery.
    ///
    /// # Panics
    ///
    /// Where the answer is not 202 with that flag.
    #[must_use]
    pub fn replayed(&self) -> bool {
        self.json()["replayed"].as_bool().expect("a flag")
    }

    /// Whether the sender was told to try again, and when.
    #[must_use]
    pub fn is_try_again(&self) -> bool {
        let seconds = self.headers.get("retry-after");
        let seconds = seconds.and_then(|value| value.to_str().ok()?.parse::<u32>().ok());
        self.status == 503 && seconds.is_some() && self.body.is_empty()
    }

    fn json(&self) -> Value {
        assert_eq!(self.status, 202, "{self:?}");
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

/// Sends a request through a clone of `service`.
///
/// # Panics
///
/// Where the service or its body fails.
pub async fn send<S, B, R>(service: &S, request: Request<B>) -> Answer
where
    S: Service<Request<B>, Response = Response<R>> + Clone,
    S::Error: fmt::Debug,
    R: Body,
    R::Error: Error,
{
    let response = service.clone().oneshot(request).await;
    let (head, body) = response.expect("an answer").into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    Answer {
        status: head.status.as_u16(),
        headers: head.headers,
        body,
        cause: head.extensions.get().map(Rejection::cause),
    }
}
