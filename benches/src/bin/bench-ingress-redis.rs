//! The whole chain over HTTP into Redis, served by hyper.
//!
//! `bench-ingress-redis --redis URL --port P` serves `POST /hooks` on 127.0.0.1, prints `listening`,
//! and answers `GET /counts` with what became of the deliveries.

use std::convert::Infallible;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anvil_benches::options;
use anvil_benches::store;
use anvil_queue::QueueBackend;
use anvil_redis::RedisBackend;
use anvil_tower::enqueue::ResponseBody;
use anvil_tower::{GitHub, ingress};
use bytes::Bytes;
use futures_util::future::Either;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tower::ServiceExt;

#[tokio::main]
async fn main() -> ExitCode {
    let args = options::args();
    let Some([url, port]) = options::values(&args, ["--redis", "--port"]) else {
        eprintln!("usage: bench-ingress-redis --redis URL --port P");
        return ExitCode::from(2);
    };
    match serve(url, port).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-ingress-redis: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(url: &str, port: &str) -> Result<(), Box<dyn Error>> {
    let backend = store::connect(url).await?;
    let scheme = GitHub::new(SECRET)?;
    let hooks = ingress(scheme, "github", Arc::clone(&backend), store::queue());
    let listener = TcpListener::bind(("127.0.0.1", port.parse()?)).await?;
    println!("listening");
    io::stdout().flush()?;
    loop {
        let (connection, _) = listener.accept().await?;
        connection.set_nodelay(true)?;
        let (hooks, backend) = (hooks.clone(), Arc::clone(&backend));
        let app = service_fn(
            move |request: Request<Incoming>| match request.uri().path() {
                "/hooks" => Either::Left(hooks.clone().oneshot(request)),
                path => Either::Right(other(path == "/counts", Arc::clone(&backend))),
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

async fn other(
    counts_asked: bool,
    backend: Arc<RedisBackend>,
) -> Result<Response<ResponseBody>, Infallible> {
    Ok(if counts_asked {
        counts(&backend).await
    } else {
        empty(StatusCode::NOT_FOUND)
    })
}

async fn counts(backend: &RedisBackend) -> Response<ResponseBody> {
    let Ok(stats) = backend.stats(&store::queue()).await else {
        return empty(StatusCode::SERVICE_UNAVAILABLE);
    };
    let totals = stats.totals;
    let text = format!(
        "accepted={} duplicates={} refused={}",
        totals.accepted, totals.duplicates, totals.refused
    );
    Response::new(ResponseBody::from(Bytes::from(text)))
}

fn empty(status: StatusCode) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::default());
    *response.status_mut() = status;
    response
}

const SECRET: &[u8] = b"a plain secret of some length";
