use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::Request;
use http::header::CONTENT_TYPE;

use crate::ConfigError;

/// A delivery as the sender might make it, for local work.
pub(crate) struct Sample {
    /// The event that is sent where none is named.
    pub(crate) event: &'static str,
    /// Headers beside those of the signature, with the placeholders of the body.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// Text with `{event}`, `{id}`, `{seconds}` and `{millis}`.
    pub(crate) body: &'static str,
}

impl Sample {
    pub(crate) const JSON: Self = Self {
        event: "test",
        headers: &[],
        body: r#"{"id":"{id}","type":"{event}"}"#,
    };

    /// The delivery before it is signed.
    pub(crate) fn request(
        &self,
        event: &str,
        id: &str,
        now: SystemTime,
    ) -> Result<Request<Bytes>, ConfigError> {
        for name in [event, id] {
            let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '{' | '}');
            if name.is_empty() || !name.chars().all(is_plain) {
                return Err(ConfigError::new(format!(
                    "{name:?} is no plain name: letters, digits and marks without quotes, braces or spaces"
                )));
            }
        }
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let fill = |text: &str| {
            text.replace("{event}", event)
                .replace("{id}", id)
                .replace("{seconds}", &since.as_secs().to_string())
                .replace("{millis}", &since.as_millis().to_string())
        };
        let mut request = Request::post("/").header(CONTENT_TYPE, "application/json");
        for (name, value) in self.headers {
            request = request.header(*name, fill(value));
        }
        request
            .body(fill(self.body).into())
            .map_err(|error| ConfigError::new(format!("the sample can't be made: {error}")))
    }
}
