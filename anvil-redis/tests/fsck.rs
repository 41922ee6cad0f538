//! `fsck` finds what is not in exactly one place, mends it when asked, and leaves the rest alone.

use std::time::Duration;

use anvil_queue::{
    Control, DeadLetters, DeadReason, JobId, NewJob, QueueBackend, QueueBackendExt, QueueName,
    Reserve,
};
use anvil_redis::{ProblemKind, RedisBackend};
use anvil_redis_fixture::Server;

struct Queue {
    server: Server,
    backend: RedisBackend,
    name: QueueName,
}

impl Queue {
    async fn new() -> Self {
        let server = Server::start();
        Self {
            backend: RedisBackend::connect(&server.url()).await.unwrap(),
            server,
            name: QueueName::new("q").unwrap(),
        }
    }

    async fn enqueue(&self, jobs: usize) -> Vec<JobId> {
        let jobs: Vec<_> = (0..jobs).map(|_| NewJob::new("x")).collect();
        let ids = jobs.iter().map(|job| job.data().id()).collect();
        self.backend.enqueue(&self.name, jobs).await.unwrap();
        ids
    }

    async fn reserve(&self, jobs: usize) -> Vec<JobId> {
        let request = Reserve::new(jobs, Duration::from_secs(60));
        let reserved = self.backend.reserve(&self.name, request).await.unwrap();
        reserved.iter().map(|reserved| reserved.job.id()).collect()
    }

    fn redis(&self, verb: &str, key: &str, words: &[&[u8]]) {
        let key = format!("anvil:{{q}}:{key}");
        let mut command = vec![verb.as_bytes(), key.as_bytes()];
        command.extend(words);
        self.server.command(&command);
    }

    async fn problems(&self, repair: bool) -> Vec<(JobId, ProblemKind)> {
        let report = self.backend.fsck(&self.name, repair).await.unwrap();
        assert!(!report.incomplete);
        assert!(
            report
                .problems
                .iter()
                .all(|problem| problem.repaired == repair)
        );
        report
            .problems
            .iter()
            .map(|problem| (problem.id, problem.kind))
            .collect()
    }
}

#[tokio::test]
async fn a_queue_in_order_has_no_problems_wherever_its_jobs_are() {
    let queue = Queue::new().await;
    let ids = queue.enqueue(8).await;
    let delayed = NewJob::new("x").delay(Duration::from_secs(60));
    queue
        .backend
        .enqueue_one(&queue.name, delayed)
        .await
        .unwrap()
        .unwrap();
    queue.reserve(2).await;
    queue.backend.cancel(&queue.name, &ids[4..5]).await.unwrap();
    assert_eq!(queue.problems(true).await, []);
    assert_eq!(queue.reserve(10).await, [&ids[2..4], &ids[5..]].concat());
}

#[tokio::test]
async fn a_job_without_a_body_is_found_and_becomes_a_dead_letter() {
    let queue = Queue::new().await;
    let ids = queue.enqueue(3).await;
    queue.redis("HDEL", "b", &[ids[1].as_bytes()]);
    let problem = [(ids[1], ProblemKind::NoBody)];
    assert_eq!(queue.problems(false).await, problem);
    assert_eq!(queue.problems(true).await, problem);
    assert_eq!(queue.problems(false).await, []);
    let letter = queue
        .backend
        .get_dead(&queue.name, ids[1])
        .await
        .unwrap()
        .unwrap();
    assert_eq!(letter.reason, DeadReason::Missing);
    assert_eq!(queue.reserve(3).await, [ids[0], ids[2]]);
}

#[tokio::test]
async fn a_job_without_a_place_is_found_and_runs_after_the_repair() {
    let queue = Queue::new().await;
    let ids = queue.enqueue(3).await;
    queue.redis("LREM", "r", &[b"1", ids[0].as_bytes()]);
    let problem = [(ids[0], ProblemKind::NoPlace)];
    assert_eq!(queue.problems(false).await, problem);
    assert_eq!(queue.problems(true).await, problem);
    assert_eq!(queue.problems(false).await, []);
    assert_eq!(queue.reserve(3).await, [ids[1], ids[2], ids[0]]);
}

#[tokio::test]
async fn of_several_places_the_one_furthest_in_a_jobs_life_is_kept() {
    let queue = Queue::new().await;
    let ids = queue.enqueue(3).await;
    queue.reserve(1).await;
    for id in &ids {
        queue.redis("ZADD", "z", &[b"9000000000000000", id.as_bytes()]);
    }
    queue.redis("RPUSH", "r", &[ids[2].as_bytes()]);
    let mut found = queue.problems(true).await;
    found.sort_by_key(|(id, _)| ids.iter().position(|other| other == id));
    assert_eq!(
        found,
        ids.iter()
            .map(|id| (*id, ProblemKind::SeveralPlaces))
            .collect::<Vec<_>>()
    );
    assert_eq!(queue.problems(false).await, []);
    let stats = queue.backend.stats(&queue.name).await.unwrap();
    assert_eq!((stats.leased, stats.scheduled, stats.ready), (1, 2, 0));
}
