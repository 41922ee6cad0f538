//! G8, bytes in, bytes out: what a sender sent survives byte for byte wherever the job goes.

use std::time::Duration;

use bytes::Bytes;

use super::Harness;
use super::trial::{Trial, bury, failure, retry};
use crate::{ErrorText, JobData, Metadata, NewJob, Replayed, Settlement};

/// All 256 values, in the payload and in the metadata, from the caller to the handler.
pub async fn every_byte_reaches_the_worker(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue(every_byte()).await;
    assert_every_byte(trial.take().await.job.data());
}

/// A retry stores nothing anew.
pub async fn every_byte_survives_a_retry(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    trial.enqueue(every_byte()).await;
    for next in [
        retry(Duration::ZERO),
        Settlement::Snooze {
            after: Duration::ZERO,
        },
    ] {
        trial.apply(&trial.take().await.lease, next).await;
    }
    trial
        .apply(&trial.take().await.lease, Settlement::Release)
        .await;
    trial.take_shortly().await;
    trial.pass_short().await;
    assert_every_byte(trial.take().await.job.data());
}

/// A person sees what the sender sent, and so does the handler after the replay.
pub async fn every_byte_survives_death_and_replay(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let id = trial.kill(every_byte()).await;
    assert_every_byte(&trial.letter(id).await.data);
    assert_eq!(trial.replay(id).await, Replayed::Ready);
    assert_every_byte(trial.take().await.job.data());
}

/// Nothing is something: an empty payload is neither lost nor filled.
pub async fn an_empty_payload_stays_empty(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let mut metadata = Metadata::default();
    metadata.push("empty", Bytes::new());
    trial
        .enqueue(NewJob::new(Bytes::new()).metadata(metadata.clone()))
        .await;
    let job = trial.take().await.job;
    assert!(job.payload().is_empty());
    assert_eq!(job.metadata(), &metadata);
}

/// Large payloads take the same way as small ones.
pub async fn a_payload_of_a_mebibyte_survives(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let payload: Bytes = (0..1 << 20_u32)
        .map(|n: u32| (n ^ (n >> 8)) as u8)
        .collect();
    let id = trial.enqueue(NewJob::new(payload.clone())).await;
    let leased = trial.take().await;
    assert!(leased.job.payload() == &payload);
    trial.apply(&leased.lease, bury("no")).await;
    assert!(trial.letter(id).await.data.payload() == &payload);
}

/// Kinds, sources and metadata names are kept as they are, and entries keep their order.
pub async fn names_survive(harness: &impl Harness) {
    let trial = Trial::fresh(harness).await;
    let mut metadata = Metadata::default();
    metadata.push("X-Mixed-Case", "1");
    metadata.push("twice", "first");
    metadata.push("twice", "second");
    metadata.push("x".repeat(300), "long");
    let kind = "größe:{}\u{1f984}\0 \n";
    let job = NewJob::new("x")
        .kind(kind)
        .source("Quelle #1 {}")
        .metadata(metadata.clone());
    let id = trial.enqueue(job).await;
    let leased = trial.take().await;
    trial.apply(&leased.lease, bury("no")).await;
    for data in [leased.job.data(), &trial.letter(id).await.data] {
        assert_eq!(data.kind(), kind);
        assert_eq!(data.source(), "Quelle #1 {}");
        assert_eq!(data.metadata(), &metadata);
        assert_eq!(data.id(), id);
    }
}

/// Errors of every length and alphabet are stored as the worker reported them.
pub async fn an_error_text_is_kept_as_it_is(harness: &impl Harness) {
    for error in [
        "",
        "a\0b",
        "größer als \u{1f984}",
        &"e".repeat(65),
        &"é".repeat(2_000),
    ] {
        let trial = Trial::fresh(harness).await;
        let id = trial.enqueue(NewJob::new("x")).await;
        let retry = Settlement::Retry {
            after: Duration::ZERO,
            failure: failure(error),
        };
        trial.apply(&trial.take().await.lease, retry).await;
        trial.apply(&trial.take().await.lease, bury(error)).await;
        let failures = trial.letter(id).await.failures;
        for kept in [failures.first, failures.last] {
            assert_eq!(kept.unwrap().report.error, ErrorText::new(error));
        }
    }
}

fn every_byte() -> NewJob {
    let mut metadata = Metadata::default();
    metadata.push("every-byte", all_values());
    metadata.push(
        "traceparent",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    );
    NewJob::new(all_values()).metadata(metadata)
}

fn assert_every_byte(data: &JobData) {
    assert_eq!(data.payload(), &all_values());
    assert_eq!(data.metadata().get("every-byte"), Some(&all_values()));
    assert_eq!(data.metadata().len(), 2);
}

fn all_values() -> Bytes {
    (0..=u8::MAX).collect()
}
