//! How bodies are read: frames, limits, deadlines.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, header};
use http_body::Body;
use http_body_util::{BodyExt, Limited};

use super::{Unread, answer, layer, signed};
use crate::testing::{BODY, Step, TestBody};
use crate::{Verified, VerifiedBody};

#[tokio::test]
async fn a_body_is_the_same_however_it_is_cut_into_frames() {
    let (first, second) = BODY.split_at(10);
    let bytes = |text: &str| Bytes::copy_from_slice(text.as_bytes());
    for body in [
        TestBody::chunks([BODY]),
        TestBody::chunks([first, "", second]),
        TestBody::chunks(BODY.split_inclusive(' ')),
        TestBody::new([Step::Chunks(bytes(first), bytes(second))]),
        TestBody::new([
            Step::Later,
            Step::chunk(first),
            Step::Later,
            Step::chunk(second),
            Step::Trailers,
        ]),
        TestBody::new(
            BODY.bytes()
                .map(|byte| Step::Chunk(Bytes::from(vec![byte]))),
        ),
    ] {
        assert_eq!(answer(layer(), signed(body)).await, (200, "accepted"));
    }
}

#[tokio::test]
async fn many_tiny_frames_are_read_to_the_end() {
    let steps = (0..10_000)
        .map(|_| Step::Chunk(Bytes::new()))
        .chain([Step::chunk(BODY)]);
    assert_eq!(
        answer(layer(), signed(TestBody::new(steps))).await,
        (200, "accepted")
    );
}

#[tokio::test]
async fn a_body_that_fails_is_400() {
    let body = TestBody::new([Step::chunk(BODY), Step::Fail]);
    assert_eq!(answer(layer(), signed(body)).await, (400, "body_failed"));
}

#[tokio::test]
async fn a_limit_outside_of_ours_is_413() {
    let body = Limited::new(TestBody::chunks([BODY]), 5);
    assert_eq!(answer(layer(), signed(body)).await, (413, "body_too_large"));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_stalls_is_408_at_the_deadline() {
    let layer = layer().read_timeout(Duration::from_secs(3));
    let started = tokio::time::Instant::now();
    let body = TestBody::new([Step::chunk(&BODY[..5]), Step::Later, Step::Stall]);
    assert_eq!(answer(layer, signed(body)).await, (408, "body_timeout"));
    assert_eq!(started.elapsed(), Duration::from_secs(3));
}

#[tokio::test(start_paused = true)]
async fn empty_frames_without_end_neither_keep_the_thread_nor_escape_the_deadline() {
    let reading = tokio::spawn(answer(layer(), signed(TestBody::new([Step::Endless]))));
    tokio::task::yield_now().await;
    tokio::time::advance(Duration::from_secs(10)).await;
    assert_eq!(reading.await.unwrap(), (408, "body_timeout"));
}

#[tokio::test]
async fn a_body_exactly_at_the_limit_passes_and_a_byte_more_is_413() {
    let at = layer().body_limit(BODY.len());
    assert_eq!(
        answer(at, signed(TestBody::chunks([BODY]))).await,
        (200, "accepted")
    );
    let under = layer().body_limit(BODY.len() - 1);
    assert_eq!(
        answer(under, signed(TestBody::chunks([BODY]))).await,
        (413, "body_too_large")
    );
}

#[tokio::test]
async fn a_declared_length_over_the_limit_is_413_before_a_byte_is_read() {
    let layer = layer().body_limit(100);
    for request in [
        signed(Unread::default()).with_length("101"),
        signed(Unread::default()).with_length("18446744073709551615"),
        signed(Unread {
            declared: 101,
            ..Unread::default()
        }),
    ] {
        let was_read = Arc::clone(&request.body().was_read);
        assert_eq!(
            answer(layer.clone(), request).await,
            (413, "body_too_large")
        );
        assert!(!was_read.load(Ordering::SeqCst));
    }
}

#[tokio::test]
async fn a_declared_length_that_lies_or_is_junk_changes_nothing() {
    for length in ["5", "0", "many", "-1", ""] {
        let request = signed(TestBody::chunks([BODY])).with_length(length);
        assert_eq!(
            answer(layer(), request).await,
            (200, "accepted"),
            "{length:?}"
        );
    }
    let declaring = TestBody::chunks([BODY]).declaring(1024 * 1024);
    assert_eq!(answer(layer(), signed(declaring)).await, (200, "accepted"));
}

#[tokio::test]
async fn a_verified_body_is_one_frame_of_known_length() {
    let mut body =
        VerifiedBody::assume_verified(BODY, Verified::assumed("test", Default::default()));
    assert_eq!(body.size_hint().exact(), Some(BODY.len() as u64));
    assert!(!body.is_end_stream());
    assert_eq!(
        body.frame().await.unwrap().unwrap().into_data().unwrap(),
        BODY
    );
    assert!(body.is_end_stream());
    assert!(body.frame().await.is_none());
}

trait WithLength {
    fn with_length(self, length: &str) -> Self;
}

impl<B> WithLength for Request<B> {
    fn with_length(mut self, length: &str) -> Self {
        self.headers_mut()
            .insert(header::CONTENT_LENGTH, length.parse().unwrap());
        self
    }
}
