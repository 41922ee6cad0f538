//! Sentinels name another master.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anvil_queue::{NewJob, QueueErrorKind};
use anvil_redis::{Durability, RedisBackend};
use anvil_redis_fixture::Sentinels;

use crate::harness::sentinel_url;
use crate::harness::verbs::{Verbs, blocking};

#[tokio::test(flavor = "multi_thread")]
async fn a_failover_and_a_killed_master_are_survived() {
    let sentinels = Arc::new(Sentinels::start());
    let verbs = Verbs::lazy(&sentinel_url(&sentinels));
    verbs.assert_works().await;
    let first = sentinels.master().port();
    {
        let sentinels = Arc::clone(&sentinels);
        blocking(move || sentinels.fail_over()).await;
    }
    assert_ne!(sentinels.master().port(), first);
    verbs.accepted_in_time().await;
    assert_eq!(verbs.reserve(10).await.unwrap().len(), 1);
    {
        let sentinels = Arc::clone(&sentinels);
        blocking(move || sentinels.kill_master().port()).await;
    }
    verbs.accepted_in_time().await;
    assert_eq!(verbs.reserve(10).await.unwrap().len(), 1);
}

/// The old master takes jobs for a while after the other has taken over, and loses them: what a
/// replica has confirmed is there.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_replica_confirmed_during_a_failover_is_not_lost() {
    let sentinels = Arc::new(Sentinels::start());
    let builder = RedisBackend::builder(&sentinel_url(&sentinels)).unwrap();
    let verbs = Arc::new(Verbs::of(builder.durability(Durability::Replicated {
        replicas: 1,
        within: Duration::from_millis(200),
    })));
    verbs.assert_works().await;
    let stop = Arc::new(AtomicBool::new(false));
    let sending = {
        let (verbs, stop) = (Arc::clone(&verbs), Arc::clone(&stop));
        tokio::spawn(async move {
            let mut accepted = BTreeSet::new();
            while !stop.load(Ordering::Relaxed) {
                let job = NewJob::new("x");
                if let Ok(answer) = verbs.enqueue(job).await {
                    accepted.insert(answer.id());
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            accepted
        })
    };
    let failing = Arc::clone(&sentinels);
    blocking(move || failing.fail_over()).await;
    verbs.accepted_in_time().await;
    stop.store(true, Ordering::Relaxed);
    let accepted = sending.await.unwrap();
    let mut found = BTreeSet::new();
    loop {
        // The connection of before the failover ends here, at a call that is not sent twice.
        let Ok(reserved) = verbs.reserve(100).await else {
            continue;
        };
        if reserved.is_empty() {
            break;
        }
        found.extend(reserved.iter().map(|reserved| reserved.job.id()));
    }
    let lost: Vec<_> = accepted.difference(&found).collect();
    assert!(lost.is_empty(), "{} of {}", lost.len(), accepted.len());
    assert!(accepted.len() > 10, "{} were accepted", accepted.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn one_sentinel_that_answers_is_enough_and_none_is_an_error_that_names_them() {
    let sentinels = Sentinels::start();
    let url = sentinel_url(&sentinels);
    for sentinel in &sentinels.sentinels()[..2] {
        sentinel.kill();
    }
    Verbs::lazy(&url).assert_works().await;
    let wrong = url.replace(sentinels.master_name(), "other");
    let error = RedisBackend::builder(&wrong).unwrap();
    let error = error.timeout(Duration::from_secs(1)).connect().await;
    let error = error.unwrap_err();
    assert!(error.to_string().contains("sentinels of other"), "{error}");
    assert!(error.to_string().contains("master's name"), "{error}");

    sentinels.sentinels()[2].kill();
    let error = RedisBackend::builder(&url).unwrap();
    let error = error.timeout(Duration::from_secs(1)).connect().await;
    let error = error.unwrap_err();
    assert_eq!(error.kind(), QueueErrorKind::Unavailable);
    let port = sentinels.sentinels()[2].port().to_string();
    assert!(error.to_string().contains(&port), "{error}");
}
