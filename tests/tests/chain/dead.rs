//! What becomes of a delivery whose job fails for good.

use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::{
    DeadLetters, DeadReason, HandlerError, Job, JobId, QueueName, ReplayOptions, Replayed,
};
use anvil_tests::{Answer, Sender, dead, event, hooks, memory, send, stats, work};
use anvil_tower::{DedupeLayer, EnqueueService, VerifyLayer};
use tokio::time::Instant;
use tower::ServiceBuilder;

fn fail(job: &Job) -> Result<(), HandlerError> {
    Err(HandlerError::transient(format!(
        "failure {}",
        job.attempt()
    )))
}

async fn deliver(backend: &Arc<MemoryBackend>, queue: &QueueName) -> Answer {
    let hooks = hooks(Sender::Stripe, backend, queue);
    send(&hooks, Sender::Stripe.sign(event("evt_1")).request()).await
}

async fn replay(backend: &MemoryBackend, queue: &QueueName, id: JobId) -> Vec<Replayed> {
    backend
        .replay(queue, &[id], ReplayOptions::default())
        .await
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_delivery_whose_handler_keeps_failing_is_dead_after_four_runs_and_36_seconds() {
    let (backend, queue) = memory();
    let start = Instant::now();
    let id = deliver(&backend, &queue).await.job_id();
    let runs = work(&backend, &queue, fail).await;
    assert_eq!((runs.len(), start.elapsed().as_secs()), (4, 36));

    let letters = dead(&backend, &queue).await;
    let [letter] = letters.as_slice() else {
        panic!("{letters:?}")
    };
    assert_eq!((letter.id(), letter.reason), (id, DeadReason::Exhausted));
    assert_eq!(letter.failures.attempts, 4);
    assert_eq!(letter.failures.last_error(), Some("failure 4"));
    assert_eq!(letter.data.payload(), &event("evt_1"));
    assert_eq!(
        (letter.data.kind(), letter.data.source()),
        ("invoice.paid", "stripe")
    );
}

#[tokio::test(start_paused = true)]
async fn a_copy_of_a_dead_delivery_gets_its_id_and_runs_nothing() {
    let (backend, queue) = memory();
    let first = deliver(&backend, &queue).await;
    work(&backend, &queue, fail).await;
    let copy = deliver(&backend, &queue).await;
    assert_eq!((copy.job_id(), copy.replayed()), (first.job_id(), true));
    assert!(work(&backend, &queue, fail).await.is_empty());
    assert_eq!(dead(&backend, &queue).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn where_asked_for_a_copy_of_a_dead_delivery_runs_its_job_again() {
    let (backend, queue) = memory();
    let enqueue = EnqueueService::new(Arc::clone(&backend), queue.clone())
        .replay_dead_duplicates(Arc::clone(&backend) as _);
    let hooks = ServiceBuilder::new()
        .layer(VerifyLayer::new("stripe", Sender::Stripe.scheme()).clock(anvil_tests::now))
        .layer(DedupeLayer::recommended())
        .service(enqueue);
    let delivery = Sender::Stripe.sign(event("evt_1"));
    let id = send(&hooks, delivery.request()).await.job_id();
    work(&backend, &queue, fail).await;

    let copy = send(&hooks, delivery.request()).await;
    assert_eq!((copy.job_id(), copy.replayed()), (id, true));
    let runs = work(&backend, &queue, |_| Ok(())).await;
    assert_eq!((runs.len(), runs[0].id()), (1, id));
    assert_eq!((runs[0].attempt(), runs[0].counters().replays), (1, 1));
    assert!(dead(&backend, &queue).await.is_empty());

    assert!(send(&hooks, delivery.request()).await.replayed());
    assert!(
        work(&backend, &queue, |_| Ok(())).await.is_empty(),
        "a done job is not replayed"
    );
}

#[tokio::test(start_paused = true)]
async fn a_replayed_job_is_handled_and_a_copy_of_its_delivery_is_still_a_duplicate() {
    let (backend, queue) = memory();
    let id = deliver(&backend, &queue).await.job_id();
    work(&backend, &queue, fail).await;
    assert_eq!(replay(&backend, &queue, id).await, [Replayed::Ready]);

    let copy = deliver(&backend, &queue).await;
    assert_eq!(
        (copy.job_id(), copy.replayed()),
        (id, true),
        "while it waits"
    );
    let runs = work(&backend, &queue, |_| Ok(())).await;
    assert_eq!((runs.len(), runs[0].id(), runs[0].attempt()), (1, id, 1));
    let copy = deliver(&backend, &queue).await;
    assert_eq!(
        (copy.job_id(), copy.replayed()),
        (id, true),
        "once it is done"
    );
    assert!(work(&backend, &queue, |_| Ok(())).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn dying_copies_and_replays_in_turn_never_make_a_second_job() {
    let (backend, queue) = memory();
    let id = deliver(&backend, &queue).await.job_id();
    for round in 1..=5 {
        assert_eq!(work(&backend, &queue, fail).await.len(), 4);
        assert_eq!(deliver(&backend, &queue).await.job_id(), id);
        assert!(work(&backend, &queue, fail).await.is_empty());
        assert_eq!(replay(&backend, &queue, id).await, [Replayed::Ready]);
        assert_eq!(replay(&backend, &queue, id).await, [Replayed::NotDead]);
        assert_eq!(deliver(&backend, &queue).await.job_id(), id);
        let stats = stats(&backend, &queue).await;
        assert_eq!((stats.ready, stats.dead), (1, 0));
        assert_eq!((stats.totals.accepted, stats.totals.replayed), (1, round));
    }
    assert_eq!(work(&backend, &queue, |_| Ok(())).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_dead_job_holds_up_no_other_event() {
    let (backend, queue) = memory();
    deliver(&backend, &queue).await;
    work(&backend, &queue, fail).await;
    let hooks = hooks(Sender::Stripe, &backend, &queue);
    let other = send(&hooks, Sender::Stripe.sign(event("evt_2")).request()).await;
    assert!(!other.replayed());
    assert_eq!(
        work(&backend, &queue, |_| Ok(())).await[0].id(),
        other.job_id()
    );
}
