use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::request::Parts;
use tower_layer::Layer;

use super::future::report;
use super::{EmptyResponse, RecentRejections, RejectedDelivery, Verify};
use crate::handshake::{AnswerHandshakes, NoHandshakes};
use crate::{Rejection, Scheme};

/// Lets only signed deliveries through; see the [module docs](super) for an example.
///
/// * `S`: how the sender signs.
/// * `R`: what a refused sender is answered.
/// * `H`: whether handshakes are answered.
#[must_use = "a layer does nothing until it wraps a service"]
pub struct VerifyLayer<S, R = EmptyResponse, H = NoHandshakes> {
    pub(super) config: Config<S, R>,
    handshakes: PhantomData<fn() -> H>,
}

impl<S> VerifyLayer<S> {
    /// Verifies by `scheme`.
    ///
    /// `source` is the name of this route in records, job queues and dedupe keys: two routes with
    /// one sender but different accounts get two names.
    pub fn new(source: impl Into<Arc<str>>, scheme: S) -> Self {
        Self {
            config: Config {
                source: source.into(),
                scheme: Arc::new(scheme),
                body_limit: None,
                read_timeout: DEFAULT_READ_TIMEOUT,
                clock: Clock::System,
                recent: None,
                respond: EmptyResponse,
            },
            handshakes: PhantomData,
        }
    }
}

impl<S, R, H> VerifyLayer<S, R, H> {
    /// Sets how long a body may be, in bytes as they come over the wire. A longer one is 413: at
    /// once where the head declares it, else as soon as the bytes exceed it. Default: the scheme's,
    /// 1 MiB unless the sender documents more.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.config.body_limit = Some(bytes);
        self
    }

    /// Sets how long the body may take from the first time it has to be waited for; then it is
    /// 408. Progress does not extend it. Default: 10 s.
    ///
    /// Needs a tokio runtime with its timer on, but only once a body is waited for.
    pub fn read_timeout(mut self, timeout: Duration) -> Self {
        self.config.read_timeout = timeout;
        self
    }

    /// Sets the clock that signed timestamps are measured by. Default: [`SystemTime::now`].
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.config.clock = Clock::Custom(Arc::new(clock));
        self
    }

    /// Keeps the newest rejections in memory, for an application to show; see
    /// [`RecentRejections`]. Several layers may share one record. Default: none are kept.
    pub fn recent_rejections(mut self, record: &RecentRejections) -> Self {
        self.config.recent = Some(record.clone());
        self
    }

    /// Answers the sender's handshakes as well, the unsigned ones before verification and the
    /// signed ones after it; see the [module docs](crate::handshake). Default: a handshake is
    /// refused, or passed on where it is signed.
    ///
    /// The answers are made of [`Bytes`](bytes::Bytes), so the body of the inner service's responses
    /// has to be one that can be.
    pub fn answer_handshakes(self) -> VerifyLayer<S, R, AnswerHandshakes> {
        VerifyLayer {
            config: self.config,
            handshakes: PhantomData,
        }
    }

    /// Sets what a refused sender is answered. Default: [`EmptyResponse`].
    ///
    /// ```
    /// use anvil_tower::{Preset, Rejection, VerifyLayer};
    /// use http::{Response, StatusCode};
    ///
    /// // A sender that gives up for good on a 4xx is better told to try again later.
    /// let layer = VerifyLayer::new("github", Preset::github("a secret of 16 bytes or more")?)
    ///     .on_rejection(|_: &Rejection| {
    ///         let mut response = Response::new(String::new());
    ///         *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    ///         response
    ///     });
    /// # let _ = layer;
    /// # Ok::<(), anvil_tower::ConfigError>(())
    /// ```
    pub fn on_rejection<T>(self, respond: T) -> VerifyLayer<S, T, H> {
        let Config {
            source,
            scheme,
            body_limit,
            read_timeout,
            clock,
            recent,
            respond: _,
        } = self.config;
        let config = Config {
            source,
            scheme,
            body_limit,
            read_timeout,
            clock,
            recent,
            respond,
        };
        VerifyLayer {
            config,
            handshakes: PhantomData,
        }
    }
}

impl<I, S, R: Clone, H> Layer<I> for VerifyLayer<S, R, H> {
    type Service = Verify<I, S, R, H>;

    fn layer(&self, inner: I) -> Self::Service {
        Verify {
            inner,
            config: Arc::new(self.config.clone()),
            handshakes: PhantomData,
        }
    }
}

impl<S, R: Clone, H> Clone for VerifyLayer<S, R, H> {
    fn clone(&self) -> Self {
        Self {
            config: self.config.clone(),
            handshakes: PhantomData,
        }
    }
}

impl<S: fmt::Debug, R, H> fmt::Debug for VerifyLayer<S, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.config.fmt(f, "VerifyLayer")
    }
}

/// What the layer hands to every service it makes.
pub(super) struct Config<S, R> {
    pub(super) source: Arc<str>,
    pub(super) scheme: Arc<S>,
    pub(super) body_limit: Option<usize>,
    pub(super) read_timeout: Duration,
    pub(super) clock: Clock,
    pub(super) recent: Option<RecentRejections>,
    pub(super) respond: R,
}

impl<S: Scheme, R> Config<S, R> {
    pub(super) fn limit(&self) -> usize {
        self.body_limit.unwrap_or_else(|| self.scheme.body_limit())
    }

    /// Makes a rejection known, and gives it the status that the scheme wants. `body` is what was
    /// read, where the whole was.
    pub(super) fn refuse(
        &self,
        rejection: Rejection,
        head: &Parts,
        body: Option<&[u8]>,
    ) -> Rejection {
        let Self { source, scheme, .. } = self;
        report(&rejection, source, scheme.name());
        if let Some(recent) = &self.recent {
            let (source, now) = (Arc::clone(source), self.clock.now());
            recent.add(RejectedDelivery::new(
                rejection,
                source,
                scheme.name(),
                now,
                head,
                body,
            ));
        }
        rejection.answered(scheme.refusal())
    }
}

impl<S: fmt::Debug, R> Config<S, R> {
    pub(super) fn fmt(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        let Self {
            source,
            scheme,
            body_limit,
            read_timeout,
            clock: _,
            recent,
            respond: _,
        } = self;
        f.debug_struct(name)
            .field("source", source)
            .field("scheme", scheme)
            .field("body_limit", body_limit)
            .field("read_timeout", read_timeout)
            .field("recent_rejections", &recent.is_some())
            .finish_non_exhaustive()
    }
}

impl<S, R: Clone> Clone for Config<S, R> {
    fn clone(&self) -> Self {
        Self {
            source: Arc::clone(&self.source),
            scheme: Arc::clone(&self.scheme),
            body_limit: self.body_limit,
            read_timeout: self.read_timeout,
            clock: self.clock.clone(),
            recent: self.recent.clone(),
            respond: self.respond.clone(),
        }
    }
}

#[derive(Clone)]
pub(super) enum Clock {
    Custom(Arc<dyn Fn() -> SystemTime + Send + Sync>),
    System,
}

impl Clock {
    pub(super) fn now(&self) -> SystemTime {
        match self {
            Self::Custom(clock) => clock(),
            Self::System => SystemTime::now(),
        }
    }
}

const DEFAULT_READ_TIMEOUT: Duration = Duration::from_secs(10);
