use crate::hmac::SecretEncoding;
use crate::testing::{SECRET, check, names};
use crate::{ConfigError, Preset};

#[test]
fn each_sender_shows_its_token_in_its_own_place() {
    type Case = (
        &'static str,
        fn(&'static str) -> Result<Preset, ConfigError>,
    );
    let cases: [Case; 3] = [
        ("x-gitlab-token", |secret| Preset::gitlab_token(secret)),
        ("authorization", |secret| Preset::okta(secret)),
        ("x-telegram-bot-api-secret-token", |secret| {
            Preset::telegram(secret)
        }),
    ];
    for (header, preset) in cases {
        let preset = preset(SECRET).unwrap();
        assert!(check(&preset, &[(header, SECRET)], "").is_ok(), "{header}");
        assert_eq!(check(&preset, &[(header, "wrong")], ""), Err("mismatch"));
        assert_eq!(check(&preset, &[], ""), Err("missing_token"));
    }
}

#[test]
fn postmark_wants_user_and_password() {
    let preset = Preset::postmark("user:a long password").unwrap();
    let good = "Basic dXNlcjphIGxvbmcgcGFzc3dvcmQ=";
    assert!(check(&preset, &[("authorization", good)], "").is_ok());
    assert_eq!(
        check(&preset, &[("authorization", "Basic dXNlcjphIGxvbmc=")], ""),
        Err("mismatch")
    );
    let message = Preset::postmark("a password without user")
        .unwrap_err()
        .to_string();
    assert!(message.contains("user:password"), "{message}");
}

#[test]
fn graph_wants_the_client_state_in_every_notification() {
    let preset = Preset::microsoft_graph(SECRET).unwrap();
    let good = format!(r#"{{"id":"1","changeType":"updated","clientState":"{SECRET}"}}"#);
    let body = |items: &[&str]| format!(r#"{{"value":[{}]}}"#, items.join(","));
    assert!(check(&preset, &[], &body(&[&good, &good])).is_ok());
    assert_eq!(
        check(&preset, &[], &body(&[&good, "{}"])),
        Err("missing_token")
    );
    assert_eq!(check(&preset, &[], &body(&[])), Err("missing_token"));
    let (kind, id, _) = names(&preset, &[], &body(&[&good]));
    assert_eq!((kind.as_str(), id), ("updated", None));
}

#[test]
fn telegrams_kind_is_the_field_beside_the_id() {
    let preset = Preset::telegram(SECRET).unwrap();
    let (kind, id, _) = names(
        &preset,
        &[],
        r#"{"update_id":7,"callback_query":{"id":"x"}}"#,
    );
    assert_eq!(
        (kind.as_str(), id),
        ("callback_query", Some(("7".into(), false)))
    );
}

#[test]
fn a_setting_that_a_token_has_no_use_for_is_refused() {
    let builder = || Preset::OKTA.builder().secret(SECRET);
    for (builder, word) in [
        (builder().public_url("https://example.com/"), "URL"),
        (
            builder().tolerate_future(std::time::Duration::ZERO),
            "timestamp",
        ),
        (builder().secret_encoding(SecretEncoding::Hex), "encoding"),
        (Preset::OKTA.builder(), "no token"),
    ] {
        let message = builder.build().unwrap_err().to_string();
        assert!(message.contains(word), "{message}");
    }
}
