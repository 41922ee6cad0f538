//! What a queue leaves behind: after its window, and after its jobs.

use anvil_queue::{
    Cancelled, Control, DedupeKey, Enqueued, NewJob, QueueBackend, QueueBackendExt, Settlement,
};
use anvil_tests::{RedisQueue, queue as named, store, take};
use futures_util::future::join_all;
use tokio::time::sleep;

use super::{MS, SEC};

#[tokio::test]
async fn however_long_it_was_idle_a_queue_does_not_answer_from_before_its_window() {
    const WINDOW: u32 = 400;
    let redis = RedisQueue::start();
    let backend = redis.builder().dedupe_window(WINDOW * MS).build().unwrap();
    let key = DedupeKey::derive("test", b"one");
    // The records are kept in three slots that are used in turn: idle for as long as it takes to
    // come to each of them again.
    let idle = (4..16).map(|quarters| {
        let (backend, queue) = (backend.clone(), named(&format!("idle-{quarters}")));
        async move {
            let send = || async {
                let job = NewJob::new("").dedupe_key(key);
                backend.enqueue_one(&queue, job).await.unwrap().unwrap()
            };
            assert!(matches!(send().await, Enqueued::Accepted(_)));
            sleep(quarters * WINDOW / 4 * MS).await;
            let again = send().await;
            assert!(
                matches!(again, Enqueued::Accepted(_)),
                "{quarters}: {again:?}"
            );
            assert!(matches!(send().await, Enqueued::Duplicate(id) if id == again.id()));
        }
    });
    join_all(idle).await;
}

#[tokio::test]
async fn twenty_thousand_done_jobs_leave_their_dedupe_records_and_nothing_else() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    let mut random = 0_u64;
    let mut live = async |jobs: usize| {
        for _ in 0..jobs / 250 {
            let jobs = (0..250).map(|n| {
                random += 1;
                // Every tenth is large: its payload has a key of its own.
                let payload = vec![b'x'; if n % 10 == 0 { 3_000 } else { 100 }];
                let key = DedupeKey::derive("test", &random.to_be_bytes());
                NewJob::new(payload).dedupe_key(key)
            });
            store(&backend, queue.name(), jobs).await;
            let taken = take(&backend, queue.name(), 250, 60 * SEC).await;
            let complete = |lease| (lease, Settlement::Complete);
            let outcomes: Vec<_> = taken.into_iter().map(|job| complete(job.lease)).collect();
            assert_eq!(outcomes.len(), 250);
            backend.settle(queue.name(), &outcomes).await.unwrap();
        }
    };
    live(1_000).await;
    let keys = queue.keys();
    let memory = used_memory(&queue);
    live(20_000).await;
    assert_eq!(queue.keys(), keys);
    let kept = ["a", "c", "d0", "d1", "d2", "w"].map(|letter| queue.key(letter));
    for key in keys {
        assert!(kept.contains(&key), "{key} is left");
    }
    // 107 bytes a record were measured, and the settlements remembered for a repetition are few.
    let left = used_memory(&queue) - memory;
    assert!(left < 20_000 * 107 + 512 * 1024, "{left} bytes");
}

#[tokio::test]
async fn cancelled_jobs_leave_nothing() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    for n in 0..40 {
        let jobs = (0..250).map(|m| {
            let payload = vec![b'x'; if m % 10 == 0 { 3_000 } else { 100 }];
            NewJob::new(payload).delay(60 * SEC * (n % 2))
        });
        let ids = store(&backend, queue.name(), jobs).await;
        let answers = backend.cancel(queue.name(), &ids).await.unwrap();
        assert!(answers.iter().all(|answer| *answer == Cancelled::Removed));
    }
    assert_eq!(queue.census().open(), 0);
    // Those that stood in line are dropped when their turn comes.
    let last = store(&backend, queue.name(), [NewJob::new("")]).await[0];
    let taken = loop {
        if let Some(taken) = take(&backend, queue.name(), 250, SEC).await.pop() {
            break taken;
        }
    };
    assert_eq!(taken.job.id(), last);
    let outcome = (taken.lease, Settlement::Complete);
    backend.settle(queue.name(), &[outcome]).await.unwrap();
    let kept = ["a", "c", "i0", "i1", "i2", "w"].map(|letter| queue.key(letter));
    for key in queue.keys() {
        assert!(kept.contains(&key), "{key} is left");
    }
}

#[tokio::test]
async fn a_job_cancelled_while_it_ran_leaves_nothing_however_it_ends() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    let jobs = (0..4).map(|_| NewJob::new(vec![b'x'; 3_000]));
    let ids = store(&backend, queue.name(), jobs).await;
    let mut taken = take(&backend, queue.name(), 4, 100 * MS).await;
    let answers = backend.cancel(queue.name(), &ids).await.unwrap();
    assert_eq!(answers, [Cancelled::Requested; 4]);
    // The lease of the last one runs out.
    taken.pop();
    let after = SEC;
    let ends = [
        Settlement::Complete,
        Settlement::Release,
        Settlement::Snooze { after },
    ];
    let outcomes: Vec<_> = taken.into_iter().map(|job| job.lease).zip(ends).collect();
    backend.settle(queue.name(), &outcomes).await.unwrap();
    sleep(110 * MS).await;
    assert!(take(&backend, queue.name(), 4, SEC).await.is_empty());
    let kept = ["a", "c", "i0", "i1", "i2", "w"].map(|letter| queue.key(letter));
    for key in queue.keys() {
        assert!(kept.contains(&key), "{key} is left");
    }
}

fn used_memory(queue: &RedisQueue) -> usize {
    let info = queue.server().command(&["INFO", "memory"]);
    let line = info
        .text()
        .lines()
        .find_map(|line| line.strip_prefix("used_memory:"));
    line.unwrap().parse().unwrap()
}
