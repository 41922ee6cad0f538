//! Signed requests that another implementation made, and junk.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{env, fs};

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use http::request::Parts;
use http::{Request, StatusCode};
use serde_json::Value;
use x509_cert::der::Encode;

use crate::preset::{PresetBuilder, SubscriptionConfirmation};
use crate::public_key::{KeySource, KeySourceError};
use crate::testing::head;
use crate::{Decision, Preset, Proof, Rejection, Scheme, Verified};

const SENDERS: [&str; 6] = [
    "aws-sns",
    "discord",
    "paypal",
    "plaid",
    "sendgrid",
    "standard-webhooks",
];

#[tokio::test]
async fn the_vectors_of_the_project_get_their_verdicts() {
    for sender in SENDERS {
        let run = check_file(&own(sender)).await;
        assert!(run.0 >= 5 && run.1 >= 5, "{sender}: {run:?}");
    }
}

#[tokio::test]
async fn the_vectors_that_the_environment_names_get_their_verdicts() {
    if let Some(path) = env::var_os("ANVIL_VECTORS") {
        let run = check_file(Path::new(&path)).await;
        assert!(run.0 > 0 && run.1 > 0, "{run:?}");
    }
}

/// Good and bad records that got their verdicts.
async fn check_file(path: &Path) -> (usize, usize) {
    let mut run = (0, 0);
    let mut wrong = Vec::new();
    for record in records(path) {
        let sender = text(&record, "provider");
        let secret = text(&record, "secret");
        let is_shared = sender == "standard-webhooks" && !secret.starts_with("whpk_");
        if !SENDERS.contains(&sender) || is_shared {
            continue;
        }
        let preset = preset(&record).build().unwrap();
        let found = decide(&preset, &record).await;
        let name = format!("{sender}: {}", text(&record, "name"));
        match (&found, text(&record, "expect")) {
            (Ok(_), "valid") => {
                run.0 += 1;
                check_names(&preset, &record, &name);
            }
            (Err(rejection), "invalid") => {
                run.1 += 1;
                assert!(rejection.status().is_client_error(), "{name}: {rejection}");
            }
            _ => wrong.push(format!("{name}: {found:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    run
}

fn check_names(preset: &Preset, record: &Value, name: &str) {
    if record.get("id_signed").is_none() {
        return;
    }
    let identity = preset.identify(&parts(record), &body(record));
    let verified = Verified::assumed("source", identity);
    let kind = record["kind"].as_str().unwrap_or("webhook");
    assert_eq!(verified.kind(), kind, "{name}");
    let id = verified.delivery_id().map(|id| id.as_str());
    assert_eq!(id, record["id"].as_str(), "{name}");
}

fn own(sender: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors");
    folder.join(format!("{sender}.json"))
}

fn records(path: &Path) -> Vec<Value> {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn first(sender: &str) -> Value {
    let mut records = records(&own(sender)).into_iter();
    let is_first = |record: &Value| {
        sender != "standard-webhooks" || text(record, "secret").starts_with("whpk_")
    };
    records.find(is_first).unwrap()
}

fn text<'r>(record: &'r Value, name: &str) -> &'r str {
    record[name].as_str().unwrap_or_default()
}

fn body(record: &Value) -> Bytes {
    match record.get("body_base64") {
        Some(base64) => STANDARD.decode(base64.as_str().unwrap()).unwrap().into(),
        None => text(record, "body_utf8").to_owned().into(),
    }
}

fn parts(record: &Value) -> Parts {
    let mut request = Request::post("/hooks");
    for (name, value) in record["headers"].as_object().unwrap() {
        let values = match value {
            Value::Array(values) => values.clone(),
            value => vec![value.clone()],
        };
        for value in values {
            request = request.header(name, value.as_str().unwrap());
        }
    }
    request.body(()).unwrap().into_parts().0
}

fn now(record: &Value) -> SystemTime {
    let at = match (record["now_unix"].as_u64(), text(record, "provider")) {
        (Some(at), _) => at,
        // While Amazon's certificate was valid.
        (None, "aws-sns") => 1_659_043_450,
        (None, _) => 1_767_225_600,
    };
    UNIX_EPOCH + Duration::from_secs(at)
}

fn preset(record: &Value) -> PresetBuilder {
    let sender = text(record, "provider");
    let mut builder = crate::preset::Facts::named(sender).unwrap().builder();
    if record["now_unix"].is_null() && sender == "sendgrid" {
        builder = builder.tolerate_past(Duration::MAX);
    }
    match sender {
        "aws-sns" => builder = builder.insecure_any_topic(),
        "paypal" => builder = builder.webhook_id(text(record, "webhook_id")),
        _ => {}
    }
    if let Some(certificates) = record["certificates"].as_object() {
        let found = certificates
            .iter()
            .map(|(url, pem)| (url.clone(), pem.as_str().unwrap().to_owned()));
        return builder.key_source(Keys::of(found));
    }
    if let Some(keys) = record["keys"].as_object() {
        for (id, key) in keys {
            builder = builder.key(id, key.to_string());
        }
        return builder;
    }
    let secret = text(record, "secret");
    match text(record, "secret_encoding") {
        "pem_x509" => {
            let message: Value = serde_json::from_slice(&body(record)).unwrap();
            let url = text(&message, "SigningCertURL").to_owned();
            builder.key_source(Keys::of([(url, secret.to_owned())]))
        }
        "pem_rsa_public" => {
            let url = text(&record["headers"], "PAYPAL-CERT-URL").to_owned();
            builder.key_source(Keys::of([(url, certificate_of(secret))]))
        }
        "jwk_es256_public" => builder.key("kid-0001", secret),
        _ => match record["secrets"].as_array() {
            Some(secrets) => secrets.iter().fold(builder, |builder, secret| {
                builder.secret(secret.as_str().unwrap())
            }),
            None => builder.secret(secret),
        },
    }
}

/// A certificate with this key: another one, cut open.
fn certificate_of(public_key: &str) -> String {
    let pem = first("paypal")["certificates"]
        .as_object()
        .and_then(|all| all.values().next()?.as_str().map(str::to_owned))
        .unwrap();
    let certificate = &x509_cert::Certificate::load_pem_chain(pem.as_bytes()).unwrap()[0];
    let key = certificate.tbs_certificate().subject_public_key_info();
    let old = key.to_der().unwrap();
    let base64: String = public_key
        .lines()
        .filter(|line| !line.starts_with('-'))
        .collect();
    let new = STANDARD.decode(base64).unwrap();
    assert_eq!(old.len(), new.len());
    let mut der = certificate.to_der().unwrap();
    let at = der.windows(old.len()).position(|part| part == old).unwrap();
    der[at..at + new.len()].copy_from_slice(&new);
    format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        lines(&STANDARD.encode(der))
    )
}

fn lines(text: &str) -> String {
    let lines: Vec<_> = text
        .as_bytes()
        .chunks(64)
        .map(|line| str::from_utf8(line).unwrap())
        .collect();
    lines.join("\n")
}

/// A source with these keys. It is never asked for a name that is not the sender's.
struct Keys(HashMap<String, String>);

impl Keys {
    fn of(keys: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(keys.into_iter().collect())
    }
}

#[async_trait]
impl KeySource for Keys {
    async fn key(&self, name: &str) -> Result<Option<Bytes>, KeySourceError> {
        let host = name
            .strip_prefix("https://")
            .unwrap()
            .split('/')
            .next()
            .unwrap();
        assert!(
            host.ends_with(".paypal.com")
                || host.starts_with("sns.") && host.contains(".amazonaws.com"),
            "{name}"
        );
        Ok(self
            .0
            .get(name)
            .map(|key| Bytes::copy_from_slice(key.as_bytes())))
    }
}

async fn decide(preset: &Preset, record: &Value) -> Result<Proof, Rejection> {
    judge(preset, &parts(record), &body(record), now(record)).await
}

async fn judge(
    preset: &Preset,
    head: &Parts,
    body: &Bytes,
    now: SystemTime,
) -> Result<Proof, Rejection> {
    let mut check = preset.begin(head, now)?;
    check.update(body);
    match check.finish(body) {
        Decision::Made(decided) => decided,
        Decision::Pending(decision) => decision.await,
    }
}

async fn cause_with(record: &Value, header: &str, value: &str) -> &'static str {
    let mut record = record.clone();
    record["headers"][header] = value.into();
    let preset = preset(&record).build().unwrap();
    match decide(&preset, &record).await {
        Ok(_) => "valid",
        Err(rejection) => {
            assert!(rejection.status().is_client_error(), "{rejection}");
            rejection.cause()
        }
    }
}

#[tokio::test]
async fn junk_signatures_have_a_stable_cause() {
    let huge = "A".repeat(100_000);
    for (sender, header) in [
        ("discord", "X-Signature-Ed25519"),
        ("sendgrid", "X-Twilio-Email-Event-Webhook-Signature"),
        ("standard-webhooks", "webhook-signature"),
    ] {
        let record = first(sender);
        for junk in [
            "x",
            "v1a,",
            "!!!!",
            "00",
            "MAA=",
            "MAYCAQACAQA=",
            "MAYCAQECAQA=",
            &huge,
            &format!("v1a,{huge}"),
        ] {
            assert_eq!(
                cause_with(&record, header, junk).await,
                "malformed_signature",
                "{sender}"
            );
        }
    }
    let record = first("standard-webhooks");
    let many = "v1a,AAAA ".repeat(9);
    assert_eq!(
        cause_with(&record, "webhook-signature", &many).await,
        "too_many_signatures"
    );
    let record = first("paypal");
    for junk in ["!", "AA", &huge] {
        assert_eq!(
            cause_with(&record, "PAYPAL-TRANSMISSION-SIG", junk).await,
            "malformed_signature"
        );
    }
    for junk in [
        "AAAA",
        &STANDARD.encode([0; 256]),
        &STANDARD.encode([255; 256]),
        &STANDARD.encode([1; 512]),
    ] {
        assert_eq!(
            cause_with(&record, "PAYPAL-TRANSMISSION-SIG", junk).await,
            "mismatch"
        );
    }
}

#[tokio::test]
async fn a_certificate_on_a_foreign_host_is_never_asked_for() {
    let record = first("paypal");
    for url in [
        "https://user@api.paypal.com/a",
        "https://api.paypal.com:443/a",
        "https://API.paypal.com/a",
        "http://api.paypal.com/a",
        "https://api.paypal.com.example.net/a",
        "https://api.p\u{430}ypal.com/a",
        "https://xn--pypal-4ve.com/a",
        "https://api.paypal.com",
        "https://api.paypal.com/a?b",
        "ftp://api.paypal.com/a",
        "api.paypal.com/a",
    ] {
        assert_eq!(
            cause_with(&record, "PAYPAL-CERT-URL", url).await,
            "foreign_key",
            "{url}"
        );
    }
    let unknown = "https://api.paypal.com/v1/none";
    assert_eq!(
        cause_with(&record, "PAYPAL-CERT-URL", unknown).await,
        "unknown_key"
    );
}

#[tokio::test]
async fn a_token_that_is_no_es256_is_refused_before_a_key_is_asked_for() {
    let record = first("plaid");
    let good = text(&record["headers"], "Plaid-Verification").to_owned();
    let (_, rest) = good.split_once('.').unwrap();
    let with_head = |head: &str| format!("{}.{rest}", URL_SAFE_NO_PAD.encode(head));
    for (token, expected) in [
        (
            with_head(r#"{"alg":"none","kid":"a"}"#),
            "unknown_algorithm",
        ),
        (
            with_head(r#"{"alg":"HS256","kid":"a"}"#),
            "unknown_algorithm",
        ),
        (
            with_head(r#"{"alg":"es256","kid":"a"}"#),
            "unknown_algorithm",
        ),
        (
            with_head(r#"{"alg":"ES256","kid":"a","crit":["b64"]}"#),
            "unknown_algorithm",
        ),
        (
            with_head(r#"{"alg":"none","alg":"ES256","kid":"a"}"#),
            "malformed_signature",
        ),
        (with_head(r#"{"alg":"ES256"}"#), "malformed_signature"),
        (
            with_head(r#"{"alg":"ES256","kid":""}"#),
            "malformed_signature",
        ),
        (
            with_head(r#"{"alg":"ES256","kid":1}"#),
            "malformed_signature",
        ),
        (
            with_head(&format!(r#"{{"alg":"ES256","kid":"{}"}}"#, "a".repeat(300))),
            "malformed_signature",
        ),
        (
            with_head(r#"{"alg":"ES256","kid":"nobody"}"#),
            "unknown_key",
        ),
        ("...".to_owned(), "malformed_signature"),
        ("a".repeat(9000), "malformed_signature"),
        (format!("{good}="), "malformed_signature"),
    ] {
        assert_eq!(
            cause_with(&record, "Plaid-Verification", &token).await,
            expected,
            "{token:.60}"
        );
    }
}

#[tokio::test]
async fn a_source_that_fails_asks_for_the_delivery_again() {
    struct Broken;
    #[async_trait]
    impl KeySource for Broken {
        async fn key(&self, _name: &str) -> Result<Option<Bytes>, KeySourceError> {
            Err("no route".into())
        }
    }
    let webhook = text(&first("paypal"), "webhook_id").to_owned();
    let topic = "arn:aws:sns:eu-central-1:123456789012:vectors";
    for (preset, sender) in [
        (Preset::paypal(webhook, Broken), "paypal"),
        (Preset::aws_sns(topic, Broken), "aws-sns"),
        (Preset::plaid(Arc::new(Broken)), "plaid"),
    ] {
        let rejection = decide(&preset.unwrap(), &first(sender)).await.unwrap_err();
        assert_eq!(rejection.cause(), "key_unavailable");
        assert_eq!(rejection.status(), StatusCode::SERVICE_UNAVAILABLE);
    }
}

#[tokio::test]
async fn a_certificate_or_key_out_of_its_time_is_told_after_it_matched() {
    for sender in ["paypal", "aws-sns"] {
        let record = first(sender);
        let preset = preset(&record).build().unwrap();
        for (year, expected) in [
            (2019_u64, "early_certificate"),
            (2041, "expired_certificate"),
        ] {
            let now = UNIX_EPOCH + Duration::from_secs((year - 1970) * 31_557_600);
            let found = judge(&preset, &parts(&record), &body(&record), now).await;
            assert_eq!(found.unwrap_err().cause(), expected, "{sender}");
        }
    }
    let record = first("plaid");
    let (kid, key) = record["keys"].as_object().unwrap().iter().next().unwrap();
    let mut key = key.clone();
    for (expired_at, expected) in [(1_790_000_000_u64, Err("expired")), (1_790_000_001, Ok(()))] {
        key["expired_at"] = expired_at.into();
        let answer = format!(r#"{{"key":{key},"request_id":"1"}}"#);
        let preset = Preset::PLAID.builder().key(kid, answer).build().unwrap();
        let found = decide(&preset, &record).await.map(|_| ());
        assert_eq!(found.map_err(|rejection| rejection.cause()), expected);
    }
}

#[tokio::test]
async fn messages_of_another_topic_are_refused_though_amazon_signed_them() {
    let record = first("aws-sns");
    for (topic, expected) in [
        ("arn:aws:sns:eu-central-1:123456789012:vectors", "valid"),
        (
            "arn:aws:sns:eu-central-1:123456789012:vector",
            "foreign_topic",
        ),
    ] {
        let pem = record["certificates"].as_object().unwrap();
        let (url, pem) = pem.iter().next().unwrap();
        let builder = Preset::AWS_SNS.builder().topic(topic);
        let preset = builder
            .certificate(url, pem.as_str().unwrap())
            .build()
            .unwrap();
        let found = decide(&preset, &record).await;
        assert_eq!(
            found.map_or_else(|rejection| rejection.cause(), |_| "valid"),
            expected
        );
    }
}

#[tokio::test]
async fn signed_fields_of_a_message_can_not_be_cut_in_another_way() {
    let signed = records(&own("aws-sns"))
        .into_iter()
        .find(|record| text(record, "name") == "a message of several lines")
        .unwrap();
    let mut message: Value = serde_json::from_str(text(&signed, "body_utf8")).unwrap();
    let id = text(&message, "MessageId").to_owned();
    message["Message"] = "two".into();
    message["MessageId"] = format!("lines\nType\nNotification\nMessageId\n{id}").into();
    let preset = preset(&signed).build().unwrap();
    let found = judge(
        &preset,
        &parts(&signed),
        &message.to_string().into(),
        now(&signed),
    )
    .await;
    assert_eq!(found.unwrap_err().cause(), "malformed_body");
}

#[test]
fn a_subscribe_url_is_given_only_where_it_is_amazons() {
    let confirmation = |kind: &str, url: &str| {
        let body = format!(r#"{{"Type":"{kind}","TopicArn":"a","SubscribeURL":"{url}"}}"#);
        SubscriptionConfirmation::read(body.as_bytes())
    };
    let good = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=a";
    let kind = "SubscriptionConfirmation";
    assert_eq!(confirmation(kind, good).unwrap().subscribe_url(), good);
    assert_eq!(confirmation("UnsubscribeConfirmation", good), None);
    for bad in [
        "https://example.net/",
        "http://sns.eu-west-1.amazonaws.com/",
        "https://sns.eu-west-1.amazonaws.com@example.net/",
    ] {
        assert_eq!(confirmation(kind, bad), None, "{bad}");
    }
}

#[test]
fn discord_is_answered_as_it_wants() {
    let record = first("discord");
    let preset = preset(&record).build().unwrap();
    assert_eq!(preset.success().status(), StatusCode::NO_CONTENT);
    assert_eq!(preset.refusal(), Some(StatusCode::UNAUTHORIZED));
    let answer = |body: &str| {
        let answer = preset.signed_handshake(0, &head(&[]), body.as_bytes())?;
        Some((answer.status().as_u16(), answer.into_body()))
    };
    assert_eq!(
        answer(r#"{"version":1,"type":0}"#),
        Some((204, Bytes::new()))
    );
    assert_eq!(answer(r#"{"type":1}"#), Some((200, r#"{"type":1}"#.into())));
    for event in [text(&record, "body_utf8"), r#"{"type":2}"#, "", "{}"] {
        assert_eq!(answer(event), None, "{event}");
    }
}

#[test]
fn a_key_or_setting_that_can_not_work_is_refused_at_once() {
    let zeros = "00".repeat(32);
    let p384 = STANDARD.encode([0x30, 0x10, 0x06, 0x07, 0x2a]);
    let huge = "A".repeat(100_000);
    let discord = |key: &str| Preset::discord(key).err();
    let sendgrid = |key: &str| Preset::sendgrid(key).err();
    let standard = |key: &str| Preset::standard_webhooks(key).err();
    for error in [
        discord(""),
        discord("zz"),
        discord(&zeros),
        discord(&huge),
        discord(&"ab".repeat(31)),
        sendgrid(""),
        sendgrid("!"),
        sendgrid(&p384),
        sendgrid(&huge),
        sendgrid(&zeros),
        standard("whpk_"),
        standard("whpk_AAAA"),
        standard("whpk_!"),
        standard("whsk_AAAA"),
    ] {
        assert!(error.is_some());
    }
    let (paypal, sns, plaid) = (Preset::PAYPAL, Preset::AWS_SNS, Preset::PLAID);
    let source = || Keys::of([]);
    let pem = first("paypal")["certificates"]
        .as_object()
        .unwrap()
        .values()
        .next()
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned();
    let good_url = "https://api.paypal.com/a";
    for builder in [
        paypal.builder().key_source(source()),
        paypal.builder().webhook_id("").key_source(source()),
        paypal.builder().webhook_id("a|b").key_source(source()),
        paypal.builder().webhook_id("a"),
        paypal
            .builder()
            .webhook_id("a")
            .certificate(good_url, "junk"),
        paypal.builder().webhook_id("a").certificate(good_url, ""),
        paypal.builder().webhook_id("a").certificate(
            good_url,
            "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
        ),
        paypal
            .builder()
            .webhook_id("a")
            .certificate("https://example.net/a", &pem),
        paypal
            .builder()
            .webhook_id("a")
            .certificate(good_url, &pem)
            .certificate(good_url, &pem),
        paypal
            .builder()
            .webhook_id("a")
            .key_source(source())
            .secret("a secret of 16 bytes or more"),
        paypal
            .builder()
            .webhook_id("a")
            .key_source(source())
            .topic("arn:aws:sns:a:b:c"),
        sns.builder().key_source(source()),
        sns.builder().topic("vectors").key_source(source()),
        sns.builder()
            .topic("arn:aws:sns:a:b:c")
            .insecure_any_topic()
            .key_source(source()),
        sns.builder()
            .topic("arn:aws:sns:a:b:c")
            .webhook_id("a")
            .key_source(source()),
        sns.builder().topic("arn:aws:sns:a:b:c"),
        plaid.builder(),
        plaid.builder().key("a", "{}"),
        plaid
            .builder()
            .key("a", r#"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#),
        plaid
            .builder()
            .key("a", r#"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#),
        plaid.builder().key_source(source()).webhook_id("a"),
        Preset::GITHUB
            .builder()
            .secret("a secret of 16 bytes or more")
            .key_source(source()),
        Preset::DISCORD
            .builder()
            .secret(&zeros)
            .public_url("https://example.net"),
    ] {
        assert!(builder.build().is_err());
    }
    let off_curve = format!(
        r#"{{"kty":"EC","crv":"P-256","x":"{0}","y":"{0}"}}"#,
        "A".repeat(43)
    );
    assert!(plaid.builder().key("a", off_curve).build().is_err());
}

#[tokio::test]
async fn keys_are_rotated_and_expire_as_secrets_do() {
    let record = first("discord");
    let (old, new) = (
        text(&record, "secret"),
        "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29",
    );
    for (end, expected) in [
        (1_790_000_000, Err("expired")),
        (1_790_000_001, Ok("old".into())),
    ] {
        let end = UNIX_EPOCH + Duration::from_secs(end);
        let builder = Preset::DISCORD.builder().named_secret("new", new);
        let preset = builder.expiring_secret("old", old, end).build().unwrap();
        let found = decide(&preset, &record).await;
        let key = found.map(|proof| preset.key_id(proof.key));
        assert_eq!(key.map_err(|rejection| rejection.cause()), expected);
        assert!(!format!("{preset:?}").contains(&old[..8]));
    }
}
