use crate::Preset;
use crate::testing::{BODY, SECRET, STRIPE, STRIPE_RETRY, check, names, signed_at};

const SIGNATURE: &str = "stripe-signature";

fn cause(value: &str) -> Result<(), &'static str> {
    check(
        &Preset::stripe(SECRET).unwrap(),
        &[(SIGNATURE, value)],
        BODY,
    )
    .map(|_| ())
}

#[test]
fn a_signed_event_passes_with_its_timestamp() {
    let proof = check(
        &Preset::stripe(SECRET).unwrap(),
        &[(SIGNATURE, STRIPE)],
        BODY,
    )
    .unwrap();
    assert_eq!(proof.timestamp, Some(signed_at()));
    assert_eq!(
        check(
            &Preset::stripe(SECRET).unwrap(),
            &[(SIGNATURE, STRIPE)],
            "{}"
        ),
        Err("mismatch")
    );
}

#[test]
fn a_good_v1_beside_bad_ones_passes_in_any_order() {
    let bad = "de".repeat(32);
    let (t, good) = STRIPE.split_once(',').unwrap();
    for value in [
        format!("{STRIPE},v1=bad_signature"),
        format!("{STRIPE},v1={bad}"),
        format!("{t},v1={bad},{good}"),
        format!("{good},{t},v0={bad}"),
        format!("{t}, {good}"),
    ] {
        assert_eq!(cause(&value), Ok(()), "{value}");
    }
    assert_eq!(cause(&format!("{t},v1={bad},v1={bad}")), Err("mismatch"));
}

#[test]
fn a_good_digest_under_another_version_is_no_signature() {
    assert_eq!(
        cause(&STRIPE.replace("v1=", "v0=")),
        Err("malformed_signature")
    );
}

#[test]
fn junk_has_a_stable_cause() {
    let (_, good) = STRIPE.split_once(',').unwrap();
    for (value, expected) in [
        ("", "missing_signature"),
        ("bad_header", "malformed_signature"),
        ("t", "malformed_signature"),
        (",,", "malformed_signature"),
        ("t,v1=,v0=", "malformed_signature"),
        (good, "missing_timestamp"),
        (&format!("t=,{good}"), "missing_timestamp"),
        (&format!("t=now,{good}"), "malformed_timestamp"),
        (&format!("t=-1,{good}"), "malformed_timestamp"),
        (&format!("t=1,t=2,{good}"), "malformed_timestamp"),
        (
            &format!("t=99999999999999999999,{good}"),
            "malformed_timestamp",
        ),
        (&format!("t=1767225601,{good}"), "mismatch"),
    ] {
        assert_eq!(cause(value), Err(expected), "{value}");
    }
}

#[test]
fn an_event_signed_again_keeps_its_name() {
    let scheme = Preset::stripe(SECRET).unwrap();
    let first = names(&scheme, &[(SIGNATURE, STRIPE)], BODY);
    assert_eq!(first.0, "invoice.paid");
    assert_eq!(first.1, Some(("evt_1".into(), true)));
    assert_eq!(first, names(&scheme, &[(SIGNATURE, STRIPE_RETRY)], BODY));
}

#[test]
fn a_whsec_secret_is_used_as_it_is() {
    assert!(Preset::stripe("whsec_not*base64*at*all").is_ok());
}
