//! What few senders need: parts of the head and the body that are signed, signatures and timestamps
//! in the body, several signature headers, and keys that end.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proptest::prelude::*;
use serde_json::json;

use super::{plain, refused};
use crate::hmac::{Algorithm, Encoding, Headers, HmacBuilder, HmacScheme, TimestampUnit};
use crate::testing::{BODY, GITHUB, SECRET, check, check_at, head, names, signed_at};
use crate::{Proof, Scheme};

const OTHER: &str = "another secret of 16 bytes";

fn hex_of(secret: &str, message: &str) -> String {
    let scheme = plain().secret(secret).build().unwrap();
    hex::encode(scheme.mac(0, message.as_bytes()))
}

fn in_body() -> HmacBuilder {
    HmacScheme::signed_in_body("acme", "/signature/value")
        .timestamp_pointer("/signature/at")
        .signed_content("{json:/signature/at}.{json:/id}")
        .id_pointer("/id")
        .secret(SECRET)
}

fn signed_body(at: &str, id: &str) -> String {
    let value = hex_of(SECRET, &format!("{at}.{id}"));
    json!({"signature": {"value": value, "at": at}, "id": id, "payload": 1}).to_string()
}

#[test]
fn a_signature_in_the_body_covers_the_fields_it_names_and_no_others() {
    let scheme = in_body().build().unwrap();
    let body = signed_body("1767225600", "evt_1");
    let proof = check(&scheme, &[], &body).unwrap();
    assert_eq!(proof.timestamp, Some(signed_at()));
    let (_, id, part) = names(&scheme, &[], &body);
    assert_eq!(
        (id, &part[..]),
        (Some(("evt_1".into(), true)), &b"evt_1"[..])
    );

    let other_payload = body.replace(r#""payload":1"#, r#""payload":2"#);
    assert!(check(&scheme, &[], &other_payload).is_ok());
    assert_eq!(
        check(&scheme, &[], &body.replace("evt_1", "evt_2")),
        Err("mismatch")
    );
}

#[test]
fn a_field_on_the_way_to_a_signature_that_is_there_twice_is_refused() {
    let scheme = in_body().build().unwrap();
    let body = signed_body("1767225600", "evt_1");
    for (twice, cause) in [
        (body.replacen('{', r#"{"id":"evt_1","#, 1), "malformed_body"),
        (
            body.replacen('{', r#"{"signature":{},"#, 1),
            "missing_signature",
        ),
        (
            body.replace(r#"{"at""#, r#"{"at":"1767225600","at""#),
            "malformed_body",
        ),
        (
            body.replace(r#""value""#, r#""value":"","value""#),
            "missing_signature",
        ),
    ] {
        assert_eq!(check(&scheme, &[], &twice), Err(cause), "{twice}");
    }
}

#[test]
fn a_body_that_lacks_what_is_signed_is_refused() {
    let scheme = in_body().build().unwrap();
    let body = signed_body("1767225600", "evt_1");
    for (lacking, cause) in [
        (body.replace(r#""id""#, r#""di""#), "malformed_body"),
        (body.replace("value", "eulav"), "missing_signature"),
        (
            r#"{"signature":{"value":"zz"}}"#.into(),
            "malformed_signature",
        ),
        ("no JSON".into(), "missing_signature"),
        (String::new(), "missing_signature"),
    ] {
        assert_eq!(check(&scheme, &[], &lacking), Err(cause), "{lacking}");
    }
}

#[test]
fn a_timestamp_in_the_body_is_judged_only_after_the_signature_matched() {
    let late = head(&[]);
    let scheme = in_body().build().unwrap();
    let judge = |body: &str, after| {
        let now = signed_at() + Duration::from_secs(after);
        check_at(&scheme, &late, body.as_bytes(), now).map(|_| ())
    };
    let body = signed_body("1767225600", "evt_1");
    assert_eq!(judge(&body, 300), Ok(()));
    assert_eq!(judge(&body, 301), Err("stale"));
    assert_eq!(judge(&body.replace("evt_1", "evt_2"), 301), Err("mismatch"));
    assert_eq!(
        judge(&signed_body("soon", "evt_1"), 0),
        Err("malformed_timestamp")
    );
}

#[test]
fn a_timestamp_in_a_signed_body_that_is_missing_is_refused() {
    let scheme = plain()
        .timestamp_pointer("/at")
        .secret(SECRET)
        .build()
        .unwrap();
    let judge = |body: &str, signed: &str| {
        let signature = hex_of(SECRET, signed);
        check(&scheme, &[("x-signature", &signature)], body)
    };
    for (body, cause) in [
        (r#"{"at":1767225600}"#, None),
        (r#"{"at":1767225000}"#, Some("stale")),
        (r#"{"at":1767226200}"#, Some("future")),
        (r#"{"at":null}"#, Some("missing_timestamp")),
        (
            r#"{"at":1767225600,"at":1767225600}"#,
            Some("missing_timestamp"),
        ),
        ("{}", Some("missing_timestamp")),
        ("", Some("missing_timestamp")),
    ] {
        assert_eq!(judge(body, body).err(), cause, "{body}");
        assert_eq!(judge(body, "{ }"), Err("mismatch"), "{body}");
    }
    let proof = judge(r#"{"at":1767225600}"#, r#"{"at":1767225600}"#).unwrap();
    assert_eq!(proof.timestamp, Some(signed_at()));
}

#[test]
fn a_signed_header_has_to_be_there_once() {
    let scheme = plain()
        .signed_content("{header:x-ts}.{body}")
        .secret(SECRET)
        .build()
        .unwrap();
    let signature = hex_of(SECRET, &format!("12.{BODY}"));
    let signed = ("x-signature", signature.as_str());
    for (headers, cause) in [
        (vec![signed, ("x-ts", "12")], None),
        (vec![signed, ("x-ts", "12"), ("x-ts", "12")], None),
        (
            vec![signed, ("x-ts", "12"), ("x-ts", "13")],
            Some("conflicting_headers"),
        ),
        (vec![signed, ("x-ts", "13")], Some("mismatch")),
        (vec![signed], Some("missing_header")),
    ] {
        assert_eq!(check(&scheme, &headers, BODY).err(), cause, "{headers:?}");
    }
}

#[test]
fn method_path_and_url_are_signed_as_they_are() {
    let scheme = plain()
        .signed_content("{method} {path} {url}\n{body}")
        .public_url("https://hooks.example.com/acme")
        .secret(SECRET)
        .build()
        .unwrap();
    let url = "https://hooks.example.com/acme?a=%20b";
    let signature = hex_of(SECRET, &format!("POST /internal?a=%20b {url}\n{BODY}"));
    let at = |method: &str, target: &str| {
        let mut head = head(&[("x-signature", &signature), ("host", "elsewhere")]);
        head.method = method.parse().unwrap();
        head.uri = target.parse().unwrap();
        check_at(&scheme, &head, BODY.as_bytes(), signed_at()).map(|_| ())
    };
    assert_eq!(at("POST", "/internal?a=%20b"), Ok(()));
    assert_eq!(at("POST", "http://elsewhere/internal?a=%20b"), Ok(()));
    for (method, target) in [
        ("PUT", "/internal?a=%20b"),
        ("POST", "/internal?a=+b"),
        ("POST", "/internal"),
        ("POST", "/internal/?a=%20b"),
    ] {
        assert_eq!(at(method, target), Err("mismatch"), "{method} {target}");
    }
}

#[test]
fn a_public_url_is_needed_where_it_is_signed_and_refused_where_it_is_not() {
    let signed = || plain().signed_content("{body}{url}").secret(SECRET);
    assert!(refused(signed()).contains("set public_url"));
    assert!(refused(signed().public_url("/hooks")).contains("is none"));
    assert!(signed().public_url("https://a.example/").build().is_ok());
    let useless = plain().secret(SECRET).public_url("https://a.example/");
    assert!(refused(useless).contains("does not sign the URL"));
}

#[test]
fn signed_content_without_the_body_has_to_be_accepted() {
    let bodiless = || {
        HmacScheme::builder("acme", Headers::new("x-signature").timestamp("x-ts"))
            .signed_content("{timestamp}")
            .secret(SECRET)
    };
    assert!(refused(bodiless()).contains("payload_is_not_signed()"));
    let scheme = bodiless().payload_is_not_signed().build().unwrap();
    let signature = hex_of(SECRET, "1767225600");
    let headers = [("x-signature", signature.as_str()), ("x-ts", "1767225600")];
    let (_, _, part) = names(&scheme, &headers, "one payload");
    for body in ["one payload", "and another"] {
        assert!(check(&scheme, &headers, body).is_ok());
        // What nobody signed does not make a new delivery.
        assert_eq!(names(&scheme, &headers, body).2, part);
    }
    let both = HmacScheme::signed_in_body("acme", "/s").signed_content("{body}");
    assert!(refused(both.secret(SECRET)).contains("can't sign itself"));
}

#[test]
fn a_tolerance_without_a_timestamp_and_a_timestamp_tag_without_a_separator_are_refused() {
    let hour = Duration::from_secs(3600);
    for builder in [plain().tolerate_past(hour), plain().tolerate_future(hour)] {
        assert!(refused(builder.secret(SECRET)).contains("nothing to tolerate"));
    }
    let tagged = plain()
        .timestamp_tag("t=")
        .signed_content("{timestamp}.{body}");
    assert!(refused(tagged.secret(SECRET)).contains("separator"));
}

#[test]
fn a_signature_in_any_of_several_headers_counts() {
    let headers = Headers::new("x-signature").or_signature("x-signature-2");
    let scheme = HmacScheme::builder("acme", headers)
        .secret(SECRET)
        .build()
        .unwrap();
    let good = hex_of(SECRET, BODY);
    let bad = hex_of(OTHER, BODY);
    for (first, second, cause) in [
        (Some(&good), Some(&bad), None),
        (Some(&bad), Some(&good), None),
        (None, Some(&good), None),
        (Some(&bad), Some(&bad), Some("mismatch")),
        (None, Some(&bad), Some("mismatch")),
        (None, None, Some("missing_signature")),
    ] {
        let first = first.map(|value| ("x-signature", value.as_str()));
        let second = second.map(|value| ("x-signature-2", value.as_str()));
        let headers: Vec<_> = first.into_iter().chain(second).collect();
        assert_eq!(check(&scheme, &headers, BODY).err(), cause, "{headers:?}");
    }
}

#[test]
fn an_expected_header_has_to_be_there_with_its_value() {
    let scheme = plain()
        .expect_header("x-version", "1")
        .secret(SECRET)
        .build()
        .unwrap();
    let good = hex_of(SECRET, BODY);
    let signed = ("x-signature", good.as_str());
    for (versions, cause) in [
        (vec!["1"], None),
        (vec!["1", "1"], None),
        (vec!["2"], Some("other_version")),
        (vec!["1", "2"], Some("conflicting_headers")),
        (vec![], Some("missing_header")),
    ] {
        let versions = versions.into_iter().map(|version| ("x-version", version));
        let headers: Vec<_> = versions.chain([signed]).collect();
        assert_eq!(check(&scheme, &headers, BODY).err(), cause, "{headers:?}");
    }
    assert!(refused(plain().expect_header("x y", "1").secret(SECRET)).contains("name"));
}

#[test]
fn an_ended_secret_is_expired_after_a_match_and_a_mismatch_otherwise() {
    let end = signed_at() + Duration::from_secs(60);
    let scheme = plain()
        .tag("sha256=")
        .named_secret("new", OTHER)
        .expiring_secret("old", SECRET, end)
        .build()
        .unwrap();
    let at = |body: &str, now: SystemTime| {
        let head = head(&[("x-signature", GITHUB)]);
        check_at(&scheme, &head, body.as_bytes(), now)
    };
    let last = end - Duration::from_nanos(1);
    assert_eq!(&*scheme.key_id(at(BODY, last).unwrap().key), "old");
    for now in [end, end + Duration::from_secs(1_000_000)] {
        assert_eq!(at(BODY, now), Err("expired"));
        assert_eq!(at("{}", now), Err("mismatch"));
    }
}

#[test]
fn an_ended_secret_does_not_hide_a_good_one_and_ends_in_the_body_too() {
    let both = plain()
        .tag("sha256=")
        .expiring_secret("ended", SECRET, UNIX_EPOCH)
        .named_secret("good", OTHER)
        .build()
        .unwrap();
    let good = format!("sha256={}", hex_of(OTHER, BODY));
    let proof = check(&both, &[("x-signature", &good)], BODY).unwrap();
    assert_eq!(&*both.key_id(proof.key), "good");

    let ended = HmacScheme::signed_in_body("acme", "/s")
        .signed_content("{json:/id}")
        .expiring_secret("ended", SECRET, signed_at())
        .build()
        .unwrap();
    let body = format!(r#"{{"id":"1","s":"{}"}}"#, hex_of(SECRET, "1"));
    assert_eq!(check(&ended, &[], &body), Err("expired"));
    assert_eq!(
        check(&ended, &[], &body.replace(r#""1""#, r#""2""#)),
        Err("mismatch")
    );
}

#[test]
fn two_secrets_never_share_an_id() {
    for builder in [
        plain().named_secret("a", SECRET).named_secret("a", OTHER),
        plain().named_secret("1", SECRET).secret(OTHER),
        plain()
            .secret(SECRET)
            .expiring_secret("0", OTHER, signed_at()),
    ] {
        assert!(refused(builder).contains("called"));
    }
}

#[test]
fn dates_are_read_with_their_offset_and_signed_as_written() {
    let scheme = HmacScheme::builder("acme", Headers::new("x-signature").timestamp("x-at"))
        .signed_content("{body}{timestamp}")
        .timestamp_unit(TimestampUnit::Rfc3339)
        .secret(SECRET)
        .build()
        .unwrap();
    let judge = |shown: &str, signed: &str| -> Result<Proof, &'static str> {
        let signature = hex_of(SECRET, &format!("{BODY}{signed}"));
        check(
            &scheme,
            &[("x-signature", &signature), ("x-at", shown)],
            BODY,
        )
    };
    for date in [
        "2026-01-01T00:00:00Z",
        "2026-01-01T01:30:00+01:30",
        "2025-12-31T16:00:00.000-08:00",
    ] {
        assert_eq!(
            judge(date, date).unwrap().timestamp,
            Some(signed_at()),
            "{date}"
        );
    }
    for (shown, signed, cause) in [
        (
            "2026-01-01T00:00:00Z",
            "2026-01-01T01:00:00+01:00",
            "mismatch",
        ),
        ("2025-12-31T23:54:59Z", "2025-12-31T23:54:59Z", "stale"),
        ("2026-01-01T00:05:01Z", "2026-01-01T00:05:01Z", "future"),
        ("2026-01-01", "2026-01-01", "malformed_timestamp"),
        ("1767225600", "1767225600", "malformed_timestamp"),
        ("", "", "missing_timestamp"),
    ] {
        assert_eq!(judge(shown, signed), Err(cause), "{shown}");
    }
}

#[derive(Clone, Copy, Debug)]
enum Time {
    Header,
    None,
    Tag,
}

proptest! {
    #[test]
    fn what_is_signed_here_is_accepted_and_by_another_key_is_not(
        algorithm in prop::sample::select(vec![Algorithm::Sha1, Algorithm::Sha256, Algorithm::Sha512]),
        base64: bool,
        tag in prop::option::of("[a-z][a-z0-9]{0,6}="),
        separator in prop::sample::select(b",; ".to_vec()),
        time in prop::sample::select(vec![Time::Header, Time::None, Time::Tag]),
        unit in prop::sample::select(vec![
            TimestampUnit::Milliseconds, TimestampUnit::Rfc3339, TimestampUnit::Seconds,
        ]),
        signs_id: bool,
        around in prop::array::uniform2("[^{}]{0,9}"),
        parts in prop::sample::subsequence(
            vec!["{method}", "{path}", "{url}", "{header:x-extra}"], 0..=4),
        body_first: bool,
        secret in prop::collection::vec(34..127_u8, 16..80),
        more_secrets in 0..3_usize,
        body: Vec<u8>,
        id in "[!-~]{1,40}",
        millis in 0..4_000_000_000_000_u64,
    ) {
        let mut parts: Vec<&str> = parts;
        if signs_id { parts.push("{id}"); }
        if !matches!(time, Time::None) { parts.push("{timestamp}"); }
        parts.insert(if body_first { 0 } else { parts.len() }, "{body}");
        let [start, between] = around;
        let signs_url = parts.contains(&"{url}");
        let mut headers = Headers::new("x-signature").id("x-id");
        if matches!(time, Time::Header) { headers = headers.timestamp("x-at"); }
        let build = |secret: &[u8]| {
            let mut builder = HmacScheme::builder("acme", headers.clone())
                .algorithm(algorithm)
                .encoding(if base64 { Encoding::Base64 } else { Encoding::Hex })
                .separator(separator)
                .timestamp_unit(unit)
                .signed_content(format!("{start}{}", parts.join(&between)))
                .secret(secret);
            if let Some(tag) = &tag { builder = builder.tag(tag); }
            if matches!(time, Time::Tag) { builder = builder.timestamp_tag("@="); }
            if signs_url { builder = builder.public_url("https://a.example"); }
            for index in 0..more_secrets { builder = builder.secret(format!("{OTHER}{index}")); }
            builder.build().unwrap()
        };
        let scheme = build(&secret);
        let now = UNIX_EPOCH + Duration::from_millis(millis);
        let mut head = head(&[("x-extra", "more")]);
        scheme.sign(&mut head, &body, &id, now).unwrap();
        let proof = check_at(&scheme, &head, &body, now).unwrap();
        prop_assert_eq!(proof.key, 0);
        prop_assert_eq!(proof.timestamp.is_some(), !matches!(time, Time::None));
        let identity = scheme.identify(&head, &body);
        prop_assert_eq!(identity.id().map(|id| (id.as_str(), id.is_signed())), Some((&*id, signs_id)));
        let mut foreign = secret;
        foreign[0] ^= 1;
        prop_assert_eq!(check_at(&build(&foreign), &head, &body, now), Err("mismatch"));
    }
}
