//! The backend passes the suite, and so can take the place of any other.

use std::time::Duration;

use anvil_queue::conformance::Harness;
use example_own_backend::MapBackend;

/// Time is tokio's paused clock, so hours pass in no time.
struct Paused;

impl Harness for Paused {
    type Backend = MapBackend;

    async fn fresh(&self) -> MapBackend {
        MapBackend::new(usize::MAX, self.dedupe_window())
    }

    async fn with_capacity(&self, jobs: usize) -> MapBackend {
        MapBackend::new(jobs, self.dedupe_window())
    }

    async fn pass(&self, time: Duration) {
        tokio::time::advance(time).await;
    }

    fn short_time(&self) -> Duration {
        Duration::from_secs(10)
    }

    fn dedupe_window(&self) -> Duration {
        Duration::from_secs(3_600)
    }

    fn id_window(&self) -> Duration {
        Duration::from_secs(600)
    }
}

anvil_queue::conformance!(Paused, start_paused = true);
