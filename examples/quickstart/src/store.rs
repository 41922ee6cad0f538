use std::fmt;
use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::{DeadLetters, JobId, QueueName};
use anvil_redis::{InvalidConfig, RedisBackend};

use crate::BoxError;

/// Where the jobs of this run are.
pub(crate) struct Store {
    pub(crate) backend: Arc<dyn DeadLetters>,
    pub(crate) queue: QueueName,
    /// The URL, where the jobs outlive this process.
    pub(crate) redis: Option<String>,
}

impl Store {
    /// The queue `webhooks`, in this process.
    pub(crate) fn memory() -> Result<Self, BoxError> {
        Ok(Self {
            backend: Arc::new(MemoryBackend::new()),
            queue: QueueName::new("webhooks")?,
            redis: None,
        })
    }

    /// A queue of this run's own, so that the accounting is right however often the same Redis is
    /// used.
    ///
    /// Fails where Redis can't be reached or can't keep jobs; where it may lose some, `warn` is told.
    pub(crate) async fn redis(url: &str, mut warn: impl FnMut(&str)) -> Result<Self, BoxError> {
        let backend = RedisBackend::builder(url)?.build()?;
        for finding in backend.check().await?.findings {
            if finding.fatal {
                return Err(finding.text.into());
            }
            warn(&finding.text);
        }
        let [.., a, b, c, d] = *JobId::generate().as_bytes();
        let own = u32::from_be_bytes([a, b, c, d]);
        Ok(Self {
            backend: Arc::new(backend),
            queue: QueueName::new(format!("quickstart-{own:08x}"))?,
            redis: Some(url.to_owned()),
        })
    }
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.redis {
            None => write!(f, "\"{}\" in memory", self.queue),
            Some(_) => write!(f, "\"{}\" in Redis", self.queue),
        }
    }
}

/// Whether a text is the URL of a Redis.
pub(crate) fn check_url(url: &str) -> Result<(), InvalidConfig> {
    RedisBackend::builder(url).map(drop)
}
