use std::fmt;
use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::QueueBackend;
use anvil_redis::RedisBackend;

use crate::BoxError;
use crate::logged::Logged;

/// The backend that `text` names: `memory`, `memory:<capacity>`, the URL of a Redis, or `logged:` and
/// another one.
///
/// A store of another kind is one more arm. What it needs to connect, it finds in its text.
pub(crate) async fn backend(text: &str) -> Result<Arc<dyn QueueBackend>, BoxError> {
    // What may be a URL may have a password in it.
    let shown = text.split("://").next().unwrap_or(text);
    let unknown = || UnknownBackend(shown.to_owned());
    if is_redis(text) {
        return Ok(Arc::new(RedisBackend::connect(text).await?));
    }
    match text.split_once(':') {
        None if text == "memory" => Ok(Arc::new(MemoryBackend::new())),
        Some(("memory", capacity)) => {
            let jobs = capacity.parse().map_err(|_| unknown())?;
            Ok(Arc::new(MemoryBackend::new().capacity(jobs)))
        }
        Some(("logged", inner)) => Ok(Arc::new(Logged::new(Box::pin(backend(inner)).await?))),
        _ => Err(unknown().into()),
    }
}

fn is_redis(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| scheme.starts_with("redis"))
}

/// A text names no backend.
#[derive(Debug)]
pub(crate) struct UnknownBackend(String);

impl fmt::Display for UnknownBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(text) = self;
        write!(
            f,
            "{text:?} is no queue backend: use memory, memory:<capacity>, redis://… or logged:<another one>"
        )
    }
}

impl std::error::Error for UnknownBackend {}

#[cfg(test)]
mod tests {
    use anvil_redis_fixture::Server;

    use super::*;

    #[tokio::test]
    async fn a_text_that_names_no_backend_is_told_what_would() {
        for text in ["", "memry", "memory:", "memory:many", "logged", "logged:"] {
            let error = backend(text).await.unwrap_err().to_string();
            assert!(error.contains("memory:<capacity>"), "{text:?}: {error}");
        }
    }

    #[tokio::test]
    async fn wrappers_nest() {
        let memory = backend("logged:logged:memory:5").await.unwrap();
        assert!(format!("{memory:?}").starts_with("Logged(Logged(MemoryBackend"));
        let server = Server::start();
        let redis = backend(&format!("logged:{}", server.url())).await.unwrap();
        assert!(format!("{redis:?}").starts_with("Logged(RedisBackend"));
    }

    #[tokio::test]
    async fn a_redis_that_is_away_is_named() {
        let server = Server::start();
        server.kill();
        let error = backend(&server.url()).await.unwrap_err().to_string();
        let address = format!("127.0.0.1:{}", server.port());
        assert!(
            error.contains(&address) && error.contains("can't be reached"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn neither_a_backend_nor_an_error_shows_a_password() {
        let server = Server::builder().password("hidden").start();
        let good = backend(&server.url()).await.unwrap();
        assert!(!format!("{good:?}").contains("hidden"));
        for bad in [
            "redis://me:hidden@",
            "redis://me:hidden@a:b",
            "rdis://me:hidden@a",
        ] {
            let error = backend(bad).await.unwrap_err().to_string();
            assert!(!error.contains("hidden"), "{error}");
        }
    }
}
