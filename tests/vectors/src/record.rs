use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::Request;
use serde::Deserialize;
use serde_json::Value;

/// One signed request and the verdict it has to get; the README beside the project's vectors says
/// what each field means.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the README describes the fields")]
pub struct Record {
    pub provider: String,
    pub name: String,
    #[serde(default)]
    pub scheme: Option<String>,
    #[serde(default)]
    pub secret: Option<String>,
    #[serde(default)]
    pub secrets: Vec<String>,
    #[serde(default)]
    pub secret_encoding: Option<String>,
    #[serde(default)]
    pub certificates: BTreeMap<String, String>,
    #[serde(default)]
    pub keys: BTreeMap<String, Value>,
    #[serde(default)]
    pub webhook_id: Option<String>,
    #[serde(default)]
    pub url: Option<String>,
    #[serde(default = "post")]
    pub method: String,
    #[serde(default)]
    pub request_target: Option<String>,
    headers: BTreeMap<String, Values>,
    #[serde(flatten)]
    body: Body,
    pub now_unix: Option<u64>,
    pub tolerance_secs: Option<u64>,
    #[serde(default)]
    pub kind: Option<String>,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default)]
    pub id_signed: Option<bool>,
    pub expect: Expect,
    #[serde(default)]
    pub reason: String,
}

/// The verdict a record has to get.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "there is nothing between right and wrong"
)]
#[serde(rename_all = "lowercase")]
pub enum Expect {
    /// The request is refused.
    Invalid,
    /// The request is let through.
    Valid,
}

/// The values of a header: a list stands for one that is repeated.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Values {
    Many(Vec<String>),
    One(String),
}

#[derive(Clone, Debug, Deserialize)]
enum Body {
    #[serde(rename = "body_base64")]
    Base64(String),
    #[serde(rename = "body_repeat")]
    Repeat { byte_utf8: String, count: usize },
    #[serde(rename = "body_utf8")]
    Utf8(String),
}

impl Record {
    /// Whether the request has to be let through.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.expect == Expect::Valid
    }

    /// What has to be reported of a valid request: its kind, its id, and whether the id is signed;
    /// `None` where the record does not say.
    #[must_use]
    pub fn names(&self) -> Option<(&str, Option<&str>, bool)> {
        let kind = self.kind.as_deref().unwrap_or("webhook");
        Some((kind, self.id.as_deref(), self.id_signed?))
    }

    /// The request as it came over the wire.
    ///
    /// # Panics
    ///
    /// Where the record is not one of a request.
    #[must_use]
    pub fn request(&self) -> Request<Bytes> {
        let target = self.request_target.as_deref().unwrap_or("/hooks");
        let mut request = Request::builder().method(&*self.method).uri(target);
        for (name, values) in &self.headers {
            let values = match values {
                Values::Many(values) => values.as_slice(),
                Values::One(value) => std::slice::from_ref(value),
            };
            for value in values {
                request = request.header(name, value.as_bytes());
            }
        }
        let request = request.body(self.body());
        request.unwrap_or_else(|error| panic!("{}: {}: {error}", self.provider, self.name))
    }

    /// The receiver's clock; the time of day where the record does not say.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        match self.now_unix {
            Some(now) => UNIX_EPOCH + Duration::from_secs(now),
            None => SystemTime::now(),
        }
    }

    /// Sets another body.
    pub fn set_body(&mut self, body: impl Into<String>) {
        self.body = Body::Utf8(body.into());
    }

    fn body(&self) -> Bytes {
        match &self.body {
            Body::Base64(text) => STANDARD
                .decode(text)
                .unwrap_or_else(|error| panic!("{}: {}: {error}", self.provider, self.name))
                .into(),
            Body::Repeat { byte_utf8, count } => byte_utf8.repeat(*count).into(),
            Body::Utf8(text) => text.clone().into(),
        }
    }
}

fn post() -> String {
    "POST".into()
}
