use std::error::Error;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tower_service::Service;

use super::{Context, Handler, HandlerError};
use crate::Job;

/// Makes a handler of a tower service, with all its layers.
///
/// The service's readiness gates reserving: while it is not ready, the worker takes no job. Each
/// job is given to a service that was polled ready. Every error is transient;
/// implement [`Handler`] by hand to tell permanent ones apart.
///
/// ```
/// use anvil_queue::{Handler, Job, service_handler};
/// use tower::service_fn;
///
/// let handler = service_handler(service_fn(|job: Job| async move {
///     if job.payload().is_empty() { Err("the payload is empty") } else { Ok(()) }
/// }));
/// # fn is_handler(_: impl Handler) {}
/// # is_handler(handler);
/// ```
pub fn service_handler<S>(service: S) -> ServiceHandler<S> {
    ServiceHandler {
        service: Mutex::new(Slot {
            service,
            ready: false,
        }),
    }
}

/// The handler of [`service_handler`].
pub struct ServiceHandler<S> {
    service: Mutex<Slot<S>>,
}

struct Slot<S> {
    service: S,
    ready: bool,
}

impl<S> ServiceHandler<S> {
    fn slot(&self) -> MutexGuard<'_, Slot<S>> {
        self.service.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Clone> ServiceHandler<S> {
    /// Takes the service that was polled ready, where there is one, and leaves a clone.
    fn take(&self) -> (S, bool) {
        let mut slot = self.slot();
        let clone = slot.service.clone();
        let ready = std::mem::take(&mut slot.ready);
        (std::mem::replace(&mut slot.service, clone), ready)
    }
}

#[diagnostic::do_not_recommend]
impl<S> Handler for ServiceHandler<S>
where
    S: Service<Job, Response = ()> + Clone + Send + 'static,
    S::Error: Into<Box<dyn Error + Send + Sync>> + Send,
    S::Future: Send,
{
    async fn handle(&self, job: Job, _context: Context) -> Result<(), HandlerError> {
        let (mut service, ready) = self.take();
        if !ready {
            poll_fn(|cx| service.poll_ready(cx))
                .await
                .map_err(HandlerError::transient)?;
        }
        service.call(job).await.map_err(HandlerError::transient)
    }

    async fn ready(&self) {
        poll_fn(|cx| {
            let mut slot = self.slot();
            if slot.ready {
                return std::task::Poll::Ready(());
            }
            // A service that fails here fails the next job with its error.
            let polled = slot.service.poll_ready(cx);
            slot.ready = matches!(polled, std::task::Poll::Ready(Ok(())));
            polled.map(drop)
        })
        .await;
    }
}

impl<S> fmt::Debug for ServiceHandler<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceHandler").finish_non_exhaustive()
    }
}
