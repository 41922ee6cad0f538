use http::request::Parts;

use crate::testing::{SECRET, check_at, head, signed_at};
use crate::{Preset, Scheme, Verified};

const URL: &str = "https://hooks.example.com/twilio";
const BODY: &str = "To=%2B2&From=%2B1&Body=a+b";
/// Over `https://hooks.example.com/twilio?x=1Bodya bFrom+1To+2`.
const FORM: &str = "3IPOG2oNL/fQ5W3xzni9aLQkn7k=";
/// The same with SHA-256.
const FORM_SHA256: &str = "ICoFYNIsXyq8emfTsX1xqEaeBMib3rMEdL2jVi0L2+E=";
const JSON: &str = r#"{"Index":3}"#;
const JSON_HASH: &str = "8b3a13fe64393e93e79597599b43d9bf099d5b3847c179168127a1148dd5fa53";
/// Over the URL with the hash in its query.
const JSON_SIGNATURE: &str = "Uz5kxPqRo6nKWqMoYA0uN5BQ8C0=";

fn request(target: &str, signature: &str, more: &[(&str, &str)]) -> Parts {
    let form = [
        ("content-type", "application/x-www-form-urlencoded"),
        ("i-twilio-idempotency-token", "t1"),
        ("x-twilio-signature", signature),
    ];
    let mut head = head(&[&form, more].concat());
    head.uri = target.parse().unwrap();
    head
}

fn cause(head: &Parts, body: &str) -> Result<(), &'static str> {
    let scheme = Preset::twilio(SECRET, URL).unwrap();
    check_at(&scheme, head, body.as_bytes(), signed_at()).map(|_| ())
}

fn part(head: &Parts, body: &str) -> Vec<u8> {
    let scheme = Preset::twilio(SECRET, URL).unwrap();
    let verified = Verified::assumed("source", scheme.identify(head, body.as_bytes()));
    assert!(!verified.delivery_id().unwrap().is_signed());
    verified.recommended_part(body.as_bytes())
}

#[test]
fn a_form_is_signed_by_its_parameters_and_the_url() {
    let head = request("/behind/a/proxy?x=1", FORM, &[]);
    assert_eq!(cause(&head, BODY), Ok(()));
    assert_eq!(cause(&head, "Body=a%20b&From=%2B1&To=%2B2"), Ok(()));
    assert_eq!(cause(&head, "Body=a+b&From=%2B1&To=%2B3"), Err("mismatch"));
    assert_eq!(cause(&head, &format!("{BODY}&x=1")), Err("mismatch"));
    assert_eq!(cause(&head, ""), Err("mismatch"));
    let other = request("/behind/a/proxy?x=2", FORM, &[]);
    assert_eq!(cause(&other, BODY), Err("mismatch"));
    assert_eq!(cause(&head, &"a&".repeat(1001)), Err("malformed_body"));
}

#[test]
fn another_order_or_encoding_of_the_parameters_is_the_same_delivery() {
    let head = request("/?x=1", FORM, &[]);
    let first = part(&head, BODY);
    assert_eq!(first, part(&head, "Body=a%20b&From=%2B1&To=%2B2"));
    assert_eq!(first, part(&head, &format!("{BODY}&To=%2B2")));
    assert_ne!(first, part(&head, "Body=a%20b&From=%2B1&To=%2B3"));
    assert_ne!(first, part(&request("/?x=2", FORM, &[]), BODY));
}

#[test]
fn json_is_covered_by_its_hash_in_the_url() {
    let target = format!("/?bodySHA256={JSON_HASH}");
    let head = request(&target, JSON_SIGNATURE, &[]);
    assert_eq!(cause(&head, JSON), Ok(()));
    assert_eq!(cause(&head, r#"{"Index":4}"#), Err("mismatch"));
    for (query, expected) in [
        ("?bodySHA256=zz", "malformed_body_hash"),
        ("?bodySHA256=", "malformed_body_hash"),
        (
            &format!("?bodySHA256={JSON_HASH}&bodySHA256={JSON_HASH}"),
            "malformed_body_hash",
        ),
        (
            &format!("?bodySHA256={}", JSON_HASH.replace("8b", "8c")),
            "mismatch",
        ),
    ] {
        let head = request(&format!("/{query}"), JSON_SIGNATURE, &[]);
        assert_eq!(cause(&head, JSON), Err(expected), "{query}");
    }
    let mut head = request("/", JSON_SIGNATURE, &[]);
    head.headers.remove("content-type");
    assert_eq!(cause(&head, JSON), Err("missing_body_hash"));
}

#[test]
fn a_signed_json_delivery_can_not_be_sent_as_an_empty_form() {
    let target = format!("/?bodySHA256={JSON_HASH}");
    let head = request(&target, JSON_SIGNATURE, &[]);
    for body in ["", "&&"] {
        assert_eq!(cause(&head, body), Err("mismatch"), "{body}");
    }
}

#[test]
fn a_header_selects_sha_256_and_nothing_else() {
    let settings = |value: &str, signature: &str| {
        let more = [("x-twilio-webhooks-signature-settings", value)];
        cause(&request("/?x=1", signature, &more), BODY)
    };
    assert_eq!(
        settings("key=SK1,algorithm=HMAC_SHA256", FORM_SHA256),
        Ok(())
    );
    assert_eq!(
        settings("key=SK1,algorithm=HMAC_SHA256", FORM),
        Err("malformed_signature")
    );
    assert_eq!(
        cause(&request("/?x=1", FORM_SHA256, &[]), BODY),
        Err("malformed_signature")
    );
    for value in [
        "",
        "algorithm=NONE",
        "key=SK1",
        "algorithm=HMAC_SHA256,algorithm=NONE",
    ] {
        assert_eq!(settings(value, FORM), Err("other_algorithm"), "{value}");
    }
}

#[test]
fn two_signatures_that_differ_are_refused() {
    let head = request("/?x=1", FORM, &[("x-twilio-signature", JSON_SIGNATURE)]);
    assert_eq!(cause(&head, BODY), Err("conflicting_headers"));
}

#[test]
fn a_preset_without_its_url_or_with_a_tolerance_is_refused() {
    let builder = || Preset::TWILIO.builder().secret(SECRET);
    let message = builder().build().unwrap_err().to_string();
    assert!(message.contains("public_url"), "{message}");
    let timed = builder()
        .public_url(URL)
        .tolerate_past(std::time::Duration::ZERO);
    let message = timed.build().unwrap_err().to_string();
    assert!(message.contains("timestamp"), "{message}");
}

#[test]
fn debug_shows_no_secret() {
    let scheme = Preset::twilio(SECRET, "https://user:password@example.com/").unwrap();
    let text = format!("{scheme:?}");
    assert!(
        !text.contains(SECRET) && !text.contains("password"),
        "{text}"
    );
}
