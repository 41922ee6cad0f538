use anvil_queue::Enqueued;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response, StatusCode};

use super::{Answer, JobIdAnswer};

/// The answer to a stored delivery, as data: a status and what the body holds.
///
/// ```
/// use anvil_tower::enqueue::Success;
/// use http::StatusCode;
///
/// assert_eq!(Success::job_id().status(), StatusCode::ACCEPTED);
/// assert_eq!(Success::text(StatusCode::OK, "[accepted]").status(), StatusCode::OK);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[must_use]
pub struct Success {
    status: StatusCode,
    body: Content,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Content {
    Empty,
    JobId,
    Text(&'static str),
}

impl Success {
    /// 202 with the id of the job; what [`JobIdAnswer`] answers.
    pub const fn job_id() -> Self {
        Self {
            status: StatusCode::ACCEPTED,
            body: Content::JobId,
        }
    }

    /// This status with the id of the job.
    pub const fn job_id_with(status: StatusCode) -> Self {
        Self {
            status,
            body: Content::JobId,
        }
    }

    /// This status and no body.
    pub const fn empty(status: StatusCode) -> Self {
        Self {
            status,
            body: Content::Empty,
        }
    }

    /// This status and this text.
    pub const fn text(status: StatusCode, text: &'static str) -> Self {
        Self {
            status,
            body: Content::Text(text),
        }
    }

    /// The status; a 2xx, or else 202 is sent instead.
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        self.status
    }

    /// What the body holds, in words.
    #[must_use]
    pub const fn body(&self) -> &'static str {
        match self.body {
            Content::Empty => "",
            Content::JobId => "job id",
            Content::Text(text) => text,
        }
    }
}

impl Default for Success {
    fn default() -> Self {
        Self::job_id()
    }
}

impl Answer for Success {
    fn answer(&self, enqueued: &Enqueued) -> Response<Bytes> {
        let mut response = match self.body {
            Content::Empty => Response::new(Bytes::new()),
            Content::JobId => JobIdAnswer.answer(enqueued),
            Content::Text(text) => {
                let mut response = Response::new(Bytes::from_static(text.as_bytes()));
                let plain = HeaderValue::from_static("text/plain; charset=utf-8");
                response.headers_mut().insert(CONTENT_TYPE, plain);
                response
            }
        };
        *response.status_mut() = self.status;
        response
    }
}

#[cfg(test)]
mod tests {
    use anvil_queue::JobId;

    use super::*;

    #[test]
    fn status_and_body_are_as_said() {
        let enqueued = Enqueued::Accepted(JobId::generate());
        let empty = Success::empty(StatusCode::NO_CONTENT).answer(&enqueued);
        assert_eq!(empty.status(), StatusCode::NO_CONTENT);
        assert!(empty.body().is_empty() && empty.headers().is_empty());
        let text = Success::text(StatusCode::OK, "[accepted]").answer(&enqueued);
        assert_eq!(
            (text.status(), &text.body()[..]),
            (StatusCode::OK, &b"[accepted]"[..])
        );
        let id = Success::job_id_with(StatusCode::OK).answer(&enqueued);
        assert_eq!(id.status(), StatusCode::OK);
        assert_eq!(id.body(), JobIdAnswer.answer(&enqueued).body());
    }
}
