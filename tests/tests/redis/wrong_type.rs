//! A key of the queue that holds something of another type: the calls that need it fail with its
//! name, nothing that is not in it is lost, and other queues do not notice.

use std::time::Duration;

use anvil_queue::{
    Control, DeadLetters, DeadQuery, DedupeKey, NewJob, PeekPlace, PeekQuery, QueueBackend,
    QueueError, QueueErrorKind, Reserve, Settlement,
};
use anvil_redis::RedisBackend;
use anvil_redis_fixture::Reply;
use anvil_tests::{RedisQueue, queue as named, stats, store, take};
use tokio::time::{sleep, timeout};

use super::{MS, SEC, bury, failure};

/// Jobs in all places; the two leases that are given back last.
async fn fill(queue: &RedisQueue, backend: &RedisBackend) -> Vec<anvil_queue::Lease> {
    let name = queue.name();
    let jobs = |count: u8| {
        (0..count).map(move |n| {
            let key = DedupeKey::derive("test", &[n, count]);
            NewJob::new("").dedupe_key(Some(key).filter(|_| n % 2 == 0))
        })
    };
    // A suspect, a dead one, one that was released, one with a record that waits for its time.
    store(backend, name, jobs(1)).await;
    take(backend, name, 1, MS).await;
    store(backend, name, jobs(3)).await;
    sleep(2 * MS).await;
    let request = Reserve::new(3, 60 * SEC).reclaimed(false);
    let taken = backend.reserve(name, request).await.unwrap();
    let retry = Settlement::Retry {
        after: 60 * SEC,
        failure: failure("no"),
    };
    let ends = [bury(), Settlement::Release, retry];
    let outcomes: Vec<_> = taken.into_iter().map(|job| job.lease).zip(ends).collect();
    assert_eq!(outcomes.len(), 3);
    backend.settle(name, &outcomes).await.unwrap();
    // Two that are leased, the rest ready, one soon due, one whose lease is about to run out.
    store(backend, name, jobs(9)).await;
    let request = Reserve::new(3, 60 * SEC).reclaimed(false);
    let leased = backend.reserve(name, request).await.unwrap();
    let request = Reserve::new(1, 20 * MS).reclaimed(false);
    assert_eq!(backend.reserve(name, request).await.unwrap().len(), 1);
    store(backend, name, [NewJob::new("").delay(20 * MS)]).await;
    let ids = store(backend, name, [NewJob::new("")]).await;
    backend.cancel(name, &ids).await.unwrap();
    backend.cancel(name, &[leased[2].job.id()]).await.unwrap();
    sleep(25 * MS).await;
    leased.into_iter().map(|reserved| reserved.lease).collect()
}

/// Calls every verb; none hangs. Gives the errors.
async fn call_all(
    queue: &RedisQueue,
    backend: &RedisBackend,
    leases: &[anvil_queue::Lease],
) -> Vec<QueueError> {
    let name = queue.name();
    let key = DedupeKey::derive("test", b"new");
    let mut errors = Vec::new();
    let mut note = |verb: &str, result: Result<Result<(), QueueError>, _>| {
        let result: Result<(), QueueError> = result.unwrap_or_else(|_| panic!("{verb} hangs"));
        errors.extend(result.err());
    };
    const LIMIT: Duration = Duration::from_secs(4);
    macro_rules! call {
        ($verb:literal, $call:expr) => {
            note($verb, timeout(LIMIT, async { $call.await.map(drop) }).await)
        };
    }
    let jobs = vec![
        NewJob::new("").dedupe_key(key),
        NewJob::new(""),
        NewJob::new("").delay(60 * SEC),
    ];
    call!("enqueue", backend.enqueue(name, jobs));
    call!(
        "reserve",
        backend.reserve(name, Reserve::new(4, 60 * SEC).reclaimed(false))
    );
    call!("reserve", backend.reserve(name, Reserve::new(4, 60 * SEC)));
    call!("extend", backend.extend(name, leases, 70 * SEC));
    let retry = Settlement::Retry {
        after: SEC,
        failure: failure("no"),
    };
    for (lease, end) in leases
        .iter()
        .zip([retry, Settlement::Complete, Settlement::Release])
    {
        call!("settle", backend.settle(name, &[(lease.clone(), end)]));
    }
    call!("stats", backend.stats(name));
    call!("wait", backend.wait(name, 10 * MS));
    for place in [PeekPlace::Ready, PeekPlace::Scheduled, PeekPlace::Leased] {
        call!("peek", backend.peek(name, PeekQuery::new(place)));
    }
    call!("list", backend.list_dead(name, DeadQuery::new()));
    let ids: Vec<_> = leases.iter().map(|lease| lease.job()).collect();
    call!("get", backend.get(name, ids[0]));
    call!("replay", backend.replay(name, &ids, Default::default()));
    call!("discard", backend.discard(name, &ids));
    errors
}

async fn damaged(letter: &str) {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    let leases = fill(&queue, &backend).await;
    let before = queue.census();
    let (key, aside) = (queue.key(letter), queue.key("aside"));
    let was_there = queue.server().command(&["EXISTS", &key]) == Reply::Integer(1);
    if was_there {
        queue.server().command(&["RENAME", &key, &aside]);
    }
    queue.server().command(&["SET", &key, "of another type"]);

    let errors = call_all(&queue, &backend, &leases).await;
    for error in &errors {
        assert_eq!(error.kind(), QueueErrorKind::Internal, "{error}");
        assert!(error.to_string().contains(&key), "{letter}: {error}");
    }
    let other = named("other");
    store(&backend, &other, [NewJob::new("")]).await;
    assert_eq!(take(&backend, &other, 1, SEC).await.len(), 1);

    queue.server().command(&["DEL", &key]);
    if was_there {
        queue.server().command(&["RENAME", &aside, &key]);
    }
    // Nothing is lost: whatever was open still is, but for the three that were settled above.
    let after = queue.census();
    let settled: Vec<_> = leases.iter().map(|lease| lease.job()).collect();
    let open = [&after.ready, &after.scheduled, &after.leased, &after.dead];
    for id in before
        .ready
        .iter()
        .chain(&before.scheduled)
        .chain(&before.leased)
    {
        let found = open.iter().any(|place| place.contains(id));
        assert!(found || settled.contains(id), "{letter}: {id} is lost");
    }
    assert!(after.missing.is_empty(), "{letter}: {after:?}");
    let stats = stats(&backend, queue.name()).await;
    assert_eq!(stats.open(), after.open(), "{letter}");
}

macro_rules! each {
    ($($name:ident: $letter:literal)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                damaged($letter).await;
            }
        )*
    };
}

each! {
    the_settings: "c"
    the_bodies: "b"
    the_records: "m"
    the_line: "r"
    those_that_came_back: "q"
    the_suspects: "s"
    the_scheduled: "z"
    the_leases: "l"
    the_dead: "x"
    the_bell: "w"
    the_settlements_applied: "a"
    the_asked_to_end: "k"
    the_cancelled_in_line: "t"
    a_slot_of_key_claims: "d0"
    a_slot_of_id_claims: "i0"
}
