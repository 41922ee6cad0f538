use std::sync::Arc;

use anvil_queue::{QueueBackend, QueueName};
use tower_layer::Layer;

use crate::Scheme;
use crate::dedupe::{Dedupe, DedupeLayer, Recommended};
use crate::enqueue::{EnqueueService, Success};
use crate::handshake::AnswerHandshakes;
use crate::verify::{EmptyResponse, Verify, VerifyLayer};

/// The whole chain as one service: verify, name by the recommended key, enqueue.
///
/// The paved path. It is what a [`VerifyLayer`] that
/// [answers handshakes](VerifyLayer::answer_handshakes), a [`DedupeLayer::recommended`] and an
/// [`EnqueueService`] that [answers](EnqueueService::answer) as the sender wants
/// ([`Scheme::success`]) make, with their defaults; put them together yourself to change one.
///
/// ```
/// use std::sync::Arc;
///
/// use anvil_memory::MemoryBackend;
/// use anvil_queue::QueueName;
/// use anvil_tower::{Preset, ingress};
/// use http::{Request, StatusCode};
/// use tower::ServiceExt;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let backend = Arc::new(MemoryBackend::new());
/// let scheme = Preset::github("It's a Secret to Everybody")?;
/// let hooks = ingress(scheme, "github", backend, QueueName::new("webhooks")?);
///
/// let request = Request::post("/hooks/github")
///     .header(
///         "x-hub-signature-256",
///         "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
///     )
///     .body(String::from("Hello, World!"))?;
/// assert_eq!(hooks.oneshot(request).await?.status(), StatusCode::ACCEPTED);
/// # Ok(())
/// # }
/// ```
pub fn ingress<S: Scheme>(
    scheme: S,
    source: impl Into<Arc<str>>,
    backend: impl QueueBackend,
    queue: QueueName,
) -> Ingress<S> {
    let enqueue = EnqueueService::new(backend, queue).answer(scheme.success());
    VerifyLayer::new(source, scheme)
        .answer_handshakes()
        .layer(DedupeLayer::recommended().layer(enqueue))
}

/// The service made by [`ingress`].
pub type Ingress<S> =
    Verify<Dedupe<EnqueueService<Success>, Recommended>, S, EmptyResponse, AnswerHandshakes>;
