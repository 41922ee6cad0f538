//! Many deliveries at once, workers that hang, and a queue that is full.

use std::collections::HashMap;
use std::future::pending;
use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::{HandlerError, Worker, handler_fn};
use anvil_tests::{Sender, event, hooks, memory, queue, send, stats, work};
use tokio::time::Instant;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_of_64_answers_at_once_has_the_id_of_its_own_body() {
    let (backend, queue) = memory();
    let hooks = hooks(Sender::Stripe, &backend, &queue);
    let sending: Vec<_> = (0..64)
        .map(|n| {
            let body = event(&format!("evt_{n}"));
            let (hooks, request) = (hooks.clone(), Sender::Stripe.sign(body.clone()).request());
            tokio::spawn(async move { (body, send(&hooks, request).await.job_id()) })
        })
        .collect();
    let mut ids = HashMap::new();
    for answer in sending {
        let (body, id) = answer.await.unwrap();
        assert!(ids.insert(id, body).is_none(), "one id for two bodies");
    }
    let runs = work(&backend, &queue, |_| Ok(())).await;
    assert_eq!(runs.len(), 64);
    for job in runs {
        assert_eq!(ids.remove(&job.id()).as_ref(), Some(job.payload()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_delivery_is_answered_while_every_worker_hangs() {
    let (backend, queue) = memory();
    let hooks = hooks(Sender::GitHub, &backend, &queue);
    for n in 0..2 {
        let request = Sender::GitHub.sign(event(&n.to_string())).request();
        assert_eq!(send(&hooks, request).await.status, 202);
    }
    let handler = handler_fn(|_, _| async {
        pending::<()>().await;
        Ok::<_, HandlerError>(())
    });
    let worker = Worker::new(Arc::clone(&backend), queue.clone(), handler).concurrency(1);
    let worker = worker.build().unwrap();
    let hanging = tokio::spawn(async move { worker.run_until_idle().await });
    while stats(&backend, &queue).await.leased == 0 {
        tokio::task::yield_now().await;
    }

    let start = Instant::now();
    let answer = send(&hooks, Sender::GitHub.sign(event("2")).request()).await;
    assert_eq!(answer.status, 202);
    assert_eq!(
        start.elapsed(),
        std::time::Duration::ZERO,
        "the answer waited for nothing"
    );
    hanging.abort();
}

#[tokio::test(start_paused = true)]
async fn at_capacity_a_delivery_is_told_to_try_again_and_once_there_is_room_it_is_stored() {
    let (backend, queue) = (Arc::new(MemoryBackend::new().capacity(1)), queue("hooks"));
    for sender in Sender::ALL {
        let hooks = hooks(sender, &backend, &queue);
        let (first, second) = (sender.sign(event("evt_1")), sender.sign(event("evt_2")));
        let stored = send(&hooks, first.request()).await;
        let refused = send(&hooks, second.request()).await;
        assert!(refused.is_try_again(), "{sender:?}: {refused:?}");
        let copy = send(&hooks, first.request()).await;
        assert_eq!(
            copy.job_id(),
            stored.job_id(),
            "a copy of what is stored needs no room"
        );

        assert_eq!(work(&backend, &queue, |_| Ok(())).await.len(), 1);
        assert!(
            !send(&hooks, second.request()).await.replayed(),
            "the refusal claimed no key"
        );
        assert_eq!(
            work(&backend, &queue, |_| Ok(())).await[0].payload(),
            second.body()
        );
    }
}
