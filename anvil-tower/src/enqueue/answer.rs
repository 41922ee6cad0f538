use anvil_queue::{Enqueued, JobId};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};

use super::ResponseBody;

/// What a sender is told once its delivery is stored.
///
/// Implemented by [`JobIdAnswer`] and by closures:
///
/// ```
/// use std::sync::Arc;
///
/// use anvil_memory::MemoryBackend;
/// use anvil_queue::{Enqueued, QueueName};
/// use anvil_tower::EnqueueService;
/// use bytes::Bytes;
/// use http::Response;
///
/// // A sender that takes nothing but an empty 200 for success.
/// let service = EnqueueService::new(Arc::new(MemoryBackend::new()), QueueName::new("webhooks")?)
///     .answer(|_: &Enqueued| Response::new(Bytes::new()));
/// # let _ = service;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A duplicate is answered like the first delivery: to a sender that keeps trying, both are
/// success. For the same reason an answer outside 2xx is replaced by an empty 202, with an error in
/// the log.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't answer a stored delivery",
    note = "pass a closure `|enqueued: &Enqueued| -> Response<Bytes>` or implement `anvil_tower::enqueue::Answer`"
)]
pub trait Answer {
    /// The answer to a delivery that this job stands for.
    fn answer(&self, enqueued: &Enqueued) -> Response<Bytes>;
}

impl<F> Answer for F
where
    F: Fn(&Enqueued) -> Response<Bytes>,
{
    fn answer(&self, enqueued: &Enqueued) -> Response<Bytes> {
        self(enqueued)
    }
}

/// Answers 202 with `{"jobId":"…","replayed":false}`; `replayed` is true where an earlier job
/// stands for the delivery.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct JobIdAnswer;

impl Answer for JobIdAnswer {
    fn answer(&self, enqueued: &Enqueued) -> Response<Bytes> {
        let (id, replayed) = (enqueued.id(), enqueued.is_duplicate());
        // Neither value can hold anything that JSON would escape.
        let json = [
            r#"{"jobId":""#,
            id.encode(&mut [0; JobId::TEXT_LEN]),
            if replayed {
                r#"","replayed":true}"#
            } else {
                r#"","replayed":false}"#
            },
        ]
        .concat();
        let mut response = Response::new(Bytes::from(json));
        *response.status_mut() = StatusCode::ACCEPTED;
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}

pub(super) fn accepted(answer: &impl Answer, enqueued: &Enqueued) -> Response<ResponseBody> {
    let response = answer.answer(enqueued);
    if response.status().is_success() {
        return response.map(ResponseBody::from);
    }
    tracing::error!(
        status = response.status().as_u16(),
        "an answer to a stored delivery is not a 2xx; 202 is sent instead"
    );
    status_only(StatusCode::ACCEPTED)
}

pub(super) fn try_again() -> Response<ResponseBody> {
    let mut response = status_only(StatusCode::SERVICE_UNAVAILABLE);
    response
        .headers_mut()
        .insert(RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_SECONDS));
    response
}

pub(super) fn too_large() -> Response<ResponseBody> {
    status_only(StatusCode::PAYLOAD_TOO_LARGE)
}

fn status_only(status: StatusCode) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::default());
    *response.status_mut() = status;
    response
}

const RETRY_AFTER_SECONDS: &str = "5";
