//! Nodes of a cluster die, and slots move.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anvil_queue::{Enqueued, NewJob, QueueBackend, QueueErrorKind, Refusal, Settled, Settlement};
use anvil_redis::RedisBackend;
use anvil_redis_fixture::Cluster;

use crate::harness::cluster_url;
use crate::harness::verbs::{Verbs, blocking, until_listening};

const TAG: &str = "anvil:{hooks}:c";

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_owner_is_survived_once_its_replica_has_taken_over() {
    let cluster = Arc::new(Cluster::start_with_replicas());
    let verbs = Verbs::lazy(&cluster_url(&cluster));
    verbs.assert_works().await;
    let killing = Arc::clone(&cluster);
    blocking(move || killing.kill_owner(killing.slot(TAG))).await;
    verbs.accepted_in_time().await;
    assert_eq!(verbs.reserve(10).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slot_that_moves_is_followed_step_by_step() {
    let cluster = Arc::new(Cluster::start());
    let builder = RedisBackend::builder(&cluster_url(&cluster)).unwrap();
    let verbs = Verbs::of(builder.enqueue_timeout(Duration::from_secs(5)));
    let held = {
        verbs.accept(NewJob::new("held")).await;
        verbs.take().await
    };
    let ready = verbs.accept(NewJob::new(vec![b'p'; 4_096])).await;
    let slot = cluster.slot(TAG);
    let to = (cluster.owner(slot) + 1) % 3;
    let moving = Arc::clone(&cluster);
    // Half of the keys here and half there: the nodes answer ASK and TRYAGAIN.
    let migration = moving.begin_migration(slot, to);
    assert_eq!(migration.move_keys(2), 2);
    let waited = {
        let (backend, queue) = (verbs.backend.clone(), verbs.queue.clone());
        let job = NewJob::new("during");
        let id = job.data().id();
        tokio::spawn(async move {
            let answers = backend.enqueue(&queue, vec![job]).await?;
            Ok::<_, anvil_queue::QueueError>((id, answers))
        })
    };
    tokio::task::block_in_place(|| {
        while migration.move_keys(1) > 0 {}
        migration.finish();
    });
    let (during, answers) = waited.await.unwrap().unwrap();
    assert_eq!(answers, [Ok(Enqueued::Accepted(during))]);
    let settled = verbs.settle(&held.lease, Settlement::Complete).await;
    assert_eq!(settled.unwrap(), Settled::Applied);
    for id in [ready, during] {
        let reserved = verbs.take().await;
        assert_eq!(reserved.job.id(), id);
        let settled = verbs.settle(&reserved.lease, Settlement::Complete).await;
        assert_eq!(settled.unwrap(), Settled::Applied);
    }
}

/// The read of the bell lasts as long as on one server, and a wake-up comes at once.
#[tokio::test(flavor = "multi_thread")]
async fn a_wake_up_in_a_cluster_is_not_lost_to_a_time_out() {
    let cluster = Cluster::start();
    let verbs = Arc::new(Verbs::lazy(&cluster_url(&cluster)));
    verbs.assert_works().await;
    let owner = &cluster.nodes()[cluster.owner(cluster.slot(TAG))];
    for _ in 0..5 {
        let waiter = Arc::clone(&verbs);
        let waiter = tokio::spawn(async move { waiter.wait_and_take().await });
        until_listening(owner).await;
        // About as long as the server holds the read.
        tokio::time::sleep(Duration::from_millis(1_900)).await;
        let started = Instant::now();
        let id = verbs.accept(NewJob::new("x")).await;
        let taken = waiter.await.unwrap();
        assert_eq!(taken.job.id(), id);
        let took = started.elapsed();
        assert!(took < Duration::from_millis(1_000), "{took:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_that_was_gone_as_a_whole_is_used_again() {
    let cluster = Arc::new(Cluster::start());
    let verbs = Verbs::lazy(&cluster_url(&cluster));
    verbs.assert_works().await;
    for node in cluster.nodes() {
        node.kill();
    }
    for _ in 0..2 {
        let error = verbs.enqueue(NewJob::new("x")).await.unwrap_err();
        let kinds = [QueueErrorKind::Unavailable, QueueErrorKind::Timeout];
        assert!(kinds.contains(&error.kind()), "{error}");
    }
    let starting = Arc::clone(&cluster);
    blocking(move || {
        for node in starting.nodes() {
            node.restart();
        }
        starting.wait_until_ok();
    })
    .await;
    verbs.accepted_in_time().await;
    assert_eq!(verbs.reserve(10).await.unwrap().len(), 1);
}

/// Which partition is on which node, and one of them without a running node.
#[tokio::test(flavor = "multi_thread")]
async fn a_partition_whose_node_is_killed_refuses_its_own_jobs_only() {
    one_of_the_nodes_is_down(false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_partition_whose_node_is_silent_refuses_its_own_jobs_only() {
    one_of_the_nodes_is_down(true).await;
}

async fn one_of_the_nodes_is_down(pauses: bool) {
    {
        let cluster = Cluster::start();
        for node in cluster.nodes() {
            let part = ["CONFIG", "SET", "cluster-require-full-coverage", "no"];
            node.command(&part);
        }
        let builder = RedisBackend::builder(&cluster_url(&cluster)).unwrap();
        let builder = builder.enqueue_timeout(ENQUEUE_TIMEOUT);
        let verbs = Verbs::of(builder.partitions(8));
        let jobs = || -> Vec<_> { (0..100).map(|_| NewJob::new("x")).collect() };
        let stored = verbs.backend.enqueue(&verbs.queue, jobs()).await.unwrap();
        assert!(stored.iter().all(Result::is_ok));
        let owners: Vec<_> = (0..8)
            .map(|part| cluster.owner(cluster.slot(&format!("anvil:{{hooks#{part}}}:c"))))
            .collect();
        let down = owners[0];
        assert!(owners.iter().any(|owner| *owner != down), "{owners:?}");
        if pauses {
            cluster.nodes()[down].pause();
        } else {
            cluster.nodes()[down].kill();
        }
        // Twice: while the old connections are there, and after they are gone.
        for round in 0..3 {
            let started = Instant::now();
            let answers = verbs.backend.enqueue(&verbs.queue, jobs()).await;
            let answers = answers.unwrap_or_else(|error| panic!("{pauses} {round}: {error}"));
            assert!(
                started.elapsed() < 2 * ENQUEUE_TIMEOUT,
                "{:?}",
                started.elapsed()
            );
            let stored = answers.iter().filter(|answer| answer.is_ok()).count();
            assert!(
                stored > 0 && stored < 100,
                "{pauses} {round}: {stored} are stored"
            );
            let refused = answers.into_iter().filter_map(Result::err);
            assert!(
                refused
                    .into_iter()
                    .all(|refusal| refusal == Refusal::Unavailable)
            );
            assert!(
                !verbs.reserve(100).await.unwrap().is_empty(),
                "{pauses} {round}"
            );
        }
        if pauses {
            cluster.nodes()[down].resume();
        } else {
            cluster.nodes()[down].restart();
        }
        cluster.wait_until_ok();
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            let answers = verbs.backend.enqueue(&verbs.queue, jobs()).await;
            if answers.is_ok_and(|answers| answers.iter().all(Result::is_ok)) {
                break;
            }
            assert!(Instant::now() < until, "the partition does not come back");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_that_is_connected_to_as_one_server_says_so() {
    let cluster = Cluster::start();
    let owner = cluster.owner(cluster.slot(TAG));
    let other = &cluster.nodes()[(owner + 1) % 3];
    let verbs = Verbs::lazy(&other.url());
    let error = verbs.enqueue(NewJob::new("x")).await.unwrap_err();
    assert_eq!(error.kind(), QueueErrorKind::Unavailable);
    assert!(error.to_string().contains("redis+cluster://"), "{error}");
}

const ENQUEUE_TIMEOUT: Duration = Duration::from_secs(1);
