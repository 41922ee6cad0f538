use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::QueueName;
use anvil_tower::enqueue::ResponseBody;
use anvil_tower::{ConfigError, Ingress, Preset, ingress};
use http::{Request, Response, StatusCode};
use http_body::Body;
use tower::{Service, ServiceBuilder, ServiceExt, service_fn};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::trace::TraceLayer;

/// The routes: one chain for each sender.
#[derive(Clone)]
pub(crate) struct Hooks {
    stripe: Ingress<Preset>,
    standard: Ingress<Preset>,
}

pub(crate) struct Secrets {
    pub(crate) stripe: String,
    pub(crate) standard: String,
}

impl Hooks {
    pub(crate) fn new(
        backend: &Arc<MemoryBackend>,
        queue: &QueueName,
        secrets: &Secrets,
    ) -> Result<Self, ConfigError> {
        let Secrets { stripe, standard } = secrets;
        Ok(Self {
            stripe: ingress(
                Preset::stripe(stripe)?,
                "stripe",
                Arc::clone(backend),
                queue.clone(),
            ),
            standard: ingress(
                Preset::standard_webhooks(standard)?,
                "standard",
                Arc::clone(backend),
                queue.clone(),
            ),
        })
    }

    /// The routes with what goes around them.
    pub(crate) fn into_service<B>(
        self,
    ) -> impl Service<
        Request<B>,
        Response = Response<impl Body<Data: Send, Error: Into<BoxError>> + Send + 'static>,
        Error = Infallible,
        Future: Send,
    > + Clone
    + Send
    + 'static
    where
        B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
    {
        ServiceBuilder::new()
            .layer(TraceLayer::new_for_http())
            .layer(CatchPanicLayer::new())
            .service(service_fn(move |request| self.clone().route(request)))
    }

    async fn route<B>(self, request: Request<B>) -> Result<Response<ResponseBody>, Infallible>
    where
        B: Body<Error: Into<BoxError>>,
    {
        match request.uri().path() {
            "/hooks/stripe" => self.stripe.oneshot(request).await,
            "/hooks/standard" => self.standard.oneshot(request).await,
            _ => {
                let mut response = Response::new(ResponseBody::default());
                *response.status_mut() = StatusCode::NOT_FOUND;
                Ok(response)
            }
        }
    }
}

pub(crate) type BoxError = Box<dyn Error + Send + Sync>;
