use crate::Preset;
use std::time::Duration;

use crate::testing::{
    SECRET, SLACK, SLACK_BODY, SLACK_FORM, SLACK_FORM_SIGNATURE, check, check_at, head, names,
    signed_at,
};
use sha2::{Digest, Sha256};

fn headers(signature: &str) -> [(&str, &str); 2] {
    [
        ("x-slack-signature", signature),
        ("x-slack-request-timestamp", "1767225600"),
    ]
}

#[test]
fn events_and_forms_pass_and_changed_ones_do_not() {
    let scheme = Preset::slack(SECRET).unwrap();
    assert!(check(&scheme, &headers(SLACK), SLACK_BODY).is_ok());
    assert!(check(&scheme, &headers(SLACK_FORM_SIGNATURE), SLACK_FORM).is_ok());
    assert_eq!(check(&scheme, &headers(SLACK), SLACK_FORM), Err("mismatch"));
    assert_eq!(
        check(&scheme, &headers("v0="), SLACK_FORM),
        Err("malformed_signature")
    );
    assert_eq!(
        check(&scheme, &headers("v1=00"), SLACK_FORM),
        Err("malformed_signature")
    );
    assert_eq!(
        check(&scheme, &headers("")[..1], SLACK_FORM),
        Err("missing_signature")
    );
    assert_eq!(
        check(&scheme, &headers(SLACK)[..1], SLACK_BODY),
        Err("missing_timestamp")
    );
    assert_eq!(
        check(&scheme, &headers(SLACK)[1..], SLACK_BODY),
        Err("missing_signature")
    );
}

#[test]
fn five_minutes_are_fresh_and_a_second_more_is_stale() {
    let scheme = Preset::slack(SECRET).unwrap();
    let at = |seconds| {
        let now = signed_at() + Duration::from_secs(seconds);
        check_at(&scheme, &head(&headers(SLACK)), SLACK_BODY.as_bytes(), now)
    };
    assert!(at(300).is_ok());
    assert_eq!(at(301), Err("stale"));
}

#[test]
fn an_event_is_named_by_its_id_and_a_form_by_what_was_signed() {
    let scheme = Preset::slack(SECRET).unwrap();
    let (kind, id, part) = names(&scheme, &headers(SLACK), SLACK_BODY);
    assert_eq!((kind.as_str(), id), ("message", Some(("Ev1".into(), true))));
    assert_eq!(part, b"Ev1");
    let (kind, id, part) = names(&scheme, &headers(SLACK_FORM_SIGNATURE), SLACK_FORM);
    assert_eq!((kind.as_str(), id), ("webhook", None));
    assert_eq!(
        part,
        Sha256::digest(format!("v0:1767225600:{SLACK_FORM}")).to_vec()
    );
}
