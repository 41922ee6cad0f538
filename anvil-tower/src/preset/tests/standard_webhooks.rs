use crate::Preset;
use crate::testing::{BODY, STANDARD, WHSEC, check, names, signed_at};

const TIMESTAMP: &str = "1767225600";

fn headers(signature: &str) -> [(&str, &str); 3] {
    [
        ("webhook-id", "msg_1"),
        ("webhook-timestamp", TIMESTAMP),
        ("webhook-signature", signature),
    ]
}

fn cause(headers: &[(&str, &str)]) -> Result<(), &'static str> {
    check(&Preset::standard_webhooks(WHSEC).unwrap(), headers, BODY).map(|_| ())
}

#[test]
fn a_signed_message_passes_under_either_family_of_names() {
    assert_eq!(cause(&headers(STANDARD)), Ok(()));
    let svix = [
        ("svix-id", "msg_1"),
        ("svix-timestamp", TIMESTAMP),
        ("svix-signature", STANDARD),
    ];
    assert_eq!(cause(&svix), Ok(()));
    let proof = check(&Preset::standard_webhooks(WHSEC).unwrap(), &svix, BODY).unwrap();
    assert_eq!(proof.timestamp, Some(signed_at()));
}

#[test]
fn the_families_are_not_mixed() {
    let mixed = [
        ("svix-id", "msg_1"),
        ("webhook-timestamp", TIMESTAMP),
        ("webhook-signature", STANDARD),
    ];
    assert_eq!(cause(&mixed), Err("missing_id"));
}

#[test]
fn a_good_v1_is_found_among_other_signatures() {
    let other = format!("v1,{}=", "A".repeat(43));
    assert_eq!(
        cause(&headers(&format!("{other} v1a,AAAA {STANDARD} v2,x"))),
        Ok(())
    );
    assert_eq!(
        cause(&headers(&format!("{other} {other}"))),
        Err("mismatch")
    );
    for tag in ["v2,", "v1a,", "v1", "V1,", ""] {
        let wrong = STANDARD.replace("v1,", tag);
        assert_eq!(
            cause(&headers(&wrong)),
            Err("malformed_signature"),
            "{wrong}"
        );
    }
}

#[test]
fn junk_has_a_stable_cause() {
    for (signature, expected) in [
        ("", "missing_signature"),
        ("v1,", "malformed_signature"),
        ("v1,a8tpb", "malformed_signature"),
        ("v1,dawfeoifkpqwoekfpqoekf", "malformed_signature"),
        (&STANDARD[..STANDARD.len() - 1], "malformed_signature"),
    ] {
        assert_eq!(cause(&headers(signature)), Err(expected), "{signature}");
    }
    for missing in 0..3 {
        let mut kept = headers(STANDARD).to_vec();
        kept.remove(missing);
        let expected = ["missing_id", "missing_timestamp", "missing_signature"][missing];
        assert_eq!(cause(&kept), Err(expected));
    }
}

#[test]
fn id_and_timestamp_are_signed_and_must_be_unambiguous() {
    for (name, value, expected) in [
        ("webhook-id", "msg_2", "mismatch"),
        ("webhook-timestamp", "1767225601", "mismatch"),
        ("webhook-timestamp", "soon", "malformed_timestamp"),
    ] {
        let changed = headers(STANDARD).map(|(n, v)| (n, if n == name { value } else { v }));
        assert_eq!(cause(&changed), Err(expected));
        let mut added = headers(STANDARD).to_vec();
        added.push((name, value));
        assert_eq!(cause(&added), Err("conflicting_headers"));
    }
}

#[test]
fn the_signed_id_names_the_message() {
    let (kind, id, part) = names(
        &Preset::standard_webhooks(WHSEC).unwrap(),
        &headers(STANDARD),
        BODY,
    );
    assert_eq!(kind, "invoice.paid");
    assert_eq!(id, Some(("msg_1".into(), true)));
    assert_eq!(part, b"msg_1");
}

#[test]
fn a_secret_is_decoded_and_an_undecodable_one_refused() {
    let bare = WHSEC.strip_prefix("whsec_").unwrap();
    assert!(
        check(
            &Preset::standard_webhooks(bare).unwrap(),
            &headers(STANDARD),
            BODY
        )
        .is_ok()
    );
    for bad in ["whsec_***", "v1,whsec_AAAA", "whpk_AAAA"] {
        let message = Preset::standard_webhooks(bad).unwrap_err().to_string();
        assert!(
            message.contains("whsec_") && !message.contains(bad),
            "{message}"
        );
    }
}
