//! A server of its own for each test.

use std::sync::Arc;
use std::time::Duration;

use anvil_queue::Store;
use anvil_queue::conformance::Harness;
use anvil_redis::{RedisBackend, RedisBuilder};
use anvil_redis_fixture::Server;

pub(crate) struct Standalone {
    pub(crate) server: Server,
}

impl Standalone {
    pub(crate) fn new() -> Self {
        Self {
            server: Server::start(),
        }
    }

    fn builder(&self) -> RedisBuilder {
        RedisBackend::builder(&self.server.url())
            .unwrap()
            .dedupe_window(self.dedupe_window())
            .id_window(self.id_window())
    }
}

impl Harness for Standalone {
    type Backend = RedisBackend;

    async fn fresh(&self) -> RedisBackend {
        self.builder().connect().await.unwrap()
    }

    async fn with_capacity(&self, jobs: usize) -> RedisBackend {
        self.builder().capacity(jobs).connect().await.unwrap()
    }

    async fn pass(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn short_time(&self) -> Duration {
        Duration::from_millis(250)
    }

    fn dedupe_window(&self) -> Duration {
        Duration::from_secs(2)
    }

    fn id_window(&self) -> Duration {
        Duration::from_secs(2)
    }
}

/// The same as services hold it when the store is chosen by configuration.
pub(crate) struct Pointer(pub(crate) super::shared::Shared);

impl Harness for Pointer {
    type Backend = Arc<dyn Store>;

    async fn fresh(&self) -> Arc<dyn Store> {
        Arc::new(self.0.fresh().await)
    }

    async fn with_capacity(&self, jobs: usize) -> Arc<dyn Store> {
        Arc::new(self.0.with_capacity(jobs).await)
    }

    async fn pass(&self, time: Duration) {
        self.0.pass(time).await;
    }

    fn short_time(&self) -> Duration {
        self.0.short_time()
    }

    fn dedupe_window(&self) -> Duration {
        self.0.dedupe_window()
    }

    fn id_window(&self) -> Duration {
        self.0.id_window()
    }
}
