use crate::Preset;
use crate::testing::{SECRET, check, names};

const TOKEN: &str = "7VwW7k6Ak7zcTwoSoNm7aTtbk1g67MKAnsvectors000000001";
/// Over `1767225600` and the token.
const SIGNATURE: &str = "2b3d4f2b77cd5221dcf0e8ac267f83fd143f55ad275e249a2a8f97e8e5960694";
const PARENT: &str = "the key of the main account";
const PARENT_SIGNATURE: &str = "8df2efe426d27d501d0f759d4191c279c042cfd23a5ec858adfb35eba51d76f1";
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

fn json(timestamp: &str, token: &str, signature: &str) -> String {
    format!(
        r#"{{"signature":{{"timestamp":{timestamp},"token":"{token}","signature":"{signature}"}},"event-data":{{"event":"delivered","id":"1"}}}}"#
    )
}

fn cause(body: &str) -> Result<(), &'static str> {
    check(&Preset::mailgun(SECRET).unwrap(), &[], body).map(|_| ())
}

#[test]
fn the_signature_is_read_from_json_or_a_form() {
    assert_eq!(cause(&json("\"1767225600\"", TOKEN, SIGNATURE)), Ok(()));
    assert_eq!(cause(&json("1767225600", TOKEN, SIGNATURE)), Ok(()));
    let form = format!("timestamp=1767225600&token={TOKEN}&signature={SIGNATURE}&event=stored");
    let scheme = Preset::mailgun(SECRET).unwrap();
    assert!(check(&scheme, &[FORM], &form).is_ok());
    assert_eq!(cause(&form), Err("missing_signature"));
    let twice = format!("{form}&timestamp=1767225601");
    assert_eq!(check(&scheme, &[FORM], &twice), Err("missing_timestamp"));
    let (kind, id, _) = names(&scheme, &[FORM], &form);
    assert_eq!((kind.as_str(), id), ("stored", Some((TOKEN.into(), true))));
    let (kind, id, part) = names(&scheme, &[], &json("1767225600", TOKEN, SIGNATURE));
    assert_eq!(
        (kind.as_str(), id),
        ("delivered", Some((TOKEN.into(), true)))
    );
    assert_eq!(part, TOKEN.as_bytes());
}

#[test]
fn the_payload_is_not_signed_and_another_one_has_the_same_name() {
    let good = json("1767225600", TOKEN, SIGNATURE);
    let other = good.replace("delivered", "opened");
    assert_eq!(cause(&other), Ok(()));
    let scheme = Preset::mailgun(SECRET).unwrap();
    assert_eq!(names(&scheme, &[], &good).2, names(&scheme, &[], &other).2);
}

#[test]
fn an_event_of_a_subaccount_is_proved_by_the_key_of_the_account_as_well() {
    let both = json("1767225600", TOKEN, SIGNATURE).replace(
        r#""signature":""#,
        &format!(r#""parent-signature":"{PARENT_SIGNATURE}","signature":""#),
    );
    for secret in [SECRET, PARENT] {
        let scheme = Preset::mailgun(secret).unwrap();
        assert!(check(&scheme, &[], &both).is_ok());
    }
    let scheme = Preset::mailgun("the key of somebody else").unwrap();
    assert_eq!(check(&scheme, &[], &both), Err("mismatch"));
}

#[test]
fn a_digit_that_moves_between_timestamp_and_token_is_refused_at_any_tolerance() {
    // Over `1767225600` and `5abc`.
    let signature = "cdfe0e970438daba2010e2140d26b9f2675b054bd10b977b151575fd71eab6e4";
    let scheme = Preset::MAILGUN
        .builder()
        .secret(SECRET)
        .tolerate_past(std::time::Duration::MAX)
        .tolerate_future(std::time::Duration::MAX)
        .build()
        .unwrap();
    let cause =
        |timestamp, token| check(&scheme, &[], &json(timestamp, token, signature)).map(|_| ());
    assert_eq!(cause("1767225600", "5abc"), Ok(()));
    assert_eq!(cause("17672256005", "abc"), Err("malformed_timestamp"));
    assert_eq!(cause("176722560", "05abc"), Err("malformed_timestamp"));
}

#[test]
fn what_lacks_a_part_has_a_stable_cause() {
    for (body, expected) in [
        (json("1767225600", "", SIGNATURE), "missing_id"),
        (json("\"\"", TOKEN, SIGNATURE), "missing_timestamp"),
        (
            json("\"176722560x\"", TOKEN, SIGNATURE),
            "malformed_timestamp",
        ),
        (json("1767225600", TOKEN, ""), "missing_signature"),
        (json("1767225600", TOKEN, "zz"), "malformed_signature"),
        (json("1767225601", TOKEN, SIGNATURE), "mismatch"),
        (String::new(), "missing_signature"),
    ] {
        assert_eq!(cause(&body), Err(expected), "{body}");
    }
}

#[test]
fn a_public_url_is_refused() {
    let builder = Preset::MAILGUN.builder().secret(SECRET);
    let message = builder
        .public_url("https://example.com/")
        .build()
        .unwrap_err()
        .to_string();
    assert!(message.contains("URL"), "{message}");
}
