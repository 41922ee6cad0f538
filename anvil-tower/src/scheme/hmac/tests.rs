mod abilities;

use proptest::prelude::*;

use super::*;
use crate::ConfigError;
use crate::testing::{
    BODY, BODY_THEN_TIMESTAMP, GITHUB, SECRET, SIGNED_AT, STANDARD, STRIPE, check, check_at, head,
    names, signed_at,
};
use crate::{Preset, Scheme};
use sha2::{Digest, Sha256};

fn plain() -> HmacBuilder {
    HmacScheme::builder("acme", Headers::new("x-signature"))
}

fn refused(builder: HmacBuilder) -> String {
    builder
        .build()
        .map(|_| ())
        .map_err(|error: ConfigError| error.to_string())
        .unwrap_err()
}

#[test]
fn a_template_may_sign_something_after_the_body() {
    let scheme = HmacScheme::builder(
        "acme",
        Headers::new("x-signature")
            .timestamp("x-timestamp")
            .id("x-id"),
    )
    .algorithm(Algorithm::Sha512)
    .encoding(Encoding::Base64)
    .signed_content("{body}{timestamp}")
    .secret(SECRET)
    .build()
    .unwrap();
    let headers = [
        ("x-signature", BODY_THEN_TIMESTAMP),
        ("x-timestamp", "1767225600"),
        ("x-id", "1"),
    ];
    let proof = check(&scheme, &headers, BODY).unwrap();
    assert_eq!(proof.timestamp, Some(signed_at()));
    assert_eq!(check(&scheme, &headers, ""), Err("mismatch"));

    let (_, id, part) = names(&scheme, &headers, BODY);
    assert_eq!(id, Some(("1".into(), false)));
    assert_eq!(part, Sha256::digest(format!("{BODY}1767225600")).to_vec());
}

#[test]
fn any_of_several_secrets_is_accepted_and_reported_by_its_id() {
    let other = "another secret of 16 bytes";
    let build = |builder: HmacBuilder| builder.tag("sha256=").build().unwrap();
    let headers = [("x-signature", GITHUB)];
    let first = build(plain().secret(SECRET).secret(other));
    let key_id = |scheme: &HmacScheme| {
        let proof = check(scheme, &headers, BODY).unwrap();
        scheme.key_id(proof.key).to_string()
    };
    assert_eq!(key_id(&first), "0");
    let last = build(
        plain()
            .secret(other)
            .secret(other)
            .named_secret("2026", SECRET),
    );
    assert_eq!(key_id(&last), "2026");
    let none = build(plain().secret(other));
    assert_eq!(check(&none, &headers, BODY), Err("mismatch"));
}

#[test]
fn milliseconds_are_read_as_such() {
    let builder = |unit| {
        HmacScheme::builder("acme", Headers::new("x-signature").timestamp("x-timestamp"))
            .signed_content("{timestamp}.{body}")
            .timestamp_unit(unit)
            .secret(SECRET)
            .build()
            .unwrap()
    };
    let signature = STRIPE.split_once("v1=").unwrap().1;
    let head = head(&[("x-signature", signature), ("x-timestamp", "1767225600")]);
    let seconds_after_epoch = std::time::UNIX_EPOCH + std::time::Duration::from_millis(SIGNED_AT);
    let millis = builder(TimestampUnit::Milliseconds);
    assert!(check_at(&millis, &head, BODY.as_bytes(), seconds_after_epoch).is_ok());
    assert_eq!(
        check_at(&millis, &head, BODY.as_bytes(), signed_at()),
        Err("stale")
    );
    let seconds = builder(TimestampUnit::Seconds);
    assert_eq!(
        check_at(&seconds, &head, BODY.as_bytes(), seconds_after_epoch),
        Err("future")
    );
}

#[test]
fn a_stale_forgery_is_a_mismatch() {
    let scheme = Preset::stripe(SECRET).unwrap();
    let late = signed_at() + std::time::Duration::from_secs(301);
    let head = head(&[("stripe-signature", STRIPE)]);
    assert_eq!(
        check_at(&scheme, &head, BODY.as_bytes(), late),
        Err("stale")
    );
    assert_eq!(check_at(&scheme, &head, b"{}", late), Err("mismatch"));
}

#[test]
fn a_sender_whose_retries_keep_their_timestamp_can_be_tolerated() {
    let scheme = Preset::STRIPE
        .builder()
        .secret(SECRET)
        .tolerate_past(std::time::Duration::MAX)
        .tolerate_future(std::time::Duration::ZERO)
        .build()
        .unwrap();
    let head = head(&[("stripe-signature", STRIPE)]);
    let years = std::time::Duration::from_secs(1_000_000_000);
    assert!(check_at(&scheme, &head, BODY.as_bytes(), signed_at() + years).is_ok());
    let early = signed_at() - std::time::Duration::from_secs(1);
    assert_eq!(
        check_at(&scheme, &head, BODY.as_bytes(), early),
        Err("future")
    );
}

#[test]
fn a_secret_that_protects_nothing_is_refused() {
    assert!(refused(plain()).contains("no secret"));
    assert!(refused(plain().secret("")).contains("empty"));
    assert!(refused(plain().secret("").allow_short_secret()).contains("empty"));
    let short = refused(plain().secret("hidden-15-bytes"));
    assert!(
        short.contains("15 bytes") && short.contains("allow_short_secret()"),
        "{short}"
    );
    assert!(!short.contains("hidden"));
    assert!(
        plain()
            .secret("hidden-15-bytes")
            .allow_short_secret()
            .build()
            .is_ok()
    );
    assert!(plain().secret("16 bytes exactly").build().is_ok());
    let nine = (0..9).fold(plain(), |builder, _| builder.secret(SECRET));
    assert!(refused(nine).contains("at most 8"));
}

#[test]
fn parts_that_do_not_fit_together_are_refused() {
    let with_timestamp = || HmacScheme::builder("acme", Headers::new("x").timestamp("y"));
    for (builder, word) in [
        (plain().signed_content("{timestamp}.{body}"), "which header"),
        (plain().signed_content("{id}.{body}"), "which header"),
        (with_timestamp(), "not signed"),
        (plain().separator(b',').timestamp_tag("t="), "not signed"),
        (
            with_timestamp()
                .separator(b',')
                .timestamp_tag("t=")
                .signed_content("{timestamp}{body}"),
            "one place",
        ),
        (
            with_timestamp()
                .or_headers(Headers::new("z"))
                .signed_content("{timestamp}{body}"),
            "one place",
        ),
        (
            HmacScheme::builder("acme", Headers::new("not a header")),
            "can't be the name",
        ),
        (plain().id_pointer("id"), "JSON pointer"),
    ] {
        let message = refused(builder.secret(SECRET));
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn debug_shows_no_secret() {
    let builder = plain().named_secret("new", "hidden-secret-of-sorts");
    assert!(!format!("{builder:?}").contains("hidden"));
    let scheme = builder.build().unwrap();
    assert!(format!("{scheme:?}").contains("new"));
    assert!(!format!("{scheme:?}").contains("hidden"));
    let head = head(&[("x-signature", &"0".repeat(64))]);
    let check = scheme.begin(&head, signed_at()).unwrap();
    assert_eq!(format!("{check:?}"), "Check { .. }");
}

proptest! {
    #[test]
    fn any_changed_bit_is_refused(which in 0_usize..4, position: prop::sample::Index, bit in 0_u8..7) {
        let mut parts = [
            BODY.as_bytes().to_vec(),
            STANDARD.as_bytes()[3..].to_vec(),
            b"1767225600".to_vec(),
            b"msg_1".to_vec(),
        ];
        let index = position.index(parts[which].len());
        parts[which][index] ^= 1 << bit;
        let [body, signature, timestamp, id] = parts;
        let mut request = http::Request::post("/");
        let signature = [b"v1,", &signature[..]].concat();
        for (name, value) in [
            ("webhook-signature", signature), ("webhook-timestamp", timestamp), ("webhook-id", id),
        ] {
            let Ok(value) = HeaderValue::from_bytes(&value) else { return Ok(()) };
            request = request.header(name, value);
        }
        let head = request.body(()).unwrap().into_parts().0;
        let scheme = Preset::STANDARD_WEBHOOKS.builder()
            .secret(crate::testing::WHSEC)
            .tolerate_past(std::time::Duration::MAX)
            .tolerate_future(std::time::Duration::MAX)
            .build()
            .unwrap();
        prop_assert!(check_at(&scheme, &head, &body, signed_at()).is_err());
    }

    #[test]
    fn no_head_and_no_body_panic(
        values: [Option<Vec<u8>>; 3],
        body: Vec<u8>,
        seconds: u64,
    ) {
        let mut request = http::Request::post("/");
        for (name, value) in ["webhook-signature", "webhook-timestamp", "webhook-id"].into_iter().zip(values) {
            if let Some(Ok(value)) = value.map(|value| HeaderValue::from_bytes(&value)) {
                request = request.header(name, value);
            }
        }
        let head = request.body(()).unwrap().into_parts().0;
        let scheme = Preset::standard_webhooks(crate::testing::WHSEC).unwrap();
        let now = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds >> 8);
        prop_assert!(check_at(&scheme, &head, &body, now).is_err());
        let _ = scheme.identify(&head, &body);
    }
}
