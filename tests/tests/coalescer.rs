//! Many single calls, few batches: and nobody is lost or answered for somebody else.

use std::sync::Arc;
use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::{
    Coalescer, CoalescerLimits, DedupeKey, EnqueueError, Enqueued, NewJob, QueueBackend,
    QueueBackendExt, QueueErrorKind, QueueName, Refusal, Settled, Settlement,
};
use anvil_tests::{Fault, FaultyBackend, Verb, memory};
use futures_util::future::join_all;
use tokio::sync::Semaphore;

/// Fewer than make a line full, so that they wait for the batch in flight.
const FEW: usize = 8;

type Faulty = FaultyBackend<Arc<MemoryBackend>>;

fn line() -> (Coalescer, Faulty, QueueName) {
    line_with(CoalescerLimits::default())
}

fn line_with(limits: CoalescerLimits) -> (Coalescer, Faulty, QueueName) {
    let (backend, queue) = memory();
    let faulty = FaultyBackend::new(backend);
    let line = Coalescer::with_limits(faulty.clone(), queue.clone(), limits);
    (line, faulty, queue)
}

/// Occupies the lane of enqueues until the gate gets a permit.
async fn occupy(line: &Coalescer, faulty: &Faulty) -> Arc<Semaphore> {
    let gate = Arc::new(Semaphore::new(0));
    faulty.next(Verb::Enqueue, Fault::Hold(Arc::clone(&gate)));
    let call = line.enqueue(NewJob::new("first"));
    tokio::spawn(call);
    while faulty.sizes(Verb::Enqueue).is_empty() {
        tokio::task::yield_now().await;
    }
    gate
}

#[tokio::test]
async fn a_lone_call_is_sent_at_once() {
    let (line, faulty, _) = line();
    let job = NewJob::new("x");
    let id = job.data().id();
    assert_eq!(line.enqueue(job).await.unwrap(), Enqueued::Accepted(id));
    assert_eq!(faulty.sizes(Verb::Enqueue), [1]);
}

#[tokio::test]
async fn calls_that_come_while_one_is_in_flight_become_the_next_batch() {
    let (line, faulty, _) = line();
    let gate = occupy(&line, &faulty).await;
    let calls: Vec<_> = (0..FEW)
        .map(|n| tokio::spawn(line.enqueue(NewJob::new(n.to_string()))))
        .collect();
    tokio::task::yield_now().await;
    assert_eq!(faulty.sizes(Verb::Enqueue), [1]);
    gate.add_permits(1);
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(faulty.sizes(Verb::Enqueue), [1, FEW]);
}

#[tokio::test]
async fn where_many_wait_more_batches_are_sent_each_for_a_longer_line_and_no_fifth() {
    let (line, faulty, _) = line();
    let gate = occupy(&line, &faulty).await;
    let others = Arc::new(Semaphore::new(0));
    for _ in 0..3 {
        faulty.next(Verb::Enqueue, Fault::Hold(Arc::clone(&others)));
    }
    let calls: Vec<_> = (0..250)
        .map(|n| tokio::spawn(line.enqueue(NewJob::new(n.to_string()))))
        .collect();
    while faulty.sizes(Verb::Enqueue).len() < 4 {
        tokio::task::yield_now().await;
    }
    for _ in 0..300 {
        tokio::task::yield_now().await;
    }
    assert_eq!(faulty.sizes(Verb::Enqueue), [1, 20, 40, 60]);
    gate.add_permits(1);
    others.add_permits(3);
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(faulty.sizes(Verb::Enqueue).iter().sum::<usize>(), 251);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_caller_gets_the_answer_to_its_own_job() {
    let (line, faulty, _) = line();
    faulty.always(Verb::Enqueue, Fault::Late(Duration::from_millis(1)));
    let jobs: Vec<_> = (0..640).map(|n| NewJob::new(n.to_string())).collect();
    let calls = jobs.iter().map(|job| {
        let id = job.data().id();
        let call = tokio::spawn(line.enqueue(job.clone()));
        async move { assert_eq!(call.await.unwrap().unwrap(), Enqueued::Accepted(id)) }
    });
    join_all(calls).await;
    let batches = faulty.sizes(Verb::Enqueue);
    assert_eq!(batches.iter().sum::<usize>(), 640);
    assert!(batches.len() < 640, "nothing was gathered: {batches:?}");
}

#[tokio::test]
async fn a_caller_that_goes_away_loses_its_answer_and_not_its_job() {
    let (line, faulty, queue) = line();
    let gate = occupy(&line, &faulty).await;
    let mut waiting = by_hand(line.enqueue(NewJob::new("second")));
    assert!(waiting.poll().is_none(), "the lane is occupied");
    drop(waiting);
    gate.add_permits(1);
    while faulty.stats(&queue).await.unwrap().ready < 2 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_caller_whose_call_is_in_flight_may_go_away_too() {
    let (line, faulty, queue) = line();
    let gate = Arc::new(Semaphore::new(0));
    faulty.next(Verb::Enqueue, Fault::Hold(Arc::clone(&gate)));
    let mut call = by_hand(line.enqueue(NewJob::new("x")));
    assert!(call.poll().is_none());
    drop(call);
    gate.add_permits(1);
    while faulty.stats(&queue).await.unwrap().ready < 1 {
        tokio::task::yield_now().await;
    }
    assert!(line.enqueue(NewJob::new("y")).await.is_ok());
}

#[tokio::test]
async fn the_same_job_sent_again_after_a_lost_reply_is_one_job() {
    let (line, faulty, queue) = line();
    for key in [None, Some(DedupeKey::derive("test", b"1"))] {
        faulty.next(Verb::Enqueue, Fault::LoseReply);
        let job = NewJob::new("x").dedupe_key(key);
        let before = faulty.stats(&queue).await.unwrap().ready;
        let lost = line.enqueue(job.clone()).await.unwrap_err();
        assert!(matches!(lost, EnqueueError::Backend(e) if e.kind() == QueueErrorKind::Timeout));
        let id = job.data().id();
        assert_eq!(line.enqueue(job).await.unwrap(), Enqueued::Accepted(id));
        assert_eq!(faulty.stats(&queue).await.unwrap().ready, before + 1);
    }
}

#[tokio::test]
async fn one_refused_job_among_64_leaves_63_accepted() {
    let backend = Arc::new(MemoryBackend::new().max_job_bytes(1_000));
    let faulty = FaultyBackend::new(backend);
    let queue = anvil_tests::queue("hooks");
    let line = Coalescer::new(faulty.clone(), queue.clone());
    let gate = occupy(&line, &faulty).await;
    let calls: Vec<_> = (0..64)
        .map(|n| {
            let size = if n == 31 { 2_000 } else { 10 };
            tokio::spawn(line.enqueue(NewJob::new(vec![b'x'; size])))
        })
        .collect();
    tokio::task::yield_now().await;
    gate.add_permits(1);
    for (n, call) in calls.into_iter().enumerate() {
        match call.await.unwrap() {
            Ok(_) => assert_ne!(n, 31),
            Err(EnqueueError::Refused(Refusal::TooLarge { limit })) => {
                assert_eq!((n, limit), (31, 1_000));
            }
            Err(error) => panic!("job {n}: {error:?}"),
        }
    }
    assert_eq!(faulty.sizes(Verb::Enqueue).iter().sum::<usize>(), 65);
}

#[tokio::test]
async fn a_batch_rejected_as_a_whole_is_sent_again_one_by_one() {
    let (line, faulty, queue) = line();
    let gate = occupy(&line, &faulty).await;
    faulty.next(Verb::Enqueue, Fault::Fail(QueueErrorKind::Rejected));
    for _ in 0..3 {
        faulty.next(Verb::Enqueue, Fault::Late(Duration::ZERO));
    }
    faulty.next(Verb::Enqueue, Fault::Fail(QueueErrorKind::Rejected));
    let calls: Vec<_> = (0..FEW)
        .map(|n| tokio::spawn(line.enqueue(NewJob::new(n.to_string()))))
        .collect();
    tokio::task::yield_now().await;
    gate.add_permits(1);
    let answers = join_all(calls).await;
    let failed: Vec<_> = answers
        .iter()
        .enumerate()
        .filter(|(_, answer)| answer.as_ref().unwrap().is_err())
        .map(|(n, _)| n)
        .collect();
    assert_eq!(failed, [3], "only the bad job fails");
    assert_eq!(faulty.stats(&queue).await.unwrap().ready, FEW);
}

#[tokio::test]
async fn an_outage_fails_the_batch_and_is_not_multiplied() {
    let (line, faulty, _) = line();
    let gate = occupy(&line, &faulty).await;
    faulty.next(Verb::Enqueue, Fault::Fail(QueueErrorKind::Unavailable));
    let calls: Vec<_> = (0..8)
        .map(|n| tokio::spawn(line.enqueue(NewJob::new(n.to_string()))))
        .collect();
    tokio::task::yield_now().await;
    gate.add_permits(1);
    for answer in join_all(calls).await {
        assert!(answer.unwrap().is_err());
    }
    assert_eq!(faulty.sizes(Verb::Enqueue), [1, 8]);
    assert!(line.enqueue(NewJob::new("after")).await.is_ok());
}

#[tokio::test]
async fn what_does_not_fit_the_line_is_refused_and_not_sent() {
    let by_count = CoalescerLimits::default().line_items(10);
    let by_bytes = CoalescerLimits::default().line_bytes(10 * NewJob::new("x").data().weight());
    for limits in [by_count, by_bytes] {
        let (line, faulty, queue) = line_with(limits);
        let gate = occupy(&line, &faulty).await;
        let calls: Vec<_> = (0..50)
            .map(|_| tokio::spawn(line.enqueue(NewJob::new("x"))))
            .collect();
        tokio::task::yield_now().await;
        gate.add_permits(1);
        let answers = join_all(calls).await;
        let overloaded = answers
            .iter()
            .filter(|answer| matches!(answer.as_ref().unwrap(), Err(EnqueueError::Overloaded)));
        assert_eq!(overloaded.count(), 40);
        assert_eq!(faulty.stats(&queue).await.unwrap().ready, 11);
        assert!(
            line.enqueue(NewJob::new("after")).await.is_ok(),
            "there is room again"
        );
    }
}

#[tokio::test]
async fn batches_are_bounded_by_count_and_bytes() {
    let weight = NewJob::new("x").data().weight();
    for limits in [
        CoalescerLimits::default().batch_items(10),
        CoalescerLimits::default().batch_bytes(10 * weight),
    ] {
        let (line, faulty, _) = line_with(limits);
        let gate = occupy(&line, &faulty).await;
        let calls: Vec<_> = (0..25)
            .map(|_| tokio::spawn(line.enqueue(NewJob::new("x"))))
            .collect();
        tokio::task::yield_now().await;
        gate.add_permits(1);
        join_all(calls).await;
        assert_eq!(faulty.sizes(Verb::Enqueue), [1, 10, 10, 5]);
    }
}

#[tokio::test]
async fn a_panic_of_the_backend_fails_its_callers_and_no_later_one() {
    let (line, faulty, _) = line();
    let gate = occupy(&line, &faulty).await;
    faulty.next(Verb::Enqueue, Fault::Panic);
    let calls: Vec<_> = (0..8)
        .map(|_| tokio::spawn(line.enqueue(NewJob::new("x"))))
        .collect();
    tokio::task::yield_now().await;
    gate.add_permits(1);
    for answer in join_all(calls).await {
        let error = answer.unwrap().unwrap_err();
        assert!(
            matches!(&error, EnqueueError::Backend(e) if e.kind() == QueueErrorKind::Internal),
            "{error:?}"
        );
    }
    assert!(line.enqueue(NewJob::new("after")).await.is_ok());
}

#[tokio::test]
async fn a_panic_on_the_spot_is_an_error_too_and_leaves_the_line_usable() {
    let (line, faulty, _) = line();
    faulty.next(Verb::Enqueue, Fault::Panic);
    let error = line.enqueue(NewJob::new("x")).await.unwrap_err();
    assert!(matches!(error, EnqueueError::Backend(e) if e.kind() == QueueErrorKind::Internal));
    assert!(line.enqueue(NewJob::new("after")).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_hangs_does_not_hold_the_line_for_ever() {
    let (line, faulty, _) = line();
    faulty.next(Verb::Enqueue, Fault::Hold(Arc::new(Semaphore::new(0))));
    let error = line.enqueue(NewJob::new("x")).await.unwrap_err();
    assert!(matches!(error, EnqueueError::Backend(e) if e.kind() == QueueErrorKind::Timeout));
    assert!(line.enqueue(NewJob::new("after")).await.is_ok());
}

#[tokio::test]
async fn a_missing_answer_is_an_error_and_not_somebody_elses_answer() {
    let (line, faulty, _) = line();
    faulty.next(Verb::Enqueue, Fault::Shorten);
    let error = line.enqueue(NewJob::new("x")).await.unwrap_err();
    assert!(matches!(error, EnqueueError::Backend(e) if e.kind() == QueueErrorKind::Internal));
}

#[tokio::test]
async fn settlements_do_not_wait_behind_enqueues() {
    let (line, faulty, queue) = line();
    faulty
        .enqueue_one(&queue, NewJob::new("x"))
        .await
        .unwrap()
        .unwrap();
    let reserved = faulty
        .reserve_one(&queue, Duration::from_secs(10))
        .await
        .unwrap()
        .unwrap();
    let gate = Arc::new(Semaphore::new(0));
    faulty.next(Verb::Enqueue, Fault::Hold(gate));
    tokio::spawn(line.enqueue(NewJob::new("held up")));
    tokio::task::yield_now().await;
    let settled = line.settle(reserved.lease, Settlement::Complete).await;
    assert_eq!(settled.unwrap(), Settled::Applied);
}

/// A future that is polled by hand.
struct Polled<F>(std::pin::Pin<Box<F>>);

fn by_hand<F: Future>(future: F) -> Polled<F> {
    Polled(Box::pin(future))
}

impl<F: Future> Polled<F> {
    fn poll(&mut self) -> Option<F::Output> {
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        match self.0.as_mut().poll(&mut cx) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        }
    }
}
