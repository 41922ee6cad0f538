//! Webhooks beside gRPC on one port, and signed gRPC calls.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::{HandlerError, QueueName, Worker, handler_fn};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tracing_subscriber::EnvFilter;

mod app;
mod bytes_codec;
mod payments;
mod queue_stats;

use app::Secrets;

#[tokio::main]
async fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt().with_env_filter(filter).init();
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "can't go on");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let secrets = Secrets {
        github: variable("GITHUB_WEBHOOK_SECRET")?,
        partner: variable("PARTNER_SECRET")?,
    };
    let backend = Arc::new(MemoryBackend::new());
    let queue = QueueName::new("webhooks")?;
    let app = app::app(&backend, &queue, &secrets)?;

    let worker = Worker::new(
        backend,
        queue,
        handler_fn(|job, _context| async move {
            tracing::info!(job = %job.id(), kind = job.kind(), source = job.source(), "handling");
            Ok::<(), HandlerError>(())
        }),
    )
    .build()?;
    let (stop, stopped) = oneshot::channel::<()>();
    let working = tokio::spawn(async move {
        let stopped = async { drop(stopped.await) };
        worker.run(stopped).await
    });

    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    tracing::info!(address = %listener.local_addr()?, "listening");
    // HTTP/1.1 for webhooks and HTTP/2 for gRPC, told apart by the first bytes.
    axum::serve(listener, app)
        .with_graceful_shutdown(async { drop(tokio::signal::ctrl_c().await) })
        .await?;
    drop(stop);
    tracing::info!(report = %working.await??, "stopped");
    Ok(())
}

fn variable(name: &str) -> Result<String, Box<dyn Error>> {
    std::env::var(name).map_err(|_| format!("set {name} to the secret of the endpoint").into())
}
