use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anvil_tower::Preset;
use anvil_tower::hmac::{
    Encoding, Headers, HmacBuilder, HmacScheme, SecretEncoding, TimestampUnit,
};
use anvil_tower::preset::Facts;
use http::header::{CONTENT_LENGTH, HOST};

use super::*;

const SECRET: &str = "5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f";
const BODY: &str = r#"{"id":"evt/1","note":"café","n":1.10}"#;

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_772_366_400)
}

/// GitHub's way, to be varied.
fn github() -> HmacBuilder {
    HmacScheme::builder("test", Headers::new("x-hub-signature-256")).tag("sha256=")
}

fn slack() -> HmacBuilder {
    HmacScheme::builder(
        "test",
        Headers::new("x-slack-signature").timestamp("x-slack-request-timestamp"),
    )
    .tag("v0=")
    .signed_content("v0:{timestamp}:{body}")
}

/// A delivery with this body, signed in this way.
fn signed(scheme: HmacBuilder, body: &str, at: SystemTime) -> Request<Bytes> {
    signed_under(scheme.secret(SECRET), body, at)
}

fn signed_under(scheme: HmacBuilder, body: &str, at: SystemTime) -> Request<Bytes> {
    let request = Request::post("/hooks").body(()).unwrap();
    let (mut head, ()) = request.into_parts();
    let scheme = scheme.build().unwrap();
    scheme.sign(&mut head, body.as_bytes(), "1", at).unwrap();
    Request::from_parts(head, Bytes::copy_from_slice(body.as_bytes()))
}

fn with_body(request: Request<Bytes>, body: impl Into<Bytes>) -> Request<Bytes> {
    let body = body.into();
    request.map(|_| body)
}

fn trial(facts: &'static Facts) -> Trial<'static> {
    Trial::new(facts, SECRET.as_bytes(), now())
}

/// The names of the causes, and their texts, in which nothing secret may be.
fn causes(trial: &Trial<'_>, request: &Request<Bytes>) -> (Vec<&'static str>, String) {
    let explanation = explain(trial, request);
    let texts: Vec<_> = (explanation.causes.iter().map(|cause| &*cause.text))
        .chain(explanation.steps.iter().map(|step| &*step.note))
        .collect();
    let text = texts.join("\n");
    assert!(!text.contains(SECRET), "{text}");
    assert!(!text.contains("café"), "{text}");
    for value in request.headers().values() {
        let value = value.to_str().unwrap();
        assert!(value.len() < 20 || !text.contains(value), "{text}");
    }
    (
        explanation.causes.iter().map(|cause| cause.name).collect(),
        text,
    )
}

#[track_caller]
fn assert_cause(trial: &Trial<'_>, request: &Request<Bytes>, name: &str, text: &str) {
    let (names, texts) = causes(trial, request);
    assert_eq!(names.first(), Some(&name), "{texts}");
    assert!(texts.contains(text), "{texts}");
}

fn outcomes(explanation: &Explanation) -> Vec<(&'static str, Outcome)> {
    let steps = explanation.steps.iter();
    steps.map(|step| (step.name, step.outcome)).collect()
}

#[test]
fn a_genuine_delivery_passes_every_step_and_has_no_cause() {
    let request = signed(slack(), BODY, now());
    let explanation = explain(&trial(Preset::SLACK), &request);
    assert!(explanation.causes.is_empty());
    assert_eq!(explanation.steps.len(), 6);
    let is_passed = |step: &Step| step.outcome == Outcome::Passed;
    assert!(explanation.steps.iter().all(is_passed), "{explanation:?}");
}

#[test]
fn the_step_that_failed_is_told_from_those_before_and_after() {
    let stale = signed(slack(), BODY, now() - Duration::from_secs(301));
    let explanation = explain(&trial(Preset::SLACK), &stale);
    assert_eq!(
        outcomes(&explanation)[4..],
        [
            ("signature right", Outcome::Passed),
            ("timestamp fresh", Outcome::Failed)
        ]
    );
    let forged = with_body(signed(slack(), BODY, now()), "{}");
    let explanation = explain(&trial(Preset::SLACK), &forged);
    assert_eq!(
        outcomes(&explanation)[4..],
        [
            ("signature right", Outcome::Failed),
            ("timestamp fresh", Outcome::NotReached)
        ]
    );
}

#[test]
fn a_secret_that_is_to_be_decoded_or_not_is_found_in_every_encoding() {
    for (encoding, secret) in [
        (SecretEncoding::Base64, SECRET),
        (SecretEncoding::Hex, SECRET),
        (SecretEncoding::Whsec, "whsec_aGVsbG8gd29ybGQgb2YgaG9va3M="),
        (SecretEncoding::Nfkd, "a secret of 16 bytes: caf\u{e9}"),
    ] {
        let scheme = github().secret(secret).secret_encoding(encoding);
        let request = signed_under(scheme, BODY, now());
        let trial = Trial::new(Preset::GITHUB, secret.as_bytes(), now());
        let name = format!("SecretEncoding::{encoding:?}");
        assert_cause(&trial, &request, "secret_encoding", &name);
    }
    // The other way round: the sender decodes, and whoever signed did not.
    let secret = "whsec_aGVsbG8gd29ybGQgb2YgaG9va3M=";
    let scheme = HmacScheme::builder(
        "test",
        Headers::new("webhook-signature")
            .timestamp("webhook-timestamp")
            .id("webhook-id"),
    )
    .encoding(Encoding::Base64)
    .tag("v1,")
    .signed_content("{id}.{timestamp}.{body}")
    .secret(secret);
    let request = signed_under(scheme, BODY, now());
    let trial = Trial::new(Preset::STANDARD_WEBHOOKS, secret.as_bytes(), now());
    assert_cause(&trial, &request, "secret_encoding", "not decoded");
}

#[test]
fn a_secret_that_was_copied_wrongly_is_found() {
    let request = signed(github(), BODY, now());
    for (copied, text) in [
        (format!("whsec_{SECRET}"), "prefix of 6 bytes"),
        (format!("\"{SECRET}\""), "quotes"),
        (format!("GITHUB_SECRET={SECRET}"), "NAME=secret"),
        (format!("GITHUB_SECRET='{SECRET}'"), "quotes"),
        (format!(" {SECRET}\t"), "white space"),
        (format!("v1,{SECRET}"), "v1,"),
        (SECRET.to_uppercase(), "upper case"),
    ] {
        let trial = Trial::new(Preset::GITHUB, copied.as_bytes(), now());
        assert_cause(&trial, &request, "secret_form", text);
    }
    let prefixed = format!("whsec_{SECRET}");
    let request = signed_under(github().secret(prefixed), BODY, now());
    assert_cause(
        &trial(Preset::GITHUB),
        &request,
        "secret_form",
        "whsec_ is part",
    );
    let key = "NWY1ZjVmNWY1ZjVmNWY1ZjVmNWY1ZjVmNWY1ZjVmNWYK";
    let ended = github().secret(key).secret_encoding(SecretEncoding::Base64);
    let request = signed_under(ended, BODY, now());
    assert_cause(
        &trial(Preset::GITHUB),
        &request,
        "secret_form",
        "line end (LF)",
    );
}

#[test]
fn a_body_that_was_written_again_is_found() {
    let pretty = "{\n  \"id\": \"evt/1\",\n  \"note\": \"café\",\n  \"n\": 1.10\n}";
    let spaced = r#"{"id": "evt/1", "note": "café", "n": 1.10}"#;
    let php = r#"{"id":"evt\/1","note":"caf\u00e9","n":1.10}"#;
    let python = r#"{"id": "evt/1", "note": "caf\u00e9", "n": 1.10}"#;
    for (sent, arrived, text) in [
        (BODY, pretty, "without white space"),
        (pretty, BODY, "indented by 2"),
        (spaced, BODY, "a space after each mark"),
        (php, BODY, "escaped slashes and letters"),
        (BODY, php, "plain slashes and letters"),
        (
            python,
            pretty,
            "with a space after each mark, with escaped letters",
        ),
    ] {
        let request = with_body(signed(github(), sent, now()), arrived);
        assert_cause(&trial(Preset::GITHUB), &request, "body_rewritten", text);
    }
    let with_end = format!("{pretty}\n");
    let request = with_body(signed(github(), &with_end, now()), BODY);
    assert_cause(
        &trial(Preset::GITHUB),
        &request,
        "body_rewritten",
        "line end after it",
    );
}

#[test]
fn a_body_that_was_changed_at_its_ends_or_in_transport_is_found() {
    let latin: String = "café\n".bytes().map(char::from).collect();
    for (sent, arrived, text) in [
        (BODY, &*format!("{BODY}\n"), "line end was added"),
        (BODY, &*format!("{BODY}\r\n"), "line end was added"),
        (&*format!("{BODY}\n"), BODY, "was cut off"),
        (&*format!("{BODY}\r\n"), BODY, "was cut off"),
        ("a\nb\n", "a\r\nb\r\n", "are CRLF now"),
        ("a\r\nb\r\n", "a\nb\n", "are LF now"),
        ("hello", "aGVsbG8=", "base64"),
        ("hello", "3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", "chunks"),
        ("café\n", &*latin, "Latin-1"),
        (BODY, &*format!("\u{feff}{BODY}"), "byte order mark"),
    ] {
        let request = with_body(signed(github(), sent, now()), arrived.to_owned());
        assert_cause(&trial(Preset::GITHUB), &request, "body_changed", text);
    }
}

#[test]
fn milliseconds_are_told_from_seconds() {
    let millis = signed(
        slack().timestamp_unit(TimestampUnit::Milliseconds),
        BODY,
        now(),
    );
    assert_cause(
        &trial(Preset::SLACK),
        &millis,
        "timestamp_unit",
        "in milliseconds",
    );
}

#[test]
fn how_far_the_clock_is_off_is_said() {
    let late = signed(slack(), BODY, now() - Duration::from_secs(400));
    assert_cause(
        &trial(Preset::SLACK),
        &late,
        "too_old",
        "6m 40s old, of at most 5m",
    );
    assert_cause(
        &trial(Preset::SLACK),
        &late,
        "too_old",
        "--now 2026-03-01T11:53:20Z",
    );
    let early = signed(slack(), BODY, now() + Duration::from_secs(7_200));
    assert_cause(&trial(Preset::SLACK), &early, "too_early", "2h 0m ahead");
    assert_cause(&trial(Preset::SLACK), &early, "too_early", "local time");
    let (_, text) = causes(&trial(Preset::SLACK), &late);
    assert!(!text.contains("local time"), "{text}");
}

#[test]
fn renamed_headers_are_found_and_missing_ones_are_named() {
    let mut request = signed(github(), BODY, now());
    let value = request.headers_mut().remove("x-hub-signature-256").unwrap();
    for name in [
        "x_hub_signature_256",
        "http_x_hub_signature_256",
        "x-amzn-remapped-x-hub-signature-256",
    ] {
        let mut renamed = request.clone();
        renamed.headers_mut().insert(name, value.clone());
        assert_cause(&trial(Preset::GITHUB), &renamed, "header_renamed", name);
    }
    assert_cause(
        &trial(Preset::GITHUB),
        &request,
        "header_missing",
        "x-hub-signature-256",
    );
    request.headers_mut().insert("x-other-signature", value);
    assert_cause(
        &trial(Preset::GITHUB),
        &request,
        "header_missing",
        "look alike: x-other-signature",
    );
}

#[test]
fn another_spelling_of_the_signature_is_found() {
    let bare = HmacScheme::builder("test", Headers::new("x-hub-signature-256"));
    let request = signed(bare, BODY, now());
    assert_cause(
        &trial(Preset::GITHUB),
        &request,
        "signature_spelling",
        "lacks the `sha256=`",
    );
    let request = signed(github().encoding(Encoding::Base64), BODY, now());
    assert_cause(
        &trial(Preset::GITHUB),
        &request,
        "signature_spelling",
        "is base64",
    );
    let shopify = HmacScheme::builder("test", Headers::new("x-shopify-hmac-sha256"));
    let request = signed(shopify, BODY, now());
    assert_cause(
        &trial(Preset::SHOPIFY),
        &request,
        "signature_spelling",
        "is hex",
    );
}

#[test]
fn another_sender_that_would_accept_it_is_named() {
    let preset = Preset::github_sha1(SECRET).unwrap();
    let request = preset.sample("push", "1", now()).unwrap();
    assert_cause(
        &trial(Preset::GITHUB),
        &request,
        "other_sender",
        "github-sha1",
    );
    let preset = Preset::shopify(SECRET).unwrap();
    let request = preset.sample("orders/create", "1", now()).unwrap();
    assert_cause(&trial(Preset::STRIPE), &request, "other_sender", "shopify");
}

#[test]
fn a_url_that_the_sender_writes_in_another_way_is_found() {
    let signing = Facts::all().filter(|facts| facts.described().needs_url && facts.has_sample());
    for facts in signing {
        let url = "https://hooks.example.com/in?a=b";
        let preset = facts
            .builder()
            .secret(SECRET)
            .allow_short_secret()
            .public_url(url);
        let mut request = preset
            .build()
            .unwrap()
            .sample_to(
                &"/in?a=b".parse().unwrap(),
                facts.sample_event(),
                "1",
                now(),
            )
            .unwrap();
        request
            .headers_mut()
            .insert(HOST, "hooks.example.com".parse().unwrap());
        let right = trial(facts).url(Some(url));
        assert!(
            matches!(right.judge(&request), Verdict::Genuine(_)),
            "{facts:?}"
        );
        for (given, text) in [
            ("http://hooks.example.com/in?a=b", "scheme is https"),
            ("https://hooks.example.com/in/?a=b", "no slash at its end"),
            ("https://hooks.example.com:8443/in?a=b", "host and port"),
            ("http://10.0.0.1:3000/in?a=b", "hooks.example.com"),
        ] {
            let trial = trial(facts).url(Some(given));
            assert_cause(&trial, &request, "url", text);
        }
        let (names, text) = causes(&trial(facts), &request);
        assert!(names.contains(&"settings"), "{text}");
    }
}

#[test]
fn a_wrong_secret_is_the_last_resort() {
    let request = signed_under(github().secret("another secret of 16 bytes"), BODY, now());
    assert_cause(
        &trial(Preset::GITHUB),
        &request,
        "wrong_secret",
        "it has 32 bytes, the body 38",
    );
    let mut cut = request;
    cut.headers_mut().insert(CONTENT_LENGTH, 40.into());
    let (names, text) = causes(&trial(Preset::GITHUB), &cut);
    assert_eq!(names, ["body_length", "wrong_secret"], "{text}");
}

#[test]
fn a_method_that_the_sender_does_not_use_and_a_body_too_long_are_said() {
    let mut request = signed(github(), BODY, now());
    *request.method_mut() = http::Method::GET;
    assert_cause(&trial(Preset::GITHUB), &request, "method", "redirect");
    let long = "x".repeat(Preset::STRIPE.body_limit() + 1);
    let request = with_body(signed(github(), BODY, now()), long);
    assert_cause(
        &trial(Preset::STRIPE),
        &request,
        "body_too_large",
        "body_limit",
    );
}

#[test]
fn nothing_panics_whatever_the_request() {
    for facts in Facts::all() {
        let sampled = facts.has_sample().then(|| {
            let url = facts.described().needs_url.then_some("https://a.example/");
            let mut builder = facts.builder().secret(SECRET).allow_short_secret();
            if let Some(url) = url {
                builder = builder.public_url(url);
            }
            builder
                .build()
                .unwrap()
                .sample(facts.sample_event(), "1", now())
                .unwrap()
        });
        let empty = Request::post("/").body(Bytes::new()).unwrap();
        for request in sampled.into_iter().chain([empty]) {
            for secret in ["", "x", "\u{e9}", "another secret of 16 bytes"] {
                let trial = Trial::new(facts, secret.as_bytes(), UNIX_EPOCH);
                let (_, text) = causes(&trial, &request);
                assert!(secret.len() < 5 || !text.contains(secret), "{text}");
            }
        }
    }
}
