use std::borrow::Cow;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime};

use anvil_tower::hmac::SecretEncoding;
use anvil_tower::preset::Facts;
use anvil_tower::{
    ConfigError, Decision, Identity, Preset, Proof, Rejection, RejectionKind, Scheme,
};
use bytes::Bytes;
use http::Request;

/// What a delivery is judged by.
///
/// No `Debug`: it holds a secret in the clear.
#[derive(Clone)]
pub(crate) struct Trial<'a> {
    pub(crate) facts: &'static Facts,
    pub(crate) secret: Cow<'a, [u8]>,
    /// The sender's own where there is none.
    pub(super) encoding: Option<SecretEncoding>,
    pub(crate) url: Option<Cow<'a, str>>,
    pub(crate) now: SystemTime,
    any_time: bool,
}

/// What is said of a delivery.
#[derive(Debug)]
pub(crate) enum Verdict {
    Genuine(Box<Genuine>),
    Refused(Rejection),
    /// With such a secret or URL there is no receiver.
    Unusable(ConfigError),
    /// The key would have to be fetched first.
    Waits,
}

/// What is known of a genuine delivery.
#[derive(Debug)]
pub(crate) struct Genuine {
    pub(crate) proof: Proof,
    pub(crate) identity: Identity,
    /// The status by which the sender's question whether somebody is here is answered.
    pub(crate) handshake: Option<u16>,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(facts: &'static Facts, secret: &'a [u8], now: SystemTime) -> Self {
        Self {
            facts,
            secret: Cow::Borrowed(secret),
            encoding: None,
            url: None,
            now,
            any_time: false,
        }
    }

    pub(crate) fn url(mut self, url: Option<&'a str>) -> Self {
        self.url = url.map(Cow::Borrowed);
        self
    }

    /// The same with this secret, written in this way.
    pub(super) fn with_secret(&self, secret: &[u8], encoding: Option<SecretEncoding>) -> Self {
        let mut trial = self.clone();
        trial.secret = Cow::Owned(secret.to_vec());
        trial.encoding = encoding;
        trial
    }

    /// The same with this URL.
    pub(super) fn with_url(&self, url: impl Into<String>) -> Self {
        let mut trial = self.clone();
        trial.url = Some(Cow::Owned(url.into()));
        trial
    }

    /// The same for another sender.
    pub(super) fn with_sender(&self, facts: &'static Facts) -> Self {
        let mut trial = self.clone();
        trial.facts = facts;
        trial
    }

    /// The same at any time, where the sender signs one.
    pub(super) fn at_any_time(&self) -> Self {
        let mut trial = self.clone();
        trial.any_time = true;
        trial
    }

    pub(crate) fn judge(&self, request: &Request<Bytes>) -> Verdict {
        let preset = match self.build(true) {
            Ok(preset) => preset,
            Err(error) => return Verdict::Unusable(error),
        };
        let (head, body) = request.clone().into_parts();
        let refused = |kind, cause| Verdict::Refused(Rejection::new(kind, cause));
        if !preset.methods().contains(&head.method) {
            return refused(RejectionKind::MethodNotAllowed, "method_not_allowed");
        }
        if body.len() > preset.body_limit() {
            return refused(RejectionKind::BodyTooLarge, "body_too_large");
        }
        let decided = preset.begin(&head, self.now).map(|mut check| {
            check.update(&body);
            check.finish(&body)
        });
        let decided = match decided {
            Ok(Decision::Made(decided)) => decided,
            Ok(Decision::Pending(mut pending)) => match poll_once(pending.as_mut()) {
                Some(decided) => decided,
                None => return Verdict::Waits,
            },
            Ok(_) => return Verdict::Waits,
            Err(rejection) => Err(rejection),
        };
        match decided {
            Ok(proof) => Verdict::Genuine(Box::new(Genuine {
                identity: preset.identify(&head, &body),
                handshake: preset
                    .signed_handshake(proof.key_number(), &head, &body)
                    .map(|answer| answer.status().as_u16()),
                proof,
            })),
            Err(rejection) => Verdict::Refused(rejection),
        }
    }

    /// Whether the signature is right, however old it may be.
    pub(super) fn fits(&self, request: &Request<Bytes>) -> bool {
        match self.judge(request) {
            Verdict::Genuine(_) => true,
            Verdict::Refused(rejection) => matches!(
                rejection.kind(),
                RejectionKind::Expired | RejectionKind::Future | RejectionKind::Stale
            ),
            Verdict::Unusable(_) | Verdict::Waits => false,
        }
    }

    /// Why a receiver would refuse the secret for its length alone.
    pub(crate) fn too_short(&self) -> Option<ConfigError> {
        self.build(true).ok()?;
        self.build(false).err()
    }

    /// The answer to a request that nobody signs and that asks whether somebody is here.
    pub(crate) fn open_handshake(&self, request: &Request<Bytes>) -> bool {
        let (head, _) = request.clone().into_parts();
        let preset = self.build(true).ok();
        preset.is_some_and(|preset| preset.open_handshake(&head).is_some())
    }

    fn build(&self, allow_short: bool) -> Result<Preset, ConfigError> {
        let described = self.facts.described();
        let mut builder = self.facts.builder().secret(&self.secret);
        if allow_short {
            builder = builder.allow_short_secret();
        }
        if let Some(encoding) = self.encoding {
            builder = builder.secret_encoding(encoding);
        }
        if let Some(url) = self.url.as_deref().filter(|_| described.needs_url) {
            builder = builder.public_url(url);
        }
        if self.any_time && described.tolerance.is_some() {
            builder = builder
                .tolerate_past(Duration::MAX)
                .tolerate_future(Duration::MAX);
        }
        builder.build()
    }
}

/// What a future gives at once; one that waits is given up.
fn poll_once<T>(future: Pin<&mut (dyn Future<Output = T> + Send)>) -> Option<T> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Pending => None,
        Poll::Ready(value) => Some(value),
    }
}
