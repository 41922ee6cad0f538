//! The least an HTTP edge over Redis can do: an axum route that reads the body and adds it to a
//! stream with one `XADD`, on one multiplexed connection. It verifies nothing and drops no
//! duplicate.
//!
//! `peer-floor --redis URL --port P` serves `POST /hooks` on 127.0.0.1, prints `listening`, and
//! answers `GET /counts`.

use std::io::{self, Write};
use std::process::ExitCode;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use bytes::Bytes;
use redis::aio::MultiplexedConnection;
use redis::io::tcp::TcpSettings;
use redis::{Client, IntoConnectionInfo, RedisError};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let ["--redis", url, "--port", port] = args.as_slice() else {
        return usage();
    };
    let Ok(port) = port.parse() else {
        return usage();
    };
    match serve(port, url).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peer-floor: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: peer-floor --redis URL --port P");
    ExitCode::from(2)
}

async fn serve(port: u16, url: &str) -> io::Result<()> {
    let connection = connect(url).await.map_err(io::Error::other)?;
    let app = Router::new()
        .route("/hooks", post(add))
        .route("/counts", get(counts))
        .with_state(connection);
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening");
    io::stdout().flush()?;
    let listener = listener.tap_io(|stream| {
        // A connection that is already gone needs no setting.
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, app).await
}

async fn connect(url: &str) -> Result<MultiplexedConnection, RedisError> {
    let info = url.into_connection_info()?;
    let info = info.set_tcp_settings(TcpSettings::default().set_nodelay(true));
    Client::open(info)?.get_multiplexed_async_connection().await
}

async fn add(State(mut redis): State<MultiplexedConnection>, body: Bytes) -> StatusCode {
    let added: Result<Bytes, RedisError> = redis::cmd("XADD")
        .arg(STREAM)
        .arg("*")
        .arg("body")
        .arg(&*body)
        .query_async(&mut redis)
        .await;
    match added {
        Ok(_id) => StatusCode::ACCEPTED,
        Err(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

async fn counts(State(mut redis): State<MultiplexedConnection>) -> Result<String, StatusCode> {
    let length: u64 = redis::cmd("XLEN")
        .arg(STREAM)
        .query_async(&mut redis)
        .await
        .map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    Ok(format!("accepted={length} duplicates=0 refused=0"))
}

const STREAM: &str = "hooks";
