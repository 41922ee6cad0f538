use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anvil_queue::conformance::Harness;
use anvil_redis::{RedisBackend, RedisBuilder};
use anvil_redis_fixture::Server;

use crate::walk::{Leeway, QUEUE};

/// Redis, whose time the walk passes as it likes: a queue goes on from the latest time it has seen,
/// so an hour passes when it is told that it has seen a time an hour from now.
pub(crate) struct Redis {
    server: Arc<Server>,
    prefix: String,
    walks: AtomicUsize,
}

impl Redis {
    pub(crate) const LEEWAY: Leeway = Leeway {
        ties_by_place: true,
        fewer: true,
        // An hour is short here, so what really passes is nothing beside it.
        drift: Duration::from_secs(600),
    };

    pub(crate) fn start() -> Self {
        Self {
            server: Arc::new(Server::start()),
            prefix: String::new(),
            walks: AtomicUsize::new(0),
        }
    }

    /// The same server with keys that no other walk has.
    pub(crate) fn fresh_keys(&self) -> Self {
        let walk = self.walks.fetch_add(1, Ordering::Relaxed);
        Self {
            server: Arc::clone(&self.server),
            prefix: format!("walk-{walk}"),
            walks: AtomicUsize::new(0),
        }
    }

    fn builder(&self) -> RedisBuilder {
        RedisBackend::builder(&self.server.url())
            .unwrap()
            .prefix(&self.prefix)
            .dedupe_window(self.dedupe_window())
            .id_window(self.id_window())
    }
}

impl Harness for Redis {
    type Backend = RedisBackend;

    async fn fresh(&self) -> RedisBackend {
        self.builder().build().unwrap()
    }

    async fn with_capacity(&self, jobs: usize) -> RedisBackend {
        self.builder().capacity(jobs).build().unwrap()
    }

    async fn pass(&self, time: Duration) {
        let config = format!("{}:{{{QUEUE}}}:c", self.prefix);
        let micros = time.as_micros().to_string();
        let reply = self
            .server
            .try_command(&["EVAL", PASS, "1", &config, &micros]);
        assert!(!reply.unwrap().is_error());
    }

    fn short_time(&self) -> Duration {
        Duration::from_secs(3_600)
    }

    fn dedupe_window(&self) -> Duration {
        8 * self.short_time()
    }

    fn id_window(&self) -> Duration {
        600 * self.short_time()
    }
}

/// Sets queue time ahead, and the offset that keeps it there.
const PASS: &str = "
local seen = redis.call('HMGET', KEYS[1], 't', 'o')
local time = redis.call('TIME')
local server, last = time[1] * 1000000 + time[2], tonumber(seen[1]) or 0
local now = server
if server < last then now = math.max(server + (tonumber(seen[2]) or 0), last) end
now = now + ARGV[1]
redis.call('HSET', KEYS[1], 't', string.format('%.0f', now), 'o', string.format('%.0f', now - server))
";
