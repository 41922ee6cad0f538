//! Clocks that are wrong: only the server's counts, and within a queue it never goes back.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anvil_queue::{
    Control, DeadLetters, DeadQuery, DedupeKey, JobId, JobPlace, NewJob, PeekPlace, PeekQuery,
    QueueBackend, Reserved, Settlement,
};
use anvil_tests::{RedisQueue, store, take};
use tokio::time::sleep;

use super::{MS, SEC, bury, failure};

const HOUR_MICROS: u64 = 3_600_000_000;

/// An id as a client makes it whose clock is wrong by so many minutes.
fn made_at(minutes: i64) -> JobId {
    let millis = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_millis();
    let shifted = i64::try_from(millis).unwrap() + minutes * 60_000;
    let mut id = *JobId::generate().as_bytes();
    id[..6].copy_from_slice(&shifted.to_be_bytes()[2..]);
    JobId::from_bytes(id)
}

#[tokio::test]
async fn clients_whose_clocks_are_ten_minutes_wrong_meet_the_same_queue() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    let key = DedupeKey::derive("test", b"one");
    let minutes = [10, -10, 0];
    let jobs = minutes.map(|minutes| NewJob::new("").id(made_at(minutes)));
    let ids = store(&backend, queue.name(), jobs).await;
    let taken = take(&backend, queue.name(), 3, 60 * SEC).await;
    let order: Vec<_> = taken.iter().map(|reserved| reserved.job.id()).collect();
    assert_eq!(order, ids, "the order of acceptance, not of the ids");
    for reserved in &taken {
        assert!(reserved.job.age() < 10 * SEC, "{:?}", reserved.job.age());
    }

    let delayed = minutes.map(|minutes| NewJob::new("").id(made_at(minutes)).delay(60 * SEC));
    store(&backend, queue.name(), delayed).await;
    let query = PeekQuery::new(PeekPlace::Scheduled);
    for view in backend.peek(queue.name(), query).await.unwrap() {
        let JobPlace::Scheduled { due_in } = view.place else {
            panic!("{view:?}");
        };
        assert!(due_in <= 60 * SEC && due_in > 50 * SEC, "{due_in:?}");
    }

    let jobs = minutes.map(|minutes| NewJob::new("").id(made_at(minutes)).dedupe_key(key));
    let answers = backend.enqueue(queue.name(), jobs.to_vec()).await.unwrap();
    let first = jobs[0].data().id();
    assert!(answers.iter().all(|answer| answer.unwrap().id() == first));
}

/// What a client would have to send for its clock to count.
#[tokio::test]
async fn no_call_carries_a_time_of_day() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    let mut watch = queue.server().client().unwrap();
    watch.command(&["MONITOR"]).unwrap();

    let key = DedupeKey::derive("test", b"one");
    let jobs = (0..5).map(|n| NewJob::new("").delay(n * MS));
    store(&backend, queue.name(), jobs).await;
    store(&backend, queue.name(), [NewJob::new("").dedupe_key(key)]).await;
    sleep(5 * MS).await;
    let taken = take(&backend, queue.name(), 5, SEC).await;
    let leases: Vec<_> = taken
        .iter()
        .map(|reserved| reserved.lease.clone())
        .collect();
    backend
        .extend(queue.name(), &leases, 2 * SEC)
        .await
        .unwrap();
    let (after, failure) = (SEC, failure("no"));
    let ends = [
        Settlement::Complete,
        Settlement::Retry { after, failure },
        Settlement::Snooze { after },
        bury(),
        Settlement::Release,
    ];
    let outcomes: Vec<_> = leases.into_iter().zip(ends).collect();
    backend.settle(queue.name(), &outcomes).await.unwrap();
    backend.wait(queue.name(), MS).await.unwrap();
    backend.stats(queue.name()).await.unwrap();
    let page = backend
        .list_dead(queue.name(), DeadQuery::new())
        .await
        .unwrap();
    let dead = page.letters[0].id();
    backend.get(queue.name(), dead).await.unwrap();
    backend
        .replay(queue.name(), &[dead], Default::default())
        .await
        .unwrap();
    backend.cancel(queue.name(), &[dead]).await.unwrap();
    backend.discard(queue.name(), &[dead]).await.unwrap();
    queue.server().command(&["ECHO", "nothing-more"]);

    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs_f64();
    let mut calls = 0;
    loop {
        let line = watch.receive().unwrap();
        let line = line.text();
        if line.contains("nothing-more") {
            break;
        }
        // Time and sender come first, and what a script does itself is the server's doing.
        let Some((from, words)) = line.split_once("] ") else {
            panic!("not a command: {line}");
        };
        if from.ends_with(" lua") || !words.starts_with("\"EVAL") {
            continue;
        }
        calls += 1;
        for word in words.split(' ') {
            let Ok(number) = word.trim_matches('"').parse::<f64>() else {
                continue;
            };
            for unit in [1.0, 1e3, 1e6, 1e9] {
                let off = (number / unit - now).abs();
                assert!(off > 7.0 * 86_400.0, "{number} is a time of day: {words}");
            }
        }
    }
    assert!(calls >= 15, "only {calls} calls were seen");
}

/// A job carries what its process makes of the server's last answer.
#[tokio::test]
async fn a_guess_of_the_time_that_is_wrong_does_not_count() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    // The first guess knows nothing, the second is right, the others are an hour late and early.
    for ahead in [0, 0, HOUR_MICROS, 0] {
        queue.set_seen(queue.server_micros() + ahead);
        store(&backend, queue.name(), [NewJob::new("")]).await;
        let now = UNIX_EPOCH + Duration::from_micros(queue.server_micros() + ahead);
        let Reserved { job, lease, .. } = take(&backend, queue.name(), 1, SEC).await.remove(0);
        assert!(job.accepted_at() < now + 10 * SEC, "it is early");
        assert!(job.accepted_at() > now - 10 * SEC, "it is late");
        let outcome = [(lease, Settlement::Complete)];
        backend.settle(queue.name(), &outcome).await.unwrap();
    }
}

#[tokio::test]
async fn a_server_set_back_by_an_hour_still_lets_leases_and_delays_end() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    let key = DedupeKey::derive("test", b"one");
    let claimed = store(&backend, queue.name(), [NewJob::new("").dedupe_key(key)]).await[0];
    let leased = take(&backend, queue.name(), 1, 60 * SEC).await.remove(0);
    queue.set_seen(queue.server_micros() + HOUR_MICROS);
    // To the queue, the hour is over: what was to end within it has.
    let again = take(&backend, queue.name(), 1, 200 * MS).await.remove(0);
    assert_eq!(again.job.id(), leased.job.id());
    assert_eq!(again.job.counters().reclaims, 1);

    // From there on it goes at its pace, and not from the server's hour.
    let delayed = NewJob::new("").delay(300 * MS);
    let delayed = store(&backend, queue.name(), [delayed]).await[0];
    assert!(
        take(&backend, queue.name(), 9, SEC).await.is_empty(),
        "nothing has ended yet"
    );
    sleep(300 * MS).await;
    let suspect = take(&backend, queue.name(), 9, 60 * SEC).await.remove(0);
    assert_eq!(suspect.job.id(), claimed);
    assert_eq!(suspect.job.counters().reclaims, 2);
    let due = take(&backend, queue.name(), 9, 60 * SEC).await.remove(0);
    assert_eq!(due.job.id(), delayed);

    let job = NewJob::new("").dedupe_key(key);
    let answer = backend.enqueue(queue.name(), vec![job]).await.unwrap();
    assert_eq!(answer[0].unwrap().id(), claimed, "the key is remembered");
    assert!(
        take(&backend, queue.name(), 9, SEC).await.is_empty(),
        "nothing is revived"
    );
    assert_eq!(queue.census().leased.len(), 2);
}

#[tokio::test]
async fn a_server_set_back_twice_does_not_make_the_queue_leap() {
    let queue = RedisQueue::start();
    let backend = queue.backend().await;
    store(&backend, queue.name(), [NewJob::new("")]).await;
    queue.set_seen(queue.server_micros() + HOUR_MICROS);
    store(&backend, queue.name(), [NewJob::new("")]).await;
    // An hour later the server has caught up,
    queue.set_seen(queue.server_micros());
    store(&backend, queue.name(), [NewJob::new("")]).await;
    assert_eq!(take(&backend, queue.name(), 1, 60 * SEC).await.len(), 1);
    store(&backend, queue.name(), [NewJob::new("").delay(60 * SEC)]).await;
    // and is set back once more, by a little.
    queue.set_seen(queue.server_micros() + 5_000_000);
    let taken = take(&backend, queue.name(), 9, SEC).await;
    assert_eq!(taken.len(), 2, "neither the lease nor the delay has ended");
    assert!(
        taken
            .iter()
            .all(|reserved| reserved.job.counters().reclaims == 0)
    );
    let census = queue.census();
    assert_eq!((census.scheduled.len(), census.leased.len()), (1, 3));
}
