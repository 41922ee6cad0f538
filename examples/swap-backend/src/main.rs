//! One application over whatever queue backend its configuration names.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use anvil_queue::{HandlerError, QueueBackend, QueueName, QueueStats, Worker, handler_fn};
use anvil_tower::{Preset, ingress};
use http::{Request, StatusCode};
use tower::ServiceExt;
use tracing_subscriber::EnvFilter;

mod config;
mod logged;

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

async fn run() -> Result<(), BoxError> {
    let configured = std::env::var("QUEUE_BACKEND").unwrap_or_else(|_| "memory".to_owned());

    let backend = config::backend(&configured).await?;
    let shown = format!("{backend:?}");
    let (answers, stats) = receive_and_work(backend).await?;
    println!("{shown}: answered {answers:?}, {stats:?}");
    Ok(())
}

/// The application: three deliveries, the last of them a duplicate, then the worker. It knows the
/// contract and no backend.
async fn receive_and_work(
    backend: Arc<dyn QueueBackend>,
) -> Result<(Vec<StatusCode>, QueueStats), BoxError> {
    let queue = QueueName::new("webhooks")?;
    let hooks = ingress(
        Preset::github(SECRET)?,
        "github",
        Arc::clone(&backend),
        queue.clone(),
    );

    let mut answers = Vec::new();
    for (body, signature) in [FIRST, SECOND, FIRST] {
        let request = Request::post("/hooks/github")
            .header("x-hub-signature-256", signature)
            .body(body.to_owned())?;
        answers.push(hooks.clone().oneshot(request).await?.status());
    }

    let handler = handler_fn(|job, _context| async move {
        tracing::info!(job = %job.id(), "handling");
        Ok::<(), HandlerError>(())
    });
    Worker::new(Arc::clone(&backend), queue.clone(), handler)
        .build()?
        .run_until_idle()
        .await?;
    Ok((answers, backend.stats(&queue).await?))
}

type BoxError = Box<dyn Error + Send + Sync>;

const SECRET: &str = "a secret of 16 bytes or more";
/// Bodies and their signatures.
const FIRST: (&str, &str) = (
    r#"{"action":"opened","number":7}"#,
    "sha256=1b8761108fa9fdf2c7d59c94bf687cabcaa744dcf0c6ba1c7bfdb4ccfde6eb73",
);
const SECOND: (&str, &str) = (
    r#"{"action":"opened","number":8}"#,
    "sha256=81b0f485a381728cd81253acc5cc702d58f449e7142ce74d07649c7fe3465fc1",
);

#[cfg(test)]
mod tests {
    use anvil_redis_fixture::Server;

    use super::*;

    async fn outcome(configured: &str) -> (Vec<StatusCode>, QueueStats) {
        let backend = config::backend(configured).await.unwrap();
        receive_and_work(backend).await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn the_application_does_not_notice_which_backend_it_has() {
        let plain = outcome("memory").await;
        assert_eq!(plain.0, [StatusCode::ACCEPTED; 3]);
        assert_eq!((plain.1.totals.accepted, plain.1.totals.duplicates), (2, 1));
        assert_eq!(plain.1.totals.completed, 2);
        for other in ["memory:2", "logged:memory", "logged:logged:memory:2"] {
            assert_eq!(outcome(other).await, plain, "{other}");
        }
    }

    #[tokio::test]
    async fn nor_does_it_notice_redis() {
        let plain = outcome("memory").await;
        for wrapper in ["", "logged:"] {
            let server = Server::start();
            let redis = format!("{wrapper}{}", server.url());
            assert_eq!(outcome(&redis).await, plain, "{redis}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_backend_sends_new_deliveries_away_and_still_knows_old_ones() {
        let (answers, stats) = outcome("logged:memory:1").await;
        let (accepted, unavailable) = (StatusCode::ACCEPTED, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(answers, [accepted, unavailable, accepted]);
        assert_eq!((stats.totals.completed, stats.totals.refused), (1, 1));
    }
}
