//! The whole chain over HTTP with a worker draining, against a bare axum route that reads the body
//! and answers a constant 202. The chain is served by hyper itself: it is one service and needs no
//! router.
//!
//! `bench-ingress generate --count N --out FILE` writes N signed requests of one length, no two
//! bodies alike. `bench-ingress ours|floor --port P` serves them on 127.0.0.1 and prints
//! `listening`; `ours` answers `GET /counts` with what became of them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anvil_benches::serve::SECRET;
use anvil_memory::MemoryBackend;
use anvil_queue::{QueueName, Worker, handler_fn};
use axum::Router;
use axum::routing::post;
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http::StatusCode;
use sha2::Sha256;
use tokio::net::TcpListener;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let result = match args.as_slice() {
        ["generate", "--count", count, "--out", file] => match count.parse() {
            Ok(count) => generate(count, file),
            Err(_) => return usage(),
        },
        [side @ ("ours" | "floor"), "--port", port] => match port.parse() {
            Ok(port) => serve(side, port),
            Err(_) => return usage(),
        },
        _ => return usage(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-ingress: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: bench-ingress generate --count N --out FILE | ours|floor --port P");
    ExitCode::from(2)
}

fn generate(count: u64, file: &str) -> io::Result<()> {
    let keyed = Hmac::<Sha256>::new_from_slice(SECRET).map_err(io::Error::other)?;
    let mut out = BufWriter::new(File::create(file)?);
    for number in 0..count {
        let body = format!(
            "{{\"ref\":\"refs/heads/main\",\"before\":\"{number:040x}\",\"after\":\"{:040x}\",\
             \"repository\":{{\"id\":{number:012},\"full_name\":\"acme/payments\"}},\
             \"pusher\":{{\"name\":\"octavia\",\"email\":\"octavia@example.com\"}},\
             \"head_commit\":{{\"message\":\"Round half to even\",\"added\":[],\"modified\":[\"src/lib.rs\"]}}}}",
            number + 1
        );
        let tag = keyed.clone().chain_update(&body).finalize().into_bytes();
        write!(
            out,
            "POST /hooks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             User-Agent: GitHub-Hookshot/1a2b3c4\r\nX-GitHub-Event: push\r\n\
             X-GitHub-Delivery: {number:08x}-cc78-11e3-81ab-4c9367dc0958\r\n\
             X-Hub-Signature-256: sha256={}\r\nContent-Length: {}\r\n\r\n{body}",
            hex::encode(tag),
            body.len()
        )?;
    }
    out.flush()
}

#[tokio::main]
async fn serve(side: &str, port: u16) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening");
    io::stdout().flush()?;
    match side {
        "ours" => ours(listener).await,
        _ => axum::serve(listener, floor()).await,
    }
}

fn floor() -> Router {
    let hook = |body: Bytes| async move {
        std::hint::black_box(&body);
        (StatusCode::ACCEPTED, CONSTANT)
    };
    Router::new().route("/hooks", post(hook))
}

async fn ours(listener: TcpListener) -> io::Result<()> {
    let backend = Arc::new(MemoryBackend::new());
    let queue = QueueName::new("bench").expect("a valid name");
    let handler = handler_fn(|job, _context| async move {
        std::hint::black_box(&job);
        Ok(())
    });
    // Short jobs, so many at a time, as the docs of `prefetch` advise.
    let worker = Worker::new(Arc::clone(&backend), queue.clone(), handler)
        .prefetch(256)
        .build()
        .expect("valid settings");
    tokio::spawn(async move { worker.run(std::future::pending()).await });

    anvil_benches::serve::serve(listener, backend, queue).await
}

const CONSTANT: &str = "{\"jobId\":\"0198c5b2-7c3e-7d4a-9f60-2b1f5f1c9a10\",\"replayed\":false}";
