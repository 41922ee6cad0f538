//! The connections of one process: who may wait on which.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anvil_queue::{QueueError, QueueErrorKind};
use redis::Value;
use tokio::sync::{mpsc, oneshot};

use crate::link::{Link, Repeat, Target};
use crate::script::Call;

/// Every verb shares one connection, but for those that would hold up the others or be held up.
pub(crate) struct Connections {
    pub(crate) target: Arc<Target>,
    pub(crate) shared: Link,
    /// Where each enqueue is confirmed: `WAIT` speaks of what its own connection wrote, and holds
    /// up whatever is behind it.
    confirmed: Option<Link>,
    pub(crate) renewal: Renewal,
}

impl Connections {
    pub(crate) fn new(target: Arc<Target>, confirms: bool) -> Self {
        Self {
            shared: Link::new(Arc::clone(&target)),
            confirmed: confirms.then(|| Link::new(Arc::clone(&target))),
            renewal: Renewal::new(Arc::clone(&target)),
            target,
        }
    }

    /// The connection jobs are stored on.
    pub(crate) fn enqueue(&self) -> &Link {
        self.confirmed.as_ref().unwrap_or(&self.shared)
    }
}

/// A thread that renews leases on a connection of its own.
///
/// The shared connection is driven by the application's runtime, which a handler that never yields
/// can starve; this one is not. The thread starts with the first call and ends with the backend.
pub(crate) struct Renewal {
    target: Arc<Target>,
    calls: std::sync::OnceLock<mpsc::UnboundedSender<Request>>,
}

struct Request {
    call: Call<'static>,
    budget: Duration,
    answer: oneshot::Sender<Result<Value, QueueError>>,
}

impl Renewal {
    fn new(target: Arc<Target>) -> Self {
        Self {
            target,
            calls: std::sync::OnceLock::new(),
        }
    }

    /// Calls a script from the thread. Dropping the future loses only the answer.
    pub(crate) async fn call(
        &self,
        call: Call<'static>,
        budget: Duration,
    ) -> Result<Value, QueueError> {
        let (answer, answered) = oneshot::channel();
        let request = Request {
            call,
            budget,
            answer,
        };
        let calls = self.calls.get_or_init(|| start(Arc::clone(&self.target)));
        // A thread that is gone drops the request, which is the answer.
        let _ = calls.send(request);
        answered.await.unwrap_or_else(|_| {
            let what = "the thread that renews leases could not be started";
            Err(QueueError::new(QueueErrorKind::Internal, what))
        })
    }
}

fn start(target: Arc<Target>) -> mpsc::UnboundedSender<Request> {
    let (calls, mut requests) = mpsc::unbounded_channel::<Request>();
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let Ok(runtime) = runtime else { return };
        let link = Arc::new(Link::new(target));
        runtime.block_on(async {
            while let Some(Request {
                call,
                budget,
                answer,
            }) = requests.recv().await
            {
                let link = Arc::clone(&link);
                tokio::spawn(async move {
                    // A caller that went away wants no answer.
                    let _ = answer.send(link.call(&call, budget, Repeat::Harmless).await);
                });
            }
        });
    };
    if let Err(error) = thread::Builder::new()
        .name("anvil-renewal".to_owned())
        .spawn(run)
    {
        tracing::error!(%error, "the thread that renews leases could not be started");
    }
    calls
}
