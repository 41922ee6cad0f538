use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use anvil_queue::{Coalescer, DeadLetters, DedupeKey, NewJob, QueueBackend, QueueName};
use bytes::Bytes;
use http::{Request, Response};
use tower_service::Service;

use super::stored_headers::StoredHeaders;
use super::{Answer, JobIdAnswer, KEY_ID_METADATA, ResponseBody, ResponseFuture};
use crate::{ConfigError, VerifiedRequestBody};

/// Stores verified deliveries and answers the sender; see the [module docs](super) for an example.
///
/// The job gets the payload as it was signed, kind and source from the
/// [`Verified`](crate::Verified) record, and the key that a
/// [`DedupeLayer`](crate::DedupeLayer) put into the request's extensions; without such a layer it
/// has no key, and every delivery is a job of its own.
///
/// Cloning is cheap, and clones share one [`Coalescer`].
#[must_use = "a service does nothing until it is called"]
pub struct EnqueueService<A = JobIdAnswer> {
    config: Arc<Config<A>>,
}

/// What the clones and the answers under way share.
pub(super) struct Config<A> {
    pub(super) coalescer: Coalescer,
    pub(super) timeout: Duration,
    stored_headers: StoredHeaders,
    pub(super) dead_letters: Option<Arc<dyn DeadLetters>>,
    pub(super) answer: A,
}

impl EnqueueService {
    /// Stores in `queue` of `backend`.
    pub fn new(backend: impl QueueBackend, queue: QueueName) -> Self {
        Self::from_coalescer(Coalescer::new(backend, queue))
    }

    /// Stores through a coalescer that is shared with others.
    pub fn from_coalescer(coalescer: Coalescer) -> Self {
        let config = Config {
            coalescer,
            timeout: DEFAULT_TIMEOUT,
            stored_headers: StoredHeaders::default(),
            dead_letters: None,
            answer: JobIdAnswer,
        };
        Self {
            config: Arc::new(config),
        }
    }
}

impl<A: Clone> EnqueueService<A> {
    /// Sets how long a delivery may take to be stored, its time in the line included; then it is
    /// 503. Senders give up after a few seconds, so stay well below. Default: 1 s.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        Arc::make_mut(&mut self.config).timeout = timeout;
        self
    }

    /// Sets which headers are stored with the job, by name. At most 32 values and 8 KiB a job.
    /// Default: `content-type`, `traceparent` and `tracestate`.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where a name can't be a header's, or where the header carries a secret or a
    /// signature, such as `authorization` and `cookie`.
    pub fn store_headers<N>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, ConfigError>
    where
        N: Into<Cow<'static, str>>,
    {
        Arc::make_mut(&mut self.config).stored_headers = StoredHeaders::new(names)?;
        Ok(self)
    }

    /// Replays a job that is dead when its delivery comes again, before the sender is answered.
    /// Where the replay fails, the answer is 503. Default: the duplicate is logged and the job stays
    /// dead.
    ///
    /// `dead_letters` is the backend the service stores in.
    pub fn replay_dead_duplicates(mut self, dead_letters: Arc<dyn DeadLetters>) -> Self {
        Arc::make_mut(&mut self.config).dead_letters = Some(dead_letters);
        self
    }

    /// Sets what a sender is told once its delivery is stored. Default: [`JobIdAnswer`].
    ///
    /// Some senders take nothing but a 200, or want a body of their own. What each wants is in its
    /// preset, and [`ingress`](crate::ingress) answers so; a chain of your own does with it:
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use anvil_memory::MemoryBackend;
    /// use anvil_queue::QueueName;
    /// use anvil_tower::{EnqueueService, Preset, Scheme};
    ///
    /// let preset = Preset::stripe("whsec_the_endpoint_secret")?;
    /// let backend = Arc::new(MemoryBackend::new());
    /// let enqueue = EnqueueService::new(backend, QueueName::new("webhooks")?)
    ///     .answer(preset.success());
    /// # let _ = enqueue;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn answer<T>(self, answer: T) -> EnqueueService<T> {
        let Config {
            coalescer,
            timeout,
            stored_headers,
            dead_letters,
            answer: _,
        } = Arc::unwrap_or_clone(self.config);
        let config = Config {
            coalescer,
            timeout,
            stored_headers,
            dead_letters,
            answer,
        };
        EnqueueService {
            config: Arc::new(config),
        }
    }
}

impl<A, B> Service<Request<B>> for EnqueueService<A>
where
    A: Answer,
    B: VerifiedRequestBody,
{
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = ResponseFuture<A>;

    #[inline]
    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (head, body) = request.into_parts();
        let (payload, verified) = body.into_verified_body().into_parts();
        let key = head.extensions.get::<DedupeKey>().copied();
        let mut metadata = self.config.stored_headers.copy(&head.headers);
        if let Some(name) = verified.key_name() {
            let name = Bytes::copy_from_slice(name.as_bytes());
            metadata.push(KEY_ID_METADATA, name);
        }
        // The extensions hold the record as well; without them it is ours alone.
        drop(head);
        let (source, kind) = verified.into_names();
        let job = NewJob::new(payload)
            .kind(kind)
            .source(source)
            .dedupe_key(key)
            .metadata(metadata);
        ResponseFuture::new(self.config.coalescer.enqueue(job), Arc::clone(&self.config))
    }
}

impl<A> Clone for EnqueueService<A> {
    fn clone(&self) -> Self {
        Self {
            config: Arc::clone(&self.config),
        }
    }
}

impl<A: Clone> Clone for Config<A> {
    fn clone(&self) -> Self {
        Self {
            coalescer: self.coalescer.clone(),
            timeout: self.timeout,
            stored_headers: self.stored_headers.clone(),
            dead_letters: self.dead_letters.clone(),
            answer: self.answer.clone(),
        }
    }
}

impl<A> fmt::Debug for EnqueueService<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Config {
            coalescer,
            timeout,
            stored_headers,
            dead_letters,
            answer: _,
        } = &*self.config;
        f.debug_struct("EnqueueService")
            .field("coalescer", coalescer)
            .field("timeout", timeout)
            .field("stored_headers", stored_headers)
            .field("replay_dead_duplicates", &dead_letters.is_some())
            .finish_non_exhaustive()
    }
}

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(1);
