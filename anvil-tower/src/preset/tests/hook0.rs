use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::testing::{BODY, SECRET, check, check_at, head, names, signed_at};
use crate::{Preset, Scheme};

const T: &str = "t=1767225600";
const V0: &str = "v0=22c86cf50dc8579cdb6fce32d89d5774c329b3dafd62c981dc9caa00e40ef8a2";
/// Over `x-event-id content-type`.
const V1: &str =
    "h=x-event-id content-type,v1=3a89d924991ff838b79f69056d0f7c407fed1b0ff6fad7cb54f27a8436d8a13f";
/// Over `content-type`.
const V1_NO_ID: &str =
    "h=content-type,v1=fd48f41243db614a22986420178425ec4e58ac8484692487d8914d31db241959";
/// Over no header.
const V1_NONE: &str = "v1=4da30a7c073bf4023fe36c504c507f51a7d4176c33f3787da40a363e1a1cc204";
/// Over `content-type`, 33 times.
const V1_MANY: &str = "v1=a15797320a7442e2acdb4cda11696a4e39b894302aca7b352ab193ec8bde5618";

fn headers(signature: &str) -> [(&str, &str); 4] {
    [
        ("x-event-id", "ev 1"),
        ("content-type", "application/json"),
        ("x-event-type", "user.created"),
        ("x-hook0-signature", signature),
    ]
}

fn cause(signature: &str) -> Result<(), &'static str> {
    check(&Preset::hook0(SECRET).unwrap(), &headers(signature), BODY).map(|_| ())
}

#[test]
fn a_delivery_passes_by_either_version() {
    for parts in [V0, V1, V1_NO_ID, V1_NONE] {
        assert_eq!(cause(&format!("{T},{parts}")), Ok(()), "{parts}");
    }
    assert_eq!(cause(&format!("{V1} , {T}")), Ok(()));
    let signature = format!("{T},{V1}");
    let proof = check(
        &Preset::coinbase_cdp(SECRET).unwrap(),
        &headers(&signature),
        BODY,
    );
    assert_eq!(proof.unwrap().timestamp, Some(signed_at()));
}

#[test]
fn a_v1_is_never_passed_over_for_a_v0() {
    let bad = V1.replace("3a89", "3b89");
    assert_eq!(cause(&format!("{T},{V0},{bad}")), Err("mismatch"));
    assert_eq!(cause(&format!("{T},{V0},v1=")), Err("malformed_signature"));
    assert_eq!(
        cause(&format!("{T},{V0},v1=00")),
        Err("malformed_signature")
    );
    let bad = V0.replace("22c8", "23c8");
    assert_eq!(cause(&format!("{T},{bad},{V1}")), Ok(()));
}

#[test]
fn a_named_header_has_to_be_there_once_and_as_it_was() {
    let scheme = Preset::hook0(SECRET).unwrap();
    let signature = format!("{T},{V1}");
    let sent = headers(&signature);
    assert_eq!(check(&scheme, &sent[1..], BODY), Err("missing_header"));
    let mut changed = sent;
    changed[0].1 = "ev 2";
    assert_eq!(check(&scheme, &changed, BODY), Err("mismatch"));
    let twice = [&sent[..], &[("content-type", "text/plain")]].concat();
    assert_eq!(check(&scheme, &twice, BODY), Err("conflicting_headers"));
}

#[test]
fn junk_has_a_stable_cause() {
    let many = vec!["content-type"; 33].join(" ");
    for (signature, expected) in [
        ("", "missing_signature"),
        ("x", "malformed_signature"),
        (T, "malformed_signature"),
        (V1, "missing_timestamp"),
        (&format!("t=,{V1}"), "missing_timestamp"),
        (&format!("t=now,{V1}"), "malformed_timestamp"),
        (&format!("{T},t=1,{V1}"), "malformed_timestamp"),
        (&format!("{T},h=x-event-id,{V1}"), "malformed_signature"),
        (&format!("{T},h=a\u{e9},{V1_NONE}"), "malformed_signature"),
        (&format!("{T},h={many},{V1_MANY}"), "malformed_signature"),
    ] {
        assert_eq!(cause(signature), Err(expected), "{signature}");
    }
}

#[test]
fn a_timestamp_is_measured_both_ways() {
    let scheme = Preset::hook0(SECRET).unwrap();
    let signature = format!("{T},{V1}");
    let head = head(&headers(&signature));
    let at = |now| check_at(&scheme, &head, BODY.as_bytes(), now).map(|_| ());
    let seconds = Duration::from_secs;
    assert_eq!(at(signed_at() + seconds(300)), Ok(()));
    assert_eq!(at(signed_at() + seconds(301)), Err("stale"));
    assert_eq!(at(signed_at() - seconds(300)), Ok(()));
    assert_eq!(at(signed_at() - seconds(301)), Err("future"));
}

#[test]
fn the_event_id_names_the_delivery_only_where_it_is_signed() {
    let scheme = Preset::hook0(SECRET).unwrap();
    let of = |parts: &str| names(&scheme, &headers(&format!("{T},{parts}")), BODY);
    let (kind, id, part) = of(V1);
    assert_eq!(
        (kind.as_str(), id),
        ("user.created", Some(("ev 1".into(), true)))
    );
    assert_eq!(part, b"ev 1");
    let (_, id, part) = of(V0);
    assert_eq!(id, Some(("ev 1".into(), false)));
    assert_eq!(part, Sha256::digest(format!("1767225600.{BODY}")).to_vec());
    let (_, id, part) = of(V1_NO_ID);
    assert_eq!(id, Some(("ev 1".into(), false)));
    let signed = format!("1767225600.content-type.application/json.{BODY}");
    assert_eq!(part, Sha256::digest(signed).to_vec());
}

#[test]
fn a_setting_without_a_use_is_refused_and_a_key_is_not_shown() {
    let builder = || Preset::HOOK0.builder().secret(SECRET);
    assert!(
        builder()
            .public_url("https://example.com/")
            .build()
            .is_err()
    );
    let scheme = builder()
        .tolerate_past(Duration::from_secs(1))
        .build()
        .unwrap();
    assert!(!format!("{scheme:?}").contains(SECRET));
    assert_eq!(scheme.name(), "hook0");
}
