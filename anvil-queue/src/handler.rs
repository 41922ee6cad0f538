//! What runs a job.

use std::fmt;
use std::future::Future;

use crate::Job;

mod context;
mod error;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "tower")]
mod service;
pub use context::Context;
pub use error::HandlerError;
pub(crate) use error::{Verdict, describe};
#[cfg(feature = "json")]
pub use json::{JsonHandlerFn, json_handler_fn};
#[cfg(feature = "tower")]
pub use service::{ServiceHandler, service_handler};

/// Runs jobs.
///
/// A run that returns `Ok` completes the job; an error is a failed run, and the worker's
/// [`RetryPolicy`](crate::RetryPolicy) decides what becomes of the job. A panic is a failure of
/// that job alone. Delivery is at least once: a crash or an outage longer than the lease can run a
/// job again, so effects must bear a repetition.
///
/// # Cancellation
///
/// The future is dropped at an await point when the run exceeds the worker's `timeout` and at the
/// hard end of a shutdown. Before that the [`Context`] tells a run that its lease was lost or that
/// the worker is stopping; heeding it is voluntary.
///
/// ```
/// use anvil_queue::{Context, Handler, HandlerError, Job};
///
/// struct Charge;
///
/// impl Handler for Charge {
///     async fn handle(&self, job: Job, _context: Context) -> Result<(), HandlerError> {
///         let amount = std::str::from_utf8(job.payload()).map_err(HandlerError::permanent)?;
///         assert_eq!(amount, "100");
///         Ok(())
///     }
/// }
/// # fn is_handler(_: impl Handler) {}
/// # is_handler(Charge);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handler of jobs",
    label = "this is not a `Handler`",
    note = "wrap an async closure in `handler_fn(|job, context| async move {{ … Ok(()) }})`, or implement `anvil_queue::Handler`",
    note = "a handler is `Send + Sync + 'static`, so its closure captures `Arc` and not `Rc`, and what it holds across an await is `Send`"
)]
pub trait Handler: Send + Sync + 'static {
    /// Runs one job.
    fn handle(
        &self,
        job: Job,
        context: Context,
    ) -> impl Future<Output = Result<(), HandlerError>> + Send;

    /// Waits until another job can be taken; the worker reserves nothing before. Default: at once.
    fn ready(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// Makes a handler of an async closure.
///
/// ```
/// use anvil_queue::{Handler, HandlerError, handler_fn};
///
/// let handler = handler_fn(|job, _context| async move {
///     if job.payload().is_empty() {
///         return Err(HandlerError::permanent("the payload is empty"));
///     }
///     Ok(())
/// });
/// # fn is_handler(_: impl Handler) {}
/// # is_handler(handler);
/// ```
pub fn handler_fn<F, Fut>(handle: F) -> HandlerFn<F>
where
    F: Fn(Job, Context) -> Fut,
    Fut: Future<Output = Result<(), HandlerError>>,
{
    HandlerFn(handle)
}

/// The handler of [`handler_fn`].
#[derive(Clone, Copy)]
pub struct HandlerFn<F>(F);

// A closure that captures an `Rc` should be told what a handler is, not what an `Rc` is.
#[diagnostic::do_not_recommend]
impl<F, Fut> Handler for HandlerFn<F>
where
    F: Fn(Job, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<(), HandlerError>> + Send,
{
    fn handle(
        &self,
        job: Job,
        context: Context,
    ) -> impl Future<Output = Result<(), HandlerError>> + Send {
        (self.0)(job, context)
    }
}

impl<F> fmt::Debug for HandlerFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HandlerFn")
    }
}
