use std::fmt;
use std::future::Future;
use std::marker::PhantomData;

use serde::de::DeserializeOwned;

use super::{Context, Handler, HandlerError};
use crate::Job;

/// Makes a handler of an async closure that takes the payload as decoded JSON.
///
/// A payload that does not decode goes to the dead letters as `undecodable`, with its raw bytes.
///
/// ```
/// use anvil_queue::{Handler, json_handler_fn};
///
/// #[derive(serde::Deserialize)]
/// struct Invoice {
///     amount: u64,
/// }
///
/// let handler = json_handler_fn(|invoice: Invoice, _job, _context| async move {
///     assert!(invoice.amount > 0);
///     Ok(())
/// });
/// # fn is_handler(_: impl Handler) {}
/// # is_handler(handler);
/// ```
pub fn json_handler_fn<T, F, Fut>(handle: F) -> JsonHandlerFn<T, F>
where
    F: Fn(T, Job, Context) -> Fut,
    Fut: Future<Output = Result<(), HandlerError>>,
{
    JsonHandlerFn {
        handle,
        payload: PhantomData,
    }
}

/// The handler of [`json_handler_fn`].
pub struct JsonHandlerFn<T, F> {
    handle: F,
    payload: PhantomData<fn() -> T>,
}

#[diagnostic::do_not_recommend]
impl<T, F, Fut> Handler for JsonHandlerFn<T, F>
where
    T: DeserializeOwned + Send + 'static,
    F: Fn(T, Job, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<(), HandlerError>> + Send,
{
    async fn handle(&self, job: Job, context: Context) -> Result<(), HandlerError> {
        let payload = serde_json::from_slice(job.payload()).map_err(|error| {
            // The message may quote the payload; place and category do not.
            let (line, column) = (error.line(), error.column());
            let what = match error.classify() {
                serde_json::error::Category::Data => "is JSON of another shape",
                serde_json::error::Category::Eof => "ends too early",
                _ => "is not JSON",
            };
            HandlerError::undecodable(format!("the payload {what} (line {line} column {column})"))
        })?;
        (self.handle)(payload, job, context).await
    }
}

impl<T, F> fmt::Debug for JsonHandlerFn<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JsonHandlerFn")
    }
}
