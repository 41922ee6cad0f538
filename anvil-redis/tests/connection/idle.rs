//! Those who wait for work hold up nobody, and ask for little.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anvil_queue::{NewJob, QueueBackend, Worker, handler_fn};
use anvil_redis_fixture::{Reply, Server};

use crate::harness::verbs::{Verbs, until_listening};

#[tokio::test(flavor = "multi_thread")]
async fn sixty_four_idle_waiters_do_not_hold_up_an_enqueue() {
    let server = Server::start();
    let verbs = Verbs::lazy(&server.url());
    verbs.assert_works().await;
    let waiters = wait_in_parallel(&verbs, 64);
    until_listening(&server).await;
    let started = Instant::now();
    for _ in 0..10 {
        verbs.accept(NewJob::new("x")).await;
    }
    // Far below the two seconds for which the server holds a read of the bell.
    assert!(started.elapsed() < Duration::from_secs(1));
    assert_eq!(verbs.reserve(10).await.unwrap().len(), 10);
    for waiter in waiters {
        waiter.abort();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_process_sends_less_than_two_commands_a_second() {
    let server = Server::start();
    let verbs = Verbs::lazy(&server.url());
    verbs.assert_works().await;
    let backend = Arc::new(verbs.backend.clone());
    let worker = Worker::new(
        backend,
        verbs.queue.clone(),
        handler_fn(|_, _| async { Ok(()) }),
    )
    .build()
    .unwrap();
    let worker = tokio::spawn(async move { worker.run(std::future::pending()).await });
    until_listening(&server).await;
    let (before, started) = (commands(&server), Instant::now());
    // Longer than the worker waits before it tries to reserve, which is 10 s.
    tokio::time::sleep(Duration::from_secs(12)).await;
    let sent = commands(&server) - before;
    assert!(sent > 0, "somebody waits");
    let a_second = sent as f64 / started.elapsed().as_secs_f64();
    assert!(a_second < 1.5, "{a_second} commands a second");
    worker.abort();
}

/// As workers do: wait, look, wait again.
fn wait_in_parallel(verbs: &Verbs, count: usize) -> Vec<tokio::task::JoinHandle<()>> {
    let waiter = |_| {
        let (backend, queue) = (verbs.backend.clone(), verbs.queue.clone());
        tokio::spawn(async move {
            loop {
                backend.wait(&queue, Duration::from_secs(60)).await.unwrap();
            }
        })
    };
    (0..count).map(waiter).collect()
}

/// Commands of clients: those that a script calls are not sent by anybody.
fn commands(server: &Server) -> u64 {
    let Reply::Bulk(info) = server.command(&["INFO", "commandstats"]) else {
        panic!("INFO is a text");
    };
    let info = String::from_utf8(info).unwrap();
    let sent = [
        "auth", "blpop", "client", "eval", "evalsha", "hello", "ping", "select",
    ];
    info.lines()
        .filter_map(|line| line.strip_prefix("cmdstat_")?.split_once(":calls="))
        .filter(|(name, _)| sent.contains(name))
        .filter_map(|(_, rest)| rest.split(',').next()?.parse::<u64>().ok())
        .sum()
}
