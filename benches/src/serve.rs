//! The whole chain over HTTP, served by hyper.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use anvil_queue::{QueueBackend, QueueName};
use anvil_tower::enqueue::ResponseBody;
use anvil_tower::{Preset, ingress};
use bytes::Bytes;
use futures_util::future::Either;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tower::ServiceExt;

/// Serves `POST /hooks`, and answers `GET /counts` with what became of the deliveries.
///
/// # Errors
///
/// What the listener fails with.
///
/// # Panics
///
/// Never: the secret is valid.
pub async fn serve<B: QueueBackend>(
    listener: TcpListener,
    backend: Arc<B>,
    queue: QueueName,
) -> io::Result<()> {
    let scheme = Preset::github(SECRET).expect("a valid secret");
    let hooks = ingress(scheme, "github", Arc::clone(&backend), queue.clone());
    let asked = Arc::new((backend, queue));
    loop {
        let (connection, _) = listener.accept().await?;
        connection.set_nodelay(true)?;
        let (hooks, asked) = (hooks.clone(), Arc::clone(&asked));
        let app = service_fn(
            move |request: Request<Incoming>| match request.uri().path() {
                "/hooks" => Either::Left(hooks.clone().oneshot(request)),
                path => Either::Right(other(path == "/counts", Arc::clone(&asked))),
            },
        );
        tokio::spawn(async move {
            let connection = TokioIo::new(connection);
            // The load ends by closing its connections.
            let _ = http1::Builder::new()
                .serve_connection(connection, app)
                .await;
        });
    }
}

async fn other<B: QueueBackend>(
    counts_asked: bool,
    asked: Arc<(Arc<B>, QueueName)>,
) -> Result<Response<ResponseBody>, Infallible> {
    if !counts_asked {
        return Ok(empty(StatusCode::NOT_FOUND));
    }
    let (backend, queue) = &*asked;
    let Ok(stats) = backend.stats(queue).await else {
        return Ok(empty(StatusCode::SERVICE_UNAVAILABLE));
    };
    let totals = stats.totals;
    let text = format!(
        "accepted={} duplicates={} refused={}",
        totals.accepted, totals.duplicates, totals.refused
    );
    Ok(Response::new(ResponseBody::from(Bytes::from(text))))
}

fn empty(status: StatusCode) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::default());
    *response.status_mut() = status;
    response
}

/// What the deliveries are signed with.
pub const SECRET: &[u8] = b"a plain secret of some length";
