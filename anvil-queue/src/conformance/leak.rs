//! G11, no leak: what senders send is not printed.

use super::Harness;
use super::trial::{Trial, bury};
use crate::{DeadLetters, DeadQuery, Metadata, NewJob, PeekPlace, PeekQuery};

/// `Debug` of the backend and of all it hands out is safe to log.
pub async fn debug_shows_neither_payload_nor_metadata(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let mut metadata = Metadata::default();
    metadata.push("authorization", "hidden-metadata");
    let job = NewJob::new("hidden-payload").metadata(metadata);
    trial.enqueue(job.clone()).await;
    let mut texts = vec![format!("{:?}", trial.backend)];
    let reserved = trial.take().await;
    texts.push(format!("{reserved:?} {:?}", trial.backend));
    trial.apply(&reserved.lease, bury("an error")).await;
    let page = trial
        .backend
        .list_dead(&trial.queue, DeadQuery::new())
        .await;
    texts.push(format!("{page:?} {:?}", trial.backend));
    let id = job.data().id();
    trial.replay(id).await;
    let next = trial.peek(PeekQuery::new(PeekPlace::Ready)).await;
    texts.push(format!("{next:?} {:?}", trial.view(id).await));
    for text in texts {
        assert!(!text.contains("hidden"), "{text}");
    }
}
