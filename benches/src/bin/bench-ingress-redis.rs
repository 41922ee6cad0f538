//! The whole chain over HTTP into Redis, served by hyper.
//!
//! `bench-ingress-redis --redis URL --port P` serves `POST /hooks` on 127.0.0.1, prints `listening`,
//! and answers `GET /counts` with what became of the deliveries.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use anvil_benches::{options, serve, store};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> ExitCode {
    let args = options::args();
    let Some([url, port]) = options::values(&args, ["--redis", "--port"]) else {
        eprintln!("usage: bench-ingress-redis --redis URL --port P");
        return ExitCode::from(2);
    };
    match run(url, port).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-ingress-redis: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(url: &str, port: &str) -> Result<(), Box<dyn Error>> {
    let backend = store::connect(url).await?;
    let listener = TcpListener::bind(("127.0.0.1", port.parse()?)).await?;
    println!("listening");
    io::stdout().flush()?;
    serve::serve(listener, backend, store::queue()).await?;
    Ok(())
}
