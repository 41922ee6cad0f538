use std::fmt;
use std::net::SocketAddr;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::BoxError;
use crate::deliveries::Delivery;

/// Sends deliveries over HTTP, as any sender does.
pub(crate) struct Sender {
    client: Client<HttpConnector, Full<Bytes>>,
    to: SocketAddr,
}

impl Sender {
    pub(crate) fn new(to: SocketAddr) -> Self {
        Self {
            client: Client::builder(TokioExecutor::new()).build_http(),
            to,
        }
    }

    pub(crate) async fn send(&self, delivery: &Delivery) -> Result<Answer, BoxError> {
        let Delivery {
            path,
            headers,
            body,
        } = delivery;
        let mut request = Request::post(format!("http://{}{path}", self.to));
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request = request.body(Full::from(body.clone()))?;
        let (head, body) = self.client.request(request).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        Ok(Answer {
            status: head.status,
            body: String::from_utf8_lossy(&body).into_owned(),
        })
    }
}

/// What the sender is told.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Answer {
    status: StatusCode,
    body: String,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, body } = self;
        match body.as_str() {
            "" => write!(f, "{status}, empty body"),
            body => write!(f, "{status} {body}"),
        }
    }
}
