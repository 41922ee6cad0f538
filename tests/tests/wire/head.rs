//! Heads: what they may hold, what they hold back, and what is no HTTP at all.

use anvil_queue::QueueStats;
use anvil_tests::{event, stats, work};

use super::{Client, SENDER, chunked, delivery, serve, verify, whole};

const SIGNATURE: &str = "x-hub-signature-256";

#[tokio::test]
async fn a_sender_that_asks_before_it_sends_is_told_to_go_on() {
    let (server, ..) = serve(&verify()).await;
    let mut client = Client::connect(&server).await;
    for _ in 0..2 {
        let request = whole(&delivery().header("expect", "100-continue"));
        let (head, body) = request.split_at(request.len() - delivery().body().len());
        let interim = client.exchange(head).await;
        assert_eq!((interim.status, interim.headers.len()), (100, 0));
        assert_eq!(client.exchange(body).await.status, 202);
    }
}

#[tokio::test]
async fn a_sender_that_asks_with_a_head_that_can_not_pass_gets_its_answer_at_once() {
    let (server, backend, queue) = serve(&verify().body_limit(1000)).await;
    let asking = delivery().header("expect", "100-continue");
    let large = SENDER
        .sign(vec![b'x'; 1001])
        .header("expect", "100-continue");
    for (delivery, expected) in [
        (asking.clone().without(SIGNATURE), 401),
        (
            asking
                .clone()
                .without(SIGNATURE)
                .header(SIGNATURE, "sha256=zz"),
            400,
        ),
        (large, 413),
    ] {
        let request = whole(&delivery);
        let mut client = Client::connect(&server).await;
        let head = &request[..request.len() - delivery.body().len()];
        assert_eq!(client.exchange(head).await.status, expected);
    }
    assert_eq!(stats(&backend, &queue).await, QueueStats::default());
}

#[tokio::test]
async fn a_method_that_no_sender_uses_is_405_with_the_one_they_use() {
    let (server, backend, queue) = serve(&verify()).await;
    for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "BREW"] {
        let mut client = Client::connect(&server).await;
        let request = String::from_utf8(whole(&delivery())).unwrap();
        let answer = client.exchange(request.replacen("POST", method, 1)).await;
        assert_eq!(answer.status, 405, "{method}");
        assert_eq!(answer.headers["allow"], "POST");
    }
    assert_eq!(stats(&backend, &queue).await, QueueStats::default());
}

#[tokio::test]
async fn a_signature_that_is_there_twice_has_to_be_the_same() {
    let (server, ..) = serve(&verify()).await;
    let signature = format!("sha256={}", hex::encode(SENDER.mac(delivery().body(), 0)));
    let forged = format!("sha256={}", "0".repeat(64));
    for (second, expected) in [(&signature, 202), (&forged, 400)] {
        let mut client = Client::connect(&server).await;
        let after = delivery().header(SIGNATURE, second);
        assert_eq!(client.exchange(whole(&after)).await.status, expected);
        let mut client = Client::connect(&server).await;
        let before = delivery().without(SIGNATURE).header(SIGNATURE, second);
        let before = before.header(SIGNATURE, &signature);
        assert_eq!(client.exchange(whole(&before)).await.status, expected);
    }
}

#[tokio::test]
async fn junk_in_a_signature_is_4xx() {
    let (server, backend, queue) = serve(&verify()).await;
    let values: [&[u8]; 8] = [
        b"",
        b"sha256=",
        b"sha256",
        b"\xff\xfe\x80",
        "sha256=żółć".as_bytes(),
        b"sha256=0",
        &[b'a'; 10_000],
        b"sha1=fc84fc5b617fe32491d42b3ee4d3061b9d54da6c",
    ];
    for value in values {
        let mut client = Client::connect(&server).await;
        let junk = delivery().without(SIGNATURE).header(SIGNATURE, value);
        let answer = client.exchange(whole(&junk)).await;
        assert!(matches!(answer.status, 400 | 401), "{value:?}: {answer:?}");
    }
    assert_eq!(stats(&backend, &queue).await, QueueStats::default());
}

#[tokio::test]
async fn many_other_headers_change_nothing_and_too_many_are_4xx() {
    let (server, ..) = serve(&verify()).await;
    for (count, expected) in [(90, 202), (200, 431)] {
        let mut client = Client::connect(&server).await;
        let many = (0..count).fold(delivery(), |delivery, n| {
            delivery.header(&format!("x-{n}"), b"\xe9t\xe9")
        });
        assert_eq!(client.exchange(whole(&many)).await.status, expected);
    }
}

#[tokio::test]
async fn what_is_no_http_is_4xx_or_the_end_and_hurts_nobody_else() {
    let (server, backend, queue) = serve(&verify()).await;
    let junk: [&[u8]; 9] = [
        b"\0\x01\x02\r\n\r\n",
        b"GET\r\n\r\n",
        b"POST /hooks HTTP/9.9\r\n\r\n",
        b"POST /hooks HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST /hooks HTTP/1.1\r\ncontent-length: many\r\n\r\n",
        b"POST /hooks HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"POST /hooks HTTP/1.1\r\ntransfer-encoding: gzip\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nno preface\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ];
    for bytes in junk {
        let mut client = Client::connect(&server).await;
        client.send(bytes).await;
        client.finish().await;
        if let Some(answer) = client.answer().await {
            assert!((400..500).contains(&answer.status), "{bytes:?}: {answer:?}");
        }
        assert!(client.answer().await.is_none(), "{bytes:?}");
    }
    let mut client = Client::connect(&server).await;
    assert_eq!(client.exchange(whole(&delivery())).await.status, 202);
    assert_eq!(stats(&backend, &queue).await.totals.accepted, 1);
}

#[tokio::test]
async fn the_rest_of_a_refused_request_is_never_taken_for_the_next() {
    let (server, backend, queue) = serve(&verify()).await;
    let inner = SENDER.sign(event("smuggled"));
    let next = delivery();
    for outer in [
        // The body of the refused request is itself a request that would pass.
        SENDER.sign("").without(SIGNATURE).with_body(whole(&inner)),
        SENDER.sign("").with_body(whole(&inner)),
    ] {
        for refused in [whole(&outer), chunked(&outer, 64)] {
            let mut client = Client::connect(&server).await;
            client.send([refused, whole(&next)].concat()).await;
            assert_eq!(client.expect().await.status, 401);
            // Either the connection ends here, or the next answer is for the next request.
            if let Some(answer) = client.answer().await {
                assert_eq!(answer.status, 202);
            }
        }
    }
    for job in work(&backend, &queue, |_| Ok(())).await {
        assert_eq!(job.payload(), next.body());
    }
}

#[tokio::test]
async fn pipelined_deliveries_are_answered_in_order() {
    let (server, backend, queue) = serve(&verify()).await;
    let deliveries: Vec<_> = (0..8).map(|n| SENDER.sign(event(&n.to_string()))).collect();
    let mut client = Client::connect(&server).await;
    client
        .send(deliveries.iter().flat_map(whole).collect::<Vec<_>>())
        .await;
    let mut ids = Vec::new();
    for _ in &deliveries {
        ids.push(client.expect().await.job_id());
    }
    let runs = work(&backend, &queue, |_| Ok(())).await;
    assert_eq!(runs.len(), 8);
    for job in runs {
        let n = ids.iter().position(|id| *id == job.id()).unwrap();
        assert_eq!(job.payload(), deliveries[n].body());
    }
}
