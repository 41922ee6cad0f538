use http::StatusCode;

use crate::testing::{check, names};
use crate::{Preset, Scheme};

const KEY: &str = "000102030405060708090a0b0c0d0e0f";
/// Over `P1::Shop:order:1:1130:EUR:AUTHORISATION:true`.
const FIRST: &str = r#"{"NotificationRequestItem":{"pspReference":"P1","merchantAccountCode":"Shop","merchantReference":"order:1","amount":{"value":1130,"currency":"EUR"},"eventCode":"AUTHORISATION","success":"true","reason":"ok","additionalData":{"hmacSignature":"e5Bkn7tTnXXK8EuUhirviFD7+LaxpFCKzJWR7B4l2hs="}}}"#;
/// Over `P2:P1:Shop::1130:EUR:CAPTURE:true`.
const SECOND: &str = r#"{"NotificationRequestItem":{"pspReference":"P2","originalReference":"P1","merchantAccountCode":"Shop","merchantReference":"","amount":{"value":1130,"currency":"EUR"},"eventCode":"CAPTURE","success":"true","additionalData":{"hmacSignature":"It+aGUxmEGba94S4f+VBtGeZ1WosTyUEy69KlpBAWJQ="}}}"#;

fn body(items: &[&str]) -> String {
    let items = items.join(",");
    format!(r#"{{"live":"false","notificationItems":[{items}]}}"#)
}

fn cause(body: &str) -> Result<(), &'static str> {
    check(&Preset::adyen(KEY).unwrap(), &[], body).map(|_| ())
}

#[test]
fn every_item_has_to_be_signed_and_one_has_to_be_there() {
    assert_eq!(cause(&body(&[FIRST])), Ok(()));
    assert_eq!(cause(&body(&[FIRST, SECOND])), Ok(()));
    let forged = SECOND.replace("1130", "1");
    assert_eq!(cause(&body(&[FIRST, &forged])), Err("mismatch"));
    assert_eq!(cause(&body(&[&forged, FIRST])), Err("mismatch"));
    let bare = SECOND.replace("hmacSignature", "x");
    assert_eq!(cause(&body(&[FIRST, &bare])), Err("missing_signature"));
    assert_eq!(cause(&body(&[])), Err("missing_signature"));
}

#[test]
fn what_can_be_read_in_two_ways_is_malformed() {
    let moved = FIRST.replace(r#""Shop""#, r#""Shop:order""#);
    let moved = moved.replace("order:1", "1");
    assert_eq!(cause(&body(&[&moved])), Err("malformed_body"));
    let twice = FIRST.replace(r#""eventCode""#, r#""eventCode":"REFUND","eventCode""#);
    assert_eq!(cause(&body(&[&twice])), Err("malformed_body"));
    for text in ["", "{}", "live=false", FIRST] {
        assert_eq!(cause(text), Err("malformed_body"), "{text:?}");
    }
    let junk = FIRST.replace("e5Bkn7", "e5 kn7");
    assert_eq!(cause(&body(&[&junk])), Err("malformed_signature"));
}

#[test]
fn the_second_secret_is_tried_and_named() {
    let scheme = Preset::ADYEN
        .builder()
        .named_secret("new", KEY.replace("00", "ff"))
        .named_secret("old", KEY)
        .build()
        .unwrap();
    let proof = check(&scheme, &[], &body(&[FIRST, SECOND])).unwrap();
    assert_eq!(&*scheme.key_id(proof.key), "old");
    assert!(!format!("{scheme:?}").contains("0a0b"));
}

#[test]
fn what_is_signed_names_the_notification_and_what_is_not_does_not() {
    let scheme = Preset::adyen(KEY).unwrap();
    let of = |items: &[&str]| names(&scheme, &[], &body(items));
    let (kind, id, part) = of(&[FIRST]);
    assert_eq!((kind.as_str(), id), ("AUTHORISATION", None));
    let unsigned = FIRST.replace(r#""ok""#, r#""no""#);
    assert_eq!(of(&[&unsigned]).2, part);
    assert_ne!(of(&[SECOND]).2, part);
    assert_ne!(of(&[FIRST, SECOND]).2, of(&[SECOND, FIRST]).2);
}

#[test]
fn adyen_is_answered_as_it_wants() {
    let success = Preset::adyen(KEY).unwrap().success();
    assert_eq!(
        (success.status(), success.body()),
        (StatusCode::OK, "[accepted]")
    );
}

#[test]
fn a_setting_without_a_use_is_refused() {
    for bad in ["", "not hex", "00ff", " 000102030405060708090a0b0c0d0e0f"] {
        assert!(Preset::adyen(bad).is_err(), "{bad:?}");
    }
    let builder = || Preset::ADYEN.builder().secret(KEY);
    assert!(
        builder()
            .public_url("https://example.com/")
            .build()
            .is_err()
    );
    assert!(
        builder()
            .tolerate_past(std::time::Duration::ZERO)
            .build()
            .is_err()
    );
}
