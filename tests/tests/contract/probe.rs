use std::fmt;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use http::{Request, Response};
use tower::Service;

/// A service whose clone is not ready, and which insists on being ready when it is called. Answers
/// with the extensions of the request.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    ready: bool,
    calls: Arc<AtomicUsize>,
}

impl Probe {
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

impl Clone for Probe {
    fn clone(&self) -> Self {
        Self {
            ready: false,
            calls: Arc::clone(&self.calls),
        }
    }
}

impl<B> Service<Request<B>> for Probe {
    type Response = Response<String>;
    type Error = Broken;
    type Future = Ready<Result<Self::Response, Broken>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Broken>> {
        self.ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        assert!(self.ready, "called without having been polled ready");
        self.ready = false;
        self.calls.fetch_add(1, Ordering::SeqCst);
        let mut response = Response::default();
        *response.extensions_mut() = request.into_parts().0.extensions;
        ready(Ok(response))
    }
}

/// A service that fails when it is polled ready.
#[derive(Clone, Debug)]
pub(crate) struct NeverReady;

impl<B> Service<Request<B>> for NeverReady {
    type Response = Response<String>;
    type Error = Broken;
    type Future = Ready<Result<Self::Response, Broken>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Broken>> {
        Poll::Ready(Err(Broken("not ready")))
    }

    fn call(&mut self, _request: Request<B>) -> Self::Future {
        ready(Err(Broken("called all the same")))
    }
}

/// The error of a service under test.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Broken(pub(crate) &'static str);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Broken {}
