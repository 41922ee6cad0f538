//! Bodies in every shape that the wire allows, and some it does not.

use std::time::Duration;

use anvil_queue::QueueStats;
use anvil_tests::{stats, work};

use super::{Client, SENDER, chunked, delivery, serve, verify, whole};

#[tokio::test]
async fn a_body_is_the_same_with_a_length_in_chunks_and_in_tiny_writes() {
    let (server, backend, queue) = serve(&verify()).await;
    let mut client = Client::connect(&server).await;
    let first = client.exchange(whole(&delivery())).await.job_id();
    for size in [1, 7, 4096] {
        let answer = client.exchange(chunked(&delivery(), size)).await;
        assert_eq!(answer.job_id(), first, "chunks of {size}");
    }
    for request in [whole(&delivery()), chunked(&delivery(), 5)] {
        for byte in request.chunks(1) {
            client.send(byte).await;
        }
        assert_eq!(client.expect().await.job_id(), first);
    }
    let runs = work(&backend, &queue, |_| Ok(())).await;
    assert_eq!((runs.len(), runs[0].payload()), (1, delivery().body()));
}

#[tokio::test]
async fn a_body_that_stalls_is_408() {
    let timeout = Duration::from_millis(50);
    let (server, backend, queue) = serve(&verify().read_timeout(timeout)).await;
    for request in [whole(&delivery()), chunked(&delivery(), 16)] {
        let mut client = Client::connect(&server).await;
        let stalled = client.exchange(&request[..request.len() - 6]).await;
        assert_eq!((stalled.status, stalled.body.len()), (408, 0));
    }
    assert_eq!(stats(&backend, &queue).await, QueueStats::default());
}

#[tokio::test]
async fn a_body_that_trickles_in_does_not_escape_the_deadline() {
    let timeout = Duration::from_millis(50);
    let (server, backend, queue) = serve(&verify().read_timeout(timeout)).await;
    let mut client = Client::connect(&server).await;
    let head = [
        &delivery().head()[..],
        b"transfer-encoding: chunked\r\n\r\n",
    ]
    .concat();
    client.send(head).await;
    assert_eq!(client.trickle().await.status, 408);
    assert_eq!(stats(&backend, &queue).await, QueueStats::default());
}

#[tokio::test]
async fn one_byte_under_and_at_the_limit_pass_and_one_over_is_413() {
    const LIMIT: usize = 3000;
    let (server, backend, queue) = serve(&verify().body_limit(LIMIT)).await;
    for (length, expected) in [(LIMIT - 1, 202), (LIMIT, 202), (LIMIT + 1, 413)] {
        let delivery = SENDER.sign(vec![b'x'; length]);
        for request in [whole(&delivery), chunked(&delivery, length)] {
            let mut client = Client::connect(&server).await;
            let answer = client.exchange(request).await;
            assert_eq!(answer.status, expected, "{length} bytes");
        }
    }
    let runs = work(&backend, &queue, |_| Ok(())).await;
    let mut lengths: Vec<_> = runs.iter().map(|job| job.payload().len()).collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [LIMIT - 1, LIMIT]);
}

#[tokio::test]
async fn two_megabytes_from_github_are_taken_without_a_setting() {
    let (server, backend, queue) = serve(&verify()).await;
    let large = SENDER.sign(vec![b'x'; 2_100_000]);
    for request in [whole(&large), chunked(&large, 10_000)] {
        let mut client = Client::connect(&server).await;
        assert_eq!(client.exchange(request).await.status, 202);
    }
    let runs = work(&backend, &queue, |_| Ok(())).await;
    assert_eq!((runs.len(), runs[0].payload()), (1, large.body()));
}

#[tokio::test]
async fn a_declared_length_over_the_limit_is_413_before_a_byte_of_the_body() {
    let (server, backend, queue) = serve(&verify().body_limit(100)).await;
    for length in ["101", "9223372036854775807"] {
        let mut client = Client::connect(&server).await;
        let length = format!("content-length: {length}\r\n\r\n");
        let head = [&delivery().head()[..], length.as_bytes()].concat();
        assert_eq!(client.exchange(head).await.status, 413);
    }
    assert_eq!(stats(&backend, &queue).await, QueueStats::default());
}

#[tokio::test]
async fn a_body_without_end_is_413_as_soon_as_it_exceeds_the_limit() {
    let (server, backend, queue) = serve(&verify().body_limit(100)).await;
    let mut client = Client::connect(&server).await;
    let mut request = delivery().head();
    request.extend(b"transfer-encoding: chunked\r\n\r\n65\r\n");
    request.extend([b'x'; 101]);
    assert_eq!(client.exchange(request).await.status, 413);
    assert_eq!(stats(&backend, &queue).await, QueueStats::default());
}

#[tokio::test]
async fn broken_framing_is_refused_and_nothing_is_stored() {
    let (server, backend, queue) = serve(&verify()).await;
    for body in ["zz\r\nxx\r\n", "5\r\nabc", "fffffffffffffffff\r\n", "1\rx"] {
        let mut client = Client::connect(&server).await;
        let mut request = delivery().head();
        request.extend(b"transfer-encoding: chunked\r\n\r\n");
        request.extend(body.as_bytes());
        client.send(request).await;
        client.finish().await;
        if let Some(answer) = client.answer().await {
            assert!((400..500).contains(&answer.status), "{body:?}: {answer:?}");
        }
        assert!(client.answer().await.is_none());
    }
    assert_eq!(stats(&backend, &queue).await, QueueStats::default());
}

#[tokio::test]
async fn a_compressed_body_is_verified_and_stored_as_it_came_over_the_wire() {
    // Made by gzip from `{"id":"evt_1"}`.
    let compressed =
        hex::decode("1f8b08000000000002ffab56ca4c51b2524a2d2b893754aa05001b50ba8e0e000000")
            .unwrap();
    let (server, backend, queue) = serve(&verify()).await;
    let mut client = Client::connect(&server).await;
    let signed = SENDER
        .sign(compressed.clone())
        .header("content-encoding", "gzip");
    assert_eq!(client.exchange(whole(&signed)).await.status, 202);
    let inflated = signed.with_body(r#"{"id":"evt_1"}"#);
    assert_eq!(client.exchange(whole(&inflated)).await.status, 401);
    let runs = work(&backend, &queue, |_| Ok(())).await;
    assert_eq!((runs.len(), &runs[0].payload()[..]), (1, &compressed[..]));
}
