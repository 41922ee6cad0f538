//! Jobs that something else has damaged: each goes to the dead letters with its reason, and the
//! queue goes on.

use std::collections::HashSet;

use anvil_queue::{
    Control, DeadLetters, DeadReason, JobId, NewJob, PeekPlace, PeekQuery, QueueBackend, Settlement,
};
use anvil_redis_fixture::Reply;
use anvil_tests::{RedisQueue, dead, stats, store, take};
use tokio::time::sleep;

use super::{MS, SEC, drain, failure};

/// More than is kept in one value with the rest of a job.
fn large(byte: u8) -> Vec<u8> {
    vec![byte; 3_000]
}

fn set_body(queue: &RedisQueue, id: JobId, body: &[u8]) {
    queue.command("HSET", "b", &[&id.as_bytes()[..], body]);
}

fn payload_key(queue: &RedisQueue, id: JobId) -> String {
    queue.key(&format!("o:{id}"))
}

#[tokio::test]
async fn a_body_that_can_not_be_read_is_kept_among_the_dead_letters_byte_for_byte() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    let ids = store(&backend, queue.name(), (0..20).map(|_| NewJob::new("fine"))).await;
    let all: Vec<u8> = (0..=255).collect();
    // Byte 9 says how to read the rest; these claim a key, a large payload, another version.
    let bodies: [&[u8]; 7] = [
        b"",
        b"x",
        b"eight by",
        b"{\"json\": \"of another program\"}",
        b"12345678\x13",
        b"12345678\x22 another version",
        &all,
    ];
    for (id, body) in ids.iter().zip(bodies) {
        set_body(&queue, *id, body);
    }
    assert_eq!(drain(&backend, queue.name()).await.len(), 13);
    let letters = dead(&backend, queue.name()).await;
    assert_eq!(letters.len(), bodies.len());
    for (letter, body) in letters.iter().zip(bodies) {
        assert_eq!(letter.reason, DeadReason::Undecodable);
        assert_eq!(&letter.data.payload()[..], body);
        assert_eq!(letter.counters.attempts, 1);
    }
    let stats = stats(&backend, queue.name()).await;
    assert_eq!((stats.open(), stats.totals.completed), (0, 13));
    assert!(queue.census().missing.is_empty());
}

#[tokio::test]
async fn a_damaged_body_does_not_give_its_neighbours_payloads_to_one_another() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    let jobs = (1..5).map(|n| NewJob::new(large(n)));
    let ids = store(&backend, queue.name(), jobs).await;
    // It still says that its payload is large, and nothing else of it can be read.
    set_body(&queue, ids[1], b"garbage.\x2f\0\0\0\0garbage");
    let runs = drain(&backend, queue.name()).await;
    assert_eq!(runs.len(), 3);
    for job in runs {
        let n = ids.iter().position(|id| *id == job.id()).unwrap();
        assert_eq!(job.payload()[..], large(u8::try_from(n).unwrap() + 1));
    }
    let letters = dead(&backend, queue.name()).await;
    assert_eq!(letters.len(), 1);
    assert_eq!(
        (letters[0].id(), letters[0].reason),
        (ids[1], DeadReason::Undecodable)
    );
}

#[tokio::test]
async fn a_job_whose_body_or_payload_is_gone_is_dead_as_missing_and_does_not_loop() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    let jobs = (0..9).map(|n| {
        if n < 3 {
            NewJob::new(large(n))
        } else {
            NewJob::new("fine")
        }
    });
    let ids = store(&backend, queue.name(), jobs).await;
    queue
        .server()
        .command(&["DEL", &payload_key(&queue, ids[0])]);
    let wrong = payload_key(&queue, ids[1]);
    queue.server().command(&["DEL", &wrong]);
    queue
        .server()
        .command(&["LPUSH", &wrong, "of another type"]);
    queue.command("HDEL", "b", &[ids[3].as_bytes()]);

    assert_eq!(drain(&backend, queue.name()).await.len(), 6);
    let letters = dead(&backend, queue.name()).await;
    let dead: HashSet<_> = letters.iter().map(|letter| letter.id()).collect();
    assert_eq!(dead, HashSet::from([ids[0], ids[1], ids[3]]));
    for letter in &letters {
        assert_eq!(letter.reason, DeadReason::Missing);
        assert!(letter.data.payload().is_empty());
    }
    assert_eq!(queue.census().missing, HashSet::from([ids[3]]));
    let dead: Vec<_> = dead.into_iter().collect();
    assert_eq!(
        backend.discard(queue.name(), &dead).await.unwrap(),
        [true; 3]
    );
    let census = queue.census();
    assert_eq!((census.open(), census.dead.len()), (0, 0));
    assert_eq!(
        queue.server().command(&["EXISTS", &wrong]),
        Reply::Integer(0)
    );
}

#[tokio::test]
async fn a_record_that_can_not_be_read_counts_as_none() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    let ids = store(&backend, queue.name(), (0..5).map(|_| NewJob::new("fine"))).await;
    let records: [&[u8]; 4] = [b"", b"garbage", &[255; 40], &[b'x'; 100]];
    let retry = Settlement::Retry {
        after: MS,
        failure: failure("no"),
    };
    for end in [retry, Settlement::Snooze { after: MS }, Settlement::Release] {
        for (id, record) in ids.iter().zip(records) {
            queue.command("HSET", "m", &[id.as_bytes(), record]);
        }
        let taken = take(&backend, queue.name(), 9, 60 * SEC).await;
        assert_eq!(taken.len(), 5);
        let outcomes: Vec<_> = taken
            .into_iter()
            .map(|job| (job.lease, end.clone()))
            .collect();
        backend.settle(queue.name(), &outcomes).await.unwrap();
        queue.census();
        sleep(2 * MS).await;
    }
    assert_eq!(drain(&backend, queue.name()).await.len(), 5);
    assert_eq!(queue.census().open(), 0);
}

/// Somebody pushed onto a list of the queue by hand.
#[tokio::test]
async fn a_member_that_is_no_job_is_passed_over() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    let foreign = ["", "hello", "not the length of a lease or an id"];
    for word in foreign {
        queue.command("RPUSH", "r", &[word]);
        queue.command("HSET", "b", &[word, "12345678\x10and with a body"]);
        for letter in ["q", "s", "z", "l", "x"] {
            queue.command("ZADD", letter, &["1", word]);
        }
    }
    store(&backend, queue.name(), (0..20).map(|_| NewJob::new("fine"))).await;
    let lost = store(&backend, queue.name(), [NewJob::new("fine")]).await[0];
    queue.command("HDEL", "b", &[lost.as_bytes()]);
    for place in [PeekPlace::Ready, PeekPlace::Scheduled, PeekPlace::Leased] {
        backend
            .peek(queue.name(), PeekQuery::new(place))
            .await
            .unwrap();
    }
    let mut done = 0;
    for _ in 0..20 {
        let taken = take(&backend, queue.name(), 9, 60 * SEC).await;
        done += taken.len();
        let complete = |lease| (lease, Settlement::Complete);
        let outcomes: Vec<_> = taken.into_iter().map(|job| complete(job.lease)).collect();
        backend.settle(queue.name(), &outcomes).await.unwrap();
    }
    assert_eq!(done, 20);
    let letters = dead(&backend, queue.name()).await;
    assert_eq!(letters.len(), 1);
    assert_eq!(
        (letters[0].id(), letters[0].reason),
        (lost, DeadReason::Missing)
    );
}
