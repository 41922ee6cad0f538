//! Clients that go away.

use std::sync::Arc;

use anvil_queue::QueueStats;
use anvil_tests::{Fault, FaultyBackend, Verb, memory, stats, work};
use tokio::sync::Semaphore;

use super::{Client, Server, chunked, delivery, serve, stack, verify, whole};

#[tokio::test]
async fn a_client_that_goes_away_in_the_body_leaves_nothing_behind() {
    let (server, backend, queue) = serve(&verify()).await;
    let requests = [whole(&delivery()), chunked(&delivery(), 16)];
    for (n, request) in requests.iter().enumerate() {
        let mut client = Client::connect(&server).await;
        client.send(&request[..request.len() - 6]).await;
        drop(client);
        server.ended(n + 1).await;
    }
    assert_eq!(stats(&backend, &queue).await, QueueStats::default());
    let mut client = Client::connect(&server).await;
    assert!(
        !client.exchange(&requests[0]).await.replayed(),
        "no key was claimed"
    );
}

#[tokio::test]
async fn a_client_that_goes_away_before_its_answer_has_its_delivery_stored_once() {
    let (memory, queue) = memory();
    let backend = Arc::new(FaultyBackend::new(Arc::clone(&memory)));
    let gate = Arc::new(Semaphore::new(0));
    backend.next(Verb::Enqueue, Fault::Hold(Arc::clone(&gate)));
    let server = Server::start(stack(&verify(), &backend, &queue)).await;

    let mut client = Client::connect(&server).await;
    client.send(whole(&delivery())).await;
    while backend.sizes(Verb::Enqueue).is_empty() {
        tokio::task::yield_now().await;
    }
    drop(client);
    server.ended(1).await;
    gate.add_permits(1);

    let mut client = Client::connect(&server).await;
    let again = client.exchange(whole(&delivery())).await;
    assert!(again.replayed());
    let runs = work(&memory, &queue, |_| Ok(())).await;
    assert_eq!((runs.len(), runs[0].id()), (1, again.job_id()));
}
