//! Redis is killed under load; it writes to disk before it answers.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use anvil_queue::{
    DedupeKey, HandlerError, Job, JobId, NewJob, QueueBackendExt, Worker, handler_fn,
};
use anvil_tests::{RedisQueue, Seeded, stats};
use tokio::sync::watch;
use tokio::time::sleep;

use super::{MS, SEC};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_ten_times_under_load_redis_loses_no_acknowledged_job_and_doubles_none() {
    let queue = Arc::new(RedisQueue::durable());
    let backend = queue.backend().await;
    let runs: Arc<Mutex<HashMap<String, HashSet<JobId>>>> = Arc::default();
    let seen = Arc::clone(&runs);
    let handler = handler_fn(move |job: Job, _| {
        let key = String::from_utf8(job.payload().to_vec()).unwrap();
        seen.lock()
            .unwrap()
            .entry(key)
            .or_default()
            .insert(job.id());
        async { Ok::<_, HandlerError>(()) }
    });
    let worker = Worker::new(Arc::clone(&backend), queue.name().clone(), handler)
        .concurrency(8)
        .prefetch(8)
        .lease(2 * SEC)
        .crash_budget(100)
        .build()
        .unwrap();
    let (stop, mut stopped) = watch::channel(false);
    let working = {
        let mut stopped = stopped.clone();
        tokio::spawn(async move {
            let stop = async move { drop(stopped.wait_for(|stop| *stop).await) };
            worker.run(stop).await
        })
    };

    // Each sender sends a delivery until it is acknowledged, with a new id each time, as the HTTP
    // edge does.
    let sending: Vec<_> = (0..4)
        .map(|sender| {
            let (backend, name) = (Arc::clone(&backend), queue.name().clone());
            let stopped = stopped.clone();
            tokio::spawn(async move {
                let mut acknowledged = Vec::new();
                for n in 0.. {
                    if *stopped.borrow() {
                        break;
                    }
                    let key = format!("{sender}-{n}");
                    let dedupe = DedupeKey::derive("test", key.as_bytes());
                    loop {
                        let job = NewJob::new(key.clone()).dedupe_key(dedupe);
                        match backend.enqueue_one(&name, job).await {
                            Ok(answer) => break acknowledged.push((key, answer.unwrap().id())),
                            Err(_) => sleep(10 * MS).await,
                        }
                    }
                }
                acknowledged
            })
        })
        .collect();

    let mut random = Seeded::new(4);
    for _ in 0..10 {
        sleep(MS * u32::try_from(100 + random.below(150)).unwrap()).await;
        let server = Arc::clone(queue.server());
        let restarted = tokio::task::spawn_blocking(move || {
            server.kill();
            server.restart();
        });
        restarted.await.unwrap();
        queue.census();
    }
    sleep(100 * MS).await;
    stop.send(true).unwrap();
    assert!(*stopped.borrow_and_update());
    let mut acknowledged = HashMap::new();
    for sender in sending {
        acknowledged.extend(sender.await.unwrap());
    }
    working.await.unwrap().unwrap();

    for job in super::drain(&backend, queue.name()).await {
        let key = String::from_utf8(job.payload().to_vec()).unwrap();
        runs.lock()
            .unwrap()
            .entry(key)
            .or_default()
            .insert(job.id());
    }
    let runs = std::mem::take(&mut *runs.lock().unwrap());
    assert!(
        acknowledged.len() > 100,
        "{} acknowledged",
        acknowledged.len()
    );
    for (key, id) in &acknowledged {
        let ids = runs.get(key);
        assert_eq!(
            ids,
            Some(&HashSet::from([*id])),
            "{key} is one job and was run"
        );
    }
    assert_eq!(runs.len(), acknowledged.len());
    let stats = stats(&backend, queue.name()).await;
    assert_eq!((stats.open(), stats.dead), (0, 0));
    assert_eq!(stats.totals.accepted, acknowledged.len() as u64);
    assert_eq!(stats.totals.completed, stats.totals.accepted);
    assert_eq!(queue.census().open(), 0);
}
