//! One request over HTTP/1.1.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{Request, Response, Uri};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Sends a request to the server of this URL and reads the answer; of its body this much at most.
///
/// # Errors
///
/// What failed, in one line.
pub(crate) async fn send(url: &Uri, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
    timeout(PATIENCE, exchange(url, request))
        .await
        .map_err(|_| format!("no answer within {} s", PATIENCE.as_secs()))?
}

async fn exchange(url: &Uri, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
    let host = url.host().unwrap_or_default();
    let is_secure = url.scheme_str() == Some("https");
    let port = url.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((bare, port))
        .await
        .map_err(|error| format!("no connection to {host}:{port}: {error}"))?;
    if is_secure {
        over(secured(bare, stream).await?, request).await
    } else {
        over(stream, request).await
    }
}

async fn over(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    request: Request<Bytes>,
) -> Result<Response<Bytes>, String> {
    let failed = |error: hyper::Error| format!("no answer: {error}");
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(failed)?;
    let driven = tokio::spawn(connection);
    let response = sender.send_request(request.map(Full::new)).await;
    let (head, mut body) = response.map_err(failed)?.into_parts();
    let mut read = BytesMut::new();
    while read.len() < MAX_BODY
        && let Some(frame) = body.frame().await
    {
        let frame = frame.map_err(failed)?;
        if let Some(data) = frame.data_ref() {
            read.extend_from_slice(data);
        }
    }
    read.truncate(MAX_BODY);
    driven.abort();
    Ok(Response::from_parts(head, read.freeze()))
}

#[cfg(feature = "tls")]
async fn secured(
    host: &str,
    stream: TcpStream,
) -> Result<tokio_rustls::client::TlsStream<TcpStream>, String> {
    use std::sync::Arc;

    use rustls::pki_types::ServerName;
    use rustls::{ClientConfig, RootCertStore};

    let mut roots = RootCertStore::empty();
    // A store with certificates that can't be read is used without them.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("no TLS: {error}"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_| format!("{host} can't be the name of a server"))?;
    tokio_rustls::TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
        .map_err(|error| format!("no TLS with {host}: {error}"))
}

#[cfg(not(feature = "tls"))]
async fn secured(_: &str, _: TcpStream) -> Result<TcpStream, String> {
    Err(
        "https:// needs the feature `tls` of anvil-cli; or give --print and send it with curl"
            .to_owned(),
    )
}

const PATIENCE: Duration = Duration::from_secs(30);
const MAX_BODY: usize = 64 * 1024;
