//! Everything a client can stretch has an end: the head, the body, the connection, the number of
//! connections and the stop.

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower::Service;

use crate::hooks::BoxError;

/// Serves until `shutdown`, then lets requests under way finish.
pub(crate) async fn serve<S, B>(listener: TcpListener, service: S, shutdown: impl Future)
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut shutdown = pin!(shutdown);
    loop {
        // No place, no accept: the rest waits in the backlog of the kernel.
        let accepting = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            accepted = accepting => accepted,
            _ = &mut shutdown => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Most often too many open files; at once it would only fail again.
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let serving = graceful.watch(connection(stream, service.clone()));
        tokio::spawn(async move {
            if let Err(error) = serving.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(GRACE, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("some connections did not end in time");
    }
}

/// One connection, HTTP/1.1.
///
/// `hyper_util::server::conn::auto` would speak HTTP/2 as well, but it sets no deadline for the
/// first bytes, by which it tells the two apart. Behind a proxy that speaks HTTP/2 to the world
/// this is enough.
pub(crate) fn connection<I, S, B>(
    io: I,
    service: S,
) -> http1::Connection<TokioIo<I>, TowerToHyperService<S>>
where
    I: AsyncRead + AsyncWrite + Unpin,
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Clone,
    B: Body<Error: Into<BoxError>> + 'static,
{
    http1::Builder::new()
        // Without a timer hyper has no deadline for the head.
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(io), TowerToHyperService::new(service))
}

const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
const GRACE: Duration = Duration::from_secs(15);
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// Each holds one body of at most 1 MiB: 512 MiB in all.
const MAX_CONNECTIONS: usize = 512;
const MAX_HEAD: usize = 32 * 1024;

#[cfg(test)]
mod tests {
    use anvil_memory::MemoryBackend;
    use anvil_queue::QueueName;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;
    use crate::hooks::{Hooks, Secrets};

    /// A connection without a network, served by the routes.
    fn connect() -> DuplexStream {
        let secrets = Secrets {
            stripe: "whsec_a_secret_of_16_bytes".to_owned(),
            standard: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=".to_owned(),
        };
        let backend = Arc::new(MemoryBackend::new());
        let hooks = Hooks::new(&backend, &QueueName::new("webhooks").unwrap(), &secrets).unwrap();
        let (client, server) = duplex(64 * 1024);
        tokio::spawn(connection(server, hooks.into_service()));
        client
    }

    /// Sends `text`, then nothing more, and gives back what is answered until the connection ends.
    async fn exchange(text: &str) -> String {
        let mut client = connect();
        client.write_all(text.as_bytes()).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_never_ends_ends_the_connection() {
        assert_eq!(
            exchange("POST /hooks/stripe HTTP/1.1\r\nhost: x\r\n").await,
            ""
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_never_ends_is_answered_408() {
        let signed = "stripe-signature: t=1767225600,v1=\
            0000000000000000000000000000000000000000000000000000000000000000\r\n";
        let head = "POST /hooks/stripe HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n";
        let answer = exchange(&format!("{head}{signed}\r\n{{")).await;
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_too_long_is_answered_431() {
        let long = "x".repeat(MAX_HEAD);
        let answer = exchange(&format!("POST / HTTP/1.1\r\nhost: x\r\nx-long: {long}\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_without_a_signature_is_refused_before_it_is_sent() {
        let head = "POST /hooks/standard HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n";
        let answer = exchange(&format!("{head}expect: 100-continue\r\n\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    }

    #[tokio::test(start_paused = true)]
    async fn an_unknown_path_is_404() {
        let answer = exchange("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    }
}
