use crate::testing::{BODY, GITHUB, GITHUB_SHA1, SECRET, check, names};
use crate::{Preset, Scheme};
use sha2::{Digest, Sha256};

const SIGNATURE: &str = "x-hub-signature-256";

#[test]
fn a_signed_body_passes_and_a_changed_one_does_not() {
    let scheme = Preset::github(SECRET).unwrap();
    assert!(check(&scheme, &[(SIGNATURE, GITHUB)], BODY).is_ok());
    assert!(
        check(
            &scheme,
            &[("X-Hub-Signature-256", &GITHUB.replace("31e4", "31E4"))],
            BODY
        )
        .is_ok()
    );
    assert_eq!(
        check(&scheme, &[(SIGNATURE, GITHUB)], "{}"),
        Err("mismatch")
    );
}

#[test]
fn junk_has_a_stable_cause() {
    let scheme = Preset::github(SECRET).unwrap();
    let bare = GITHUB.strip_prefix("sha256=").unwrap();
    let twice = format!("{GITHUB},{GITHUB}");
    for (value, cause) in [
        ("", "missing_signature"),
        ("foo", "malformed_signature"),
        (bare, "malformed_signature"),
        (&twice, "malformed_signature"),
        (&GITHUB[..GITHUB.len() - 1], "malformed_signature"),
        ("sha256=", "malformed_signature"),
        (GITHUB_SHA1, "malformed_signature"),
        (
            "sha256=156404ad5f721c53151147f3d3d302329f95a3ab",
            "malformed_signature",
        ),
    ] {
        assert_eq!(
            check(&scheme, &[(SIGNATURE, value)], BODY),
            Err(cause),
            "{value}"
        );
    }
    assert_eq!(check(&scheme, &[], BODY), Err("missing_signature"));
}

#[test]
fn two_different_signatures_are_refused_and_two_equal_ones_are_not() {
    let scheme = Preset::github(SECRET).unwrap();
    let other = GITHUB.replace("31e4", "41e4");
    let conflicting = [(SIGNATURE, GITHUB), (SIGNATURE, &*other)];
    assert_eq!(
        check(&scheme, &conflicting, BODY),
        Err("conflicting_headers")
    );
    assert!(check(&scheme, &[(SIGNATURE, GITHUB), (SIGNATURE, GITHUB)], BODY).is_ok());
}

#[test]
fn sha_1_is_taken_only_where_it_was_asked_for() {
    let header = [("x-hub-signature", GITHUB_SHA1)];
    assert_eq!(
        check(&Preset::github(SECRET).unwrap(), &header, BODY),
        Err("missing_signature")
    );
    let legacy = Preset::github_sha1(SECRET).unwrap();
    assert!(check(&legacy, &header, BODY).is_ok());
    assert_eq!(
        check(&legacy, &[(SIGNATURE, GITHUB)], BODY),
        Err("missing_signature")
    );
}

#[test]
fn the_unsigned_delivery_id_is_shown_and_does_not_name_the_delivery() {
    let headers = [
        (SIGNATURE, GITHUB),
        ("x-github-delivery", "72d3162e"),
        ("x-github-event", "push"),
    ];
    let (kind, id, part) = names(&Preset::github(SECRET).unwrap(), &headers, BODY);
    assert_eq!(kind, "push");
    assert_eq!(id, Some(("72d3162e".into(), false)));
    assert_eq!(part, Sha256::digest(BODY).to_vec());
}

#[test]
fn large_payloads_are_taken_as_documented() {
    assert_eq!(
        Preset::github(SECRET).unwrap().body_limit(),
        25 * 1024 * 1024
    );
}
