//! A failure is followed by the sender's retry, and together they are one job.

use anvil_queue::{QueueErrorKind, QueueStats, Refusal};
use anvil_tests::{Fault, SIGNED_AT, Sender, Verb, event, hooks, send, stats, work};

use super::faulty;

#[tokio::test(start_paused = true)]
async fn after_a_lost_reply_the_retry_finds_the_job_that_was_stored() {
    for sender in Sender::ALL {
        let (backend, memory, queue) = faulty();
        let hooks = hooks(sender, &backend, &queue);
        backend.next(Verb::Enqueue, Fault::LoseReply);
        let lost = send(
            &hooks,
            sender.sign_at(event("evt_1"), SIGNED_AT - 60).request(),
        )
        .await;
        assert!(lost.is_try_again());
        assert_eq!(stats(&memory, &queue).await.ready, 1, "stored all the same");

        let retry = send(&hooks, sender.sign(event("evt_1")).request()).await;
        assert!(retry.replayed(), "{sender:?}");
        let runs = work(&memory, &queue, |_| Ok(())).await;
        assert_eq!((runs.len(), runs[0].id()), (1, retry.job_id()));
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_failure_nothing_is_claimed_and_the_retry_is_the_first() {
    for sender in Sender::ALL {
        for fault in [
            Fault::Fail(QueueErrorKind::Unavailable),
            Fault::Fail(QueueErrorKind::Rejected),
            Fault::Refuse(Refusal::Full),
            Fault::Panic,
        ] {
            let (backend, memory, queue) = faulty();
            let hooks = hooks(sender, &backend, &queue);
            let delivery = sender.sign(event("evt_1"));
            backend.next(Verb::Enqueue, fault.clone());
            assert!(send(&hooks, delivery.request()).await.is_try_again());
            assert_eq!(
                stats(&memory, &queue).await,
                QueueStats::default(),
                "{fault:?}"
            );

            let retry = send(&hooks, delivery.request()).await;
            assert!(!retry.replayed(), "{sender:?} {fault:?}");
            assert_eq!(work(&memory, &queue, |_| Ok(())).await.len(), 1);
        }
    }
}
