use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use serde::Deserialize;

/// One signed request and the verdict it has to get; the README beside the project's vectors says
/// what each field means.
#[derive(Debug, Deserialize)]
pub(crate) struct Record {
    pub(crate) provider: String,
    pub(crate) name: String,
    pub(crate) scheme: String,
    pub(crate) secret: String,
    pub(crate) secret_encoding: String,
    headers: BTreeMap<String, Values>,
    #[serde(flatten)]
    body: Body,
    pub(crate) now_unix: Option<u64>,
    pub(crate) tolerance_secs: Option<u64>,
    pub(crate) expect: String,
}

/// The values of a header: a list stands for one that is repeated.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Values {
    Many(Vec<String>),
    One(String),
}

#[derive(Debug, Deserialize)]
enum Body {
    #[serde(rename = "body_base64")]
    Base64(String),
    #[serde(rename = "body_repeat")]
    Repeat { byte_utf8: String, count: usize },
    #[serde(rename = "body_utf8")]
    Utf8(String),
}

impl Record {
    pub(crate) fn is_valid(&self) -> bool {
        match self.expect.as_str() {
            "valid" => true,
            "invalid" => false,
            other => panic!("{}: expect is {other:?}", self.name),
        }
    }

    pub(crate) fn request(&self) -> Request<Full<Bytes>> {
        let mut request = Request::post("/hooks");
        for (name, values) in &self.headers {
            let values = match values {
                Values::Many(values) => values.as_slice(),
                Values::One(value) => std::slice::from_ref(value),
            };
            for value in values {
                request = request.header(name, value.as_bytes());
            }
        }
        request.body(Full::new(self.body())).unwrap()
    }

    fn body(&self) -> Bytes {
        match &self.body {
            Body::Base64(text) => STANDARD.decode(text).unwrap().into(),
            Body::Repeat { byte_utf8, count } => byte_utf8.repeat(*count).into(),
            Body::Utf8(text) => text.clone().into(),
        }
    }
}

/// The records of a file; one without any is an error.
pub(crate) fn load(path: &Path) -> Result<Vec<Record>, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let records: Vec<Record> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    if records.is_empty() {
        return Err("there is no record".into());
    }
    Ok(records)
}
