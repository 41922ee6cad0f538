use std::sync::{Arc, Mutex};

use http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderName, Method, Request, StatusCode};

use super::*;
use crate::Scheme;
use crate::hmac::{Headers, HmacScheme};
use crate::preset::{Facts, PresetBuilder, Signing};
use crate::testing::SECRET;

const fn sender(handshake: Handshake) -> Facts {
    Facts {
        name: "test",
        title: "Test",
        signing: Signing::Hmac(|| HmacScheme::builder("test", Headers::new("x-signature"))),
        handshake,
        ..Facts::COMMON
    }
}

const ASANA: &Facts = &sender(Handshake::ASANA);
const DISCORD: &Facts = &sender(Handshake::DISCORD);
const DROPBOX: &Facts = &sender(Handshake::DROPBOX);
const META: &Facts = &sender(Handshake::META);
const MICROSOFT_GRAPH: &Facts = &sender(Handshake::MICROSOFT_GRAPH);
const OKTA: &Facts = &sender(Handshake::OKTA);
const PROBE: &Facts = &sender(Handshake::HEAD);
const SLACK: &Facts = &sender(Handshake::SLACK);
const TWITCH: &Facts = &sender(Handshake::TWITCH);
const X: &Facts = &sender(Handshake::X);
const ZOOM: &Facts = &sender(Handshake::ZOOM);

fn builder(facts: &'static Facts) -> PresetBuilder {
    facts.builder().secret(SECRET)
}

fn head(method: Method, uri: &str) -> Parts {
    let request = Request::builder().method(method).uri(uri);
    request.body(()).unwrap().into_parts().0
}

fn with_header(mut head: Parts, name: &'static str, value: &str) -> Parts {
    let name = HeaderName::from_static(name);
    head.headers.append(name, value.parse().unwrap());
    head
}

/// Type and body of an answer that no browser runs.
fn shown(response: Option<Response<Bytes>>) -> Option<(String, String)> {
    let response = response?;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()[X_CONTENT_TYPE_OPTIONS], "nosniff");
    let content_type = response.headers()[CONTENT_TYPE]
        .to_str()
        .unwrap()
        .to_owned();
    let body = String::from_utf8(response.into_body().to_vec()).unwrap();
    Some((content_type, body))
}

fn open(facts: &'static Facts, head: &Parts) -> Option<(String, String)> {
    shown(builder(facts).build().unwrap().open_handshake(head))
}

fn signed(facts: &'static Facts, body: &str) -> Option<(String, String)> {
    let head = head(Method::POST, "/");
    let preset = builder(facts).build().unwrap();
    shown(preset.signed_handshake(0, &head, body.as_bytes()))
}

fn plain(body: &str) -> Option<(String, String)> {
    Some(("text/plain".into(), body.into()))
}

fn json(body: &str) -> Option<(String, String)> {
    Some(("application/json".into(), body.into()))
}

#[test]
fn slack_is_answered_with_the_challenge() {
    let asked = r#"{"token":"t","challenge":"3eZbrw1aB","type":"url_verification"}"#;
    assert_eq!(signed(SLACK, asked), plain("3eZbrw1aB"));
}

#[test]
fn an_event_of_slack_that_holds_a_challenge_is_no_handshake() {
    for event in [
        r#"{"type":"event_callback","challenge":"3eZbrw1aB","event":{"type":"message"}}"#,
        r#"{"type":"event_callback","challenge":"x","event":{"text":"url_verification"}}"#,
        r#"{"type":"url_verification"}"#,
        r#"{"type":"url_verification","type":"event_callback","challenge":"x"}"#,
        r#"[{"type":"url_verification","challenge":"x"}]"#,
        "type=url_verification&challenge=x",
        "",
    ] {
        assert_eq!(signed(SLACK, event), None, "{event}");
    }
}

#[test]
fn zoom_gets_its_token_and_the_hmac_of_it_under_the_key_that_signed() {
    let asked = r#"{"payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"},"event_ts":1654503849680,"event":"endpoint.url_validation"}"#;
    // Made with Python's hmac.
    let under = |key: u32, encrypted: &str| {
        let preset = ZOOM
            .builder()
            .secret(SECRET)
            .secret("zoom-secret-token-0001")
            .build()
            .unwrap();
        let answer = preset.signed_handshake(key, &head(Method::POST, "/"), asked.as_bytes());
        let expected =
            format!(r#"{{"plainToken":"qgg8vlvZRS6UYooatFL8Aw","encryptedToken":"{encrypted}"}}"#);
        assert_eq!(shown(answer), json(&expected));
    };
    under(0, ZOOM_ANSWER);
    under(
        1,
        "4d38b48547a16d68b514aa94630c49d70633d2801f1818a04cca41f9576176a7",
    );
    for event in [
        r#"{"payload":{"plainToken":"x"},"event":"meeting.started"}"#,
        r#"{"payload":{"plainToken":"x","topic":"endpoint.url_validation"},"event":"meeting.started"}"#,
        r#"{"payload":{},"event":"endpoint.url_validation"}"#,
    ] {
        assert_eq!(signed(ZOOM, event), None, "{event}");
    }
}

#[test]
fn twitch_is_answered_with_the_bare_challenge() {
    let preset = builder(TWITCH).build().unwrap();
    let ask = |kind: &str, body: &str| {
        let head = with_header(
            head(Method::POST, "/"),
            "twitch-eventsub-message-type",
            kind,
        );
        shown(preset.signed_handshake(0, &head, body.as_bytes()))
    };
    let asked = r#"{"challenge":"pogchamp-kappa-360noscope-vohiyo","subscription":{"id":"f1c2"}}"#;
    let verification = "webhook_callback_verification";
    assert_eq!(
        ask(verification, asked),
        plain("pogchamp-kappa-360noscope-vohiyo")
    );
    assert_eq!(ask("notification", asked), None);
    // The header is not signed: nobody can make a captured event disappear by it.
    let event = r#"{"subscription":{"id":"f1c2"},"event":{"challenge":"x"}}"#;
    assert_eq!(ask(verification, event), None);
    assert_eq!(signed(TWITCH, asked), None);
}

#[test]
fn discord_is_answered_by_the_type_of_its_ping() {
    assert_eq!(signed(DISCORD, r#"{"type":1}"#), json(r#"{"type":1}"#));
    let ping = r#"{"app_permissions":"0","id":"1","token":"t","type":1,"version":1}"#;
    assert_eq!(signed(DISCORD, ping), json(r#"{"type":1}"#));

    let preset = builder(DISCORD).build().unwrap();
    let ping = br#"{"version":1,"application_id":"1234560123453231555","type":0}"#;
    let answer = preset.signed_handshake(0, &head(Method::POST, "/"), ping);
    let answer = answer.unwrap();
    assert_eq!(answer.status(), StatusCode::NO_CONTENT);
    assert!(answer.body().is_empty() && answer.headers().is_empty());
}

#[test]
fn an_event_of_discord_is_no_ping() {
    for event in [
        r#"{"version":1,"type":1,"event":{"type":"APPLICATION_AUTHORIZED"}}"#,
        r#"{"version":1,"type":1,"\u0065vent":{"type":"APPLICATION_AUTHORIZED"}}"#,
        r#"{"type":2,"data":{"name":"hi"}}"#,
        r#"{"type":"1"}"#,
        r#"{"type":1,"type":2}"#,
        "1",
    ] {
        assert_eq!(signed(DISCORD, event), None, "{event}");
    }
}

#[test]
fn meta_is_answered_where_it_shows_the_token() {
    let preset = builder(META).handshake_token("let-me-in").build().unwrap();
    let ask = |method, uri: &str| shown(preset.open_handshake(&head(method, uri)));
    let good = "/hooks?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=let-me-in";
    assert_eq!(ask(Method::GET, good), plain("1158201444"));
    assert_eq!(ask(Method::POST, good), None);
    for bad in [
        "/?hub.mode=subscribe&hub.challenge=1&hub.verify_token=let-me-i",
        "/?hub.mode=subscribe&hub.challenge=1&hub.verify_token=let-me-inn",
        "/?hub.mode=subscribe&hub.challenge=1&hub.verify_token=",
        "/?hub.mode=subscribe&hub.challenge=1",
        "/?hub.mode=unsubscribe&hub.challenge=1&hub.verify_token=let-me-in",
        "/?hub.mode=subscribe&hub.verify_token=let-me-in",
        "/?hub.mode=subscribe&hub.challenge=%3Cscript%3E&hub.verify_token=let-me-in",
        "/",
    ] {
        assert_eq!(ask(Method::GET, bad), None, "{bad}");
    }
    assert_eq!(
        open(META, &head(Method::GET, good)),
        None,
        "no token is set"
    );
}

#[test]
fn dropbox_is_answered_with_what_it_asks_by() {
    let ask = |uri: &str| open(DROPBOX, &head(Method::GET, uri));
    assert_eq!(ask("/hooks?challenge=aB3_-x"), plain("aB3_-x"));
    assert_eq!(ask("/hooks"), None);
    assert_eq!(open(DROPBOX, &head(Method::POST, "/?challenge=a")), None);
}

#[test]
fn microsoft_graph_is_answered_with_the_decoded_token() {
    let ask = |uri: &str| open(MICROSOFT_GRAPH, &head(Method::POST, uri));
    assert_eq!(
        ask("/?validationToken=Validation%3a+Testing+client+Request-Id%3a+522a8e7e"),
        plain("Validation: Testing client Request-Id: 522a8e7e")
    );
    for never_sent in [
        "/?validationToken=%3Cscript%3Ealert(1)%3C/script%3E",
        "/?validationToken=a%0d%0ab",
        "/?validationToken=%c3%a9",
        "/?validationToken=",
        &format!("/?validationToken={}", "a".repeat(1025)),
        "/",
    ] {
        assert_eq!(ask(never_sent), None, "{never_sent}");
    }
    let get = head(Method::GET, "/?validationToken=a");
    assert_eq!(open(MICROSOFT_GRAPH, &get), None);
}

#[test]
fn okta_is_answered_with_its_challenge() {
    let name = "x-okta-verification-challenge";
    let asked = with_header(head(Method::GET, "/"), name, r#"a"b"#);
    assert_eq!(open(OKTA, &asked), json(r#"{"verification":"a\"b"}"#));
    let twice = with_header(asked, name, "c");
    assert_eq!(open(OKTA, &twice), None);
    let posted = with_header(head(Method::POST, "/"), name, "a");
    assert_eq!(open(OKTA, &posted), None);
    assert_eq!(open(OKTA, &head(Method::GET, "/")), None);
}

#[test]
fn trello_and_intercom_find_that_somebody_is_here() {
    let preset = builder(PROBE).build().unwrap();
    let answer = preset.open_handshake(&head(Method::HEAD, "/")).unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert!(answer.body().is_empty());
    assert!(preset.open_handshake(&head(Method::GET, "/")).is_none());
}

#[test]
fn x_gets_the_hmac_of_its_token() {
    let ask = |uri: &str| open(X, &head(Method::GET, uri));
    // Made with Python's hmac.
    let expected = format!(r#"{{"response_token":"sha256={X_ANSWER}"}}"#);
    assert_eq!(
        ask("/?crc_token=MmQ1YWRl-Zg%3D%3D&nonce=1"),
        json(&expected)
    );
    assert_eq!(open(X, &head(Method::POST, "/?crc_token=a")), None);
}

#[test]
fn x_can_not_be_made_to_sign_a_delivery() {
    for forged in [
        "%7B%22tweet_create_events%22%3A%5B%5D%7D",
        "%5B%5D",
        "%22a%22",
        "1",
        "-1.5e3",
        "true",
        "null",
        "a%20b",
        "",
    ] {
        let uri = format!("/?crc_token={forged}");
        assert_eq!(open(X, &head(Method::GET, &uri)), None, "{forged}");
    }
}

#[test]
fn asana_is_answered_where_its_secret_is_taken() {
    let offered = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&offered);
    let preset = builder(ASANA)
        .adopt_secret(move |secret| {
            let mut seen = seen.lock().unwrap();
            seen.push(secret.to_owned());
            seen.len() == 1
        })
        .build()
        .unwrap();
    let asked = with_header(head(Method::POST, "/"), "x-hook-secret", "b537207f20cb");
    let answer = preset.open_handshake(&asked).unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["x-hook-secret"], "b537207f20cb");
    assert!(answer.headers()["x-hook-secret"].is_sensitive());
    assert!(preset.open_handshake(&asked).is_none(), "taken once");
    assert_eq!(*offered.lock().unwrap(), ["b537207f20cb", "b537207f20cb"]);

    let with_signature = with_header(asked.clone(), "x-hook-signature", "00");
    assert!(preset.open_handshake(&with_signature).is_none());
    let nobody_takes_it = builder(ASANA).build().unwrap();
    assert!(nobody_takes_it.open_handshake(&asked).is_none());
    assert_eq!(offered.lock().unwrap().len(), 2);
}

#[test]
fn a_setting_that_no_handshake_has_a_use_for_is_refused() {
    let message = |builder: PresetBuilder| builder.build().unwrap_err().to_string();
    assert!(message(builder(SLACK).handshake_token("t")).contains("leave handshake_token out"));
    assert!(message(builder(META).handshake_token("")).contains("empty"));
    assert!(message(builder(META).adopt_secret(|_| true)).contains("leave adopt_secret out"));
    assert!(builder(META).handshake_token("t").build().is_ok());
}

#[test]
fn a_sender_without_a_handshake_is_never_answered() {
    let preset = Preset::github(SECRET).unwrap();
    for method in [Method::GET, Method::HEAD, Method::POST] {
        let asked = head(method, "/?challenge=a&validationToken=a&crc_token=a");
        assert!(preset.open_handshake(&asked).is_none());
    }
    let body = br#"{"type":"url_verification","challenge":"x"}"#;
    assert!(
        preset
            .signed_handshake(0, &head(Method::POST, "/"), body)
            .is_none()
    );
}

#[test]
fn the_senders_that_ask_have_their_handshakes() {
    for name in [
        "intercom",
        "meta",
        "microsoft-graph",
        "okta",
        "slack",
        "twitch",
        "whatsapp",
        "x",
        "zoom",
    ] {
        let facts = Facts::named(name).unwrap();
        assert!(facts.handshake().is_some(), "{name}");
    }
    let zoom = Preset::zoom("zoom-secret-token-0001").unwrap();
    let asked = br#"{"payload":{"plainToken":"a"},"event":"endpoint.url_validation"}"#;
    let post = head(Method::POST, "/");
    assert!(zoom.signed_handshake(0, &post, asked).is_some());
}

#[test]
fn who_has_a_handshake_says_so() {
    for facts in [
        ASANA,
        DISCORD,
        DROPBOX,
        META,
        MICROSOFT_GRAPH,
        OKTA,
        PROBE,
        SLACK,
        TWITCH,
        X,
        ZOOM,
    ] {
        assert!(facts.handshake().is_some());
    }
    assert_eq!(Preset::GITHUB.handshake(), None);
}

const ZOOM_ANSWER: &str = "e4b2870788a10fe80c83aeaa7b2e1404e2f6b85b15873204cf08bc2ee6a062b8";
const X_ANSWER: &str = "zQ8jTLn3ayOT4/BaclP9Z3wPpEJrKthNpY633k0gKp4=";
