//! HTTP/2, with prior knowledge.

use std::collections::HashSet;
use std::convert::Infallible;

use anvil_tests::{Answer, event, stats, work};
use bytes::Bytes;
use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use http::{HeaderMap, Request};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;

use super::{SENDER, Server, delivery, serve, verify};

type Body = UnsyncBoxBody<Bytes, Infallible>;

#[tokio::test]
async fn a_delivery_is_stored_and_its_trailers_are_ignored() {
    let (server, backend, queue) = serve(&verify()).await;
    let client = connect(&server).await;
    let first = exchange(&client, delivery().with(whole(delivery().body()))).await;
    assert!(!first.replayed());

    let mut trailers = HeaderMap::new();
    trailers.insert("x-hub-signature-256", "sha256=00".parse().unwrap());
    trailers.insert("traceparent", "from a trailer".parse().unwrap());
    let unsigned = delivery().without("x-hub-signature-256");
    let body = |trailers| frames([Frame::data(delivery().body().clone()), trailers]);
    let trailer = || Frame::trailers(trailers.clone());
    let again = exchange(&client, delivery().with(body(trailer()))).await;
    assert_eq!(again.job_id(), first.job_id());
    assert_eq!(
        exchange(&client, unsigned.with(body(trailer())))
            .await
            .status,
        401
    );

    let runs = work(&backend, &queue, |_| Ok(())).await;
    assert_eq!((runs.len(), runs[0].payload()), (1, delivery().body()));
    assert!(runs[0].metadata().get("traceparent").is_none());
}

#[tokio::test]
async fn thirty_two_streams_at_once_get_their_own_answers() {
    let (server, backend, queue) = serve(&verify()).await;
    let client = connect(&server).await;
    let sending = (0..32).map(|n| {
        let signed = SENDER.sign(event(&format!("evt_{}", n % 16)));
        let client = client.clone();
        async move {
            (
                signed.body().clone(),
                exchange(&client, signed.with(whole(signed.body()))).await,
            )
        }
    });
    let answers = join_all(sending).await;
    let ids: HashSet<_> = answers.iter().map(|(_, answer)| answer.job_id()).collect();
    assert_eq!(ids.len(), 16, "each was sent twice");
    let runs = work(&backend, &queue, |_| Ok(())).await;
    for (body, answer) in answers {
        let job = runs.iter().find(|job| job.id() == answer.job_id()).unwrap();
        assert_eq!(*job.payload(), body);
    }
}

#[tokio::test]
async fn a_stream_that_is_refused_or_reset_leaves_the_others_alone() {
    let (server, backend, queue) = serve(&verify().body_limit(1000)).await;
    let client = connect(&server).await;

    let half = stream::iter([Ok(Frame::data(delivery().body().slice(..10)))]);
    let stalled = StreamBody::new(half.chain(stream::pending())).boxed_unsync();
    let mut reset = client.clone();
    reset.ready().await.unwrap();
    drop(reset.send_request(delivery().with(stalled)));

    let large = SENDER.sign(vec![b'x'; 1001]);
    let declared = exchange(&client, large.with(whole(large.body()))).await;
    let pieces = large
        .body()
        .chunks(100)
        .map(|piece| Frame::data(Bytes::copy_from_slice(piece)));
    let undeclared = frames(pieces.collect::<Vec<_>>());
    let undeclared = exchange(&client, large.with(undeclared)).await;
    assert_eq!((declared.status, undeclared.status), (413, 413));
    let tampered = delivery().with_body("{}");
    assert_eq!(
        exchange(&client, tampered.with(whole(tampered.body())))
            .await
            .status,
        401
    );

    assert_eq!(stats(&backend, &queue).await, Default::default());
    let good = exchange(&client, delivery().with(whole(delivery().body()))).await;
    assert!(!good.replayed());
}

async fn connect(server: &Server) -> SendRequest<Body> {
    let stream = TcpStream::connect(server.address).await.unwrap();
    let executor = TokioExecutor::new();
    let (client, connection) =
        hyper::client::conn::http2::handshake(executor, TokioIo::new(stream))
            .await
            .unwrap();
    tokio::spawn(connection);
    client
}

async fn exchange(client: &SendRequest<Body>, request: Request<Body>) -> Answer {
    let mut client = client.clone();
    client.ready().await.unwrap();
    let response = client.send_request(request).await.unwrap();
    let (head, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Answer::new(head.status.as_u16(), head.headers, body)
}

fn whole(body: &Bytes) -> Body {
    Full::new(body.clone()).boxed_unsync()
}

fn frames(frames: impl IntoIterator<Item = Frame<Bytes>, IntoIter: Send + 'static>) -> Body {
    StreamBody::new(stream::iter(frames.into_iter().map(Ok))).boxed_unsync()
}
