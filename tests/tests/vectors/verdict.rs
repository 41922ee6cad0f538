use std::convert::Infallible;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anvil_tower::hmac::{Algorithm, Headers, HmacBuilder, HmacScheme, SecretEncoding};
use anvil_tower::preset::PresetBuilder;
use anvil_tower::{ConfigError, Preset, Rejection, Scheme, VerifiedBody, VerifyLayer};
use http::{Request, Response, StatusCode};
use tower::{Layer, ServiceExt, service_fn};

use super::record::Record;

/// What verification says about a record.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Refused, with this status and this cause.
    Invalid(#[expect(dead_code, reason = "shown where a verdict is wrong")] (u16, &'static str)),
    /// Let through.
    Valid,
    /// Signed with Ed25519, for which there is no scheme yet.
    Waiting,
}

pub(crate) async fn verdict(record: &Record) -> Verdict {
    if record.secret.starts_with("whpk_") {
        return Verdict::Waiting;
    }
    let now = record.now_unix.map(Duration::from_secs);
    let layer = VerifyLayer::new("vectors", scheme(record))
        .clock(move || now.map_or_else(SystemTime::now, |now| UNIX_EPOCH + now));
    let inner =
        service_fn(|_: Request<VerifiedBody>| async { Ok::<_, Infallible>(Response::new(())) });
    let Ok(response) = layer.layer(inner).oneshot(record.request()).await;
    let status = response.status();
    match response.extensions().get::<Rejection>() {
        None => {
            assert_eq!(status, StatusCode::OK);
            Verdict::Valid
        }
        Some(rejection) => {
            assert!(status.is_client_error(), "{}: {status}", record.name);
            Verdict::Invalid((status.as_u16(), rejection.cause()))
        }
    }
}

fn scheme(record: &Record) -> Box<dyn Scheme> {
    match (record.provider.as_str(), record.scheme.as_str()) {
        // HMAC-SHA-1 has to be asked for by name.
        ("github", "github-sha1") => preset(record, Preset::GITHUB_SHA1.builder()),
        ("github", "github") => preset(record, Preset::GITHUB.builder()),
        ("shopify", "shopify") => preset(record, Preset::SHOPIFY.builder()),
        ("slack", "slack") => preset(record, Preset::SLACK.builder()),
        ("standard-webhooks" | "svix", "standard-webhooks") => {
            preset(record, Preset::STANDARD_WEBHOOKS.builder())
        }
        ("stripe", "stripe") => preset(record, Preset::STRIPE.builder()),
        ("generic-hmac-hex", "adnanh-sha1") => generic(record, Algorithm::Sha1, "sha1="),
        ("generic-hmac-hex", "adnanh-sha256" | "hmac-sha256") => {
            generic(record, Algorithm::Sha256, "sha256=")
        }
        ("generic-hmac-hex", "adnanh-sha512" | "hmac-sha512") => {
            generic(record, Algorithm::Sha512, "sha512=")
        }
        (provider, scheme) => panic!("{provider} has no scheme {scheme:?}"),
    }
}

/// Bare digests, or digests behind the name of the hash, with commas between them.
fn generic(record: &Record, algorithm: Algorithm, tag: &str) -> Box<dyn Scheme> {
    let builder = HmacScheme::builder("generic", Headers::new("x-signature"))
        .algorithm(algorithm)
        .separator(b',')
        .tag(tag)
        .tag_optional();
    build(record, builder)
}

fn build(record: &Record, mut builder: HmacBuilder) -> Box<dyn Scheme> {
    builder = builder.secret(&record.secret).allow_short_secret();
    // `utf8` and `whsec_base64` are what the schemes that use them do by themselves.
    if record.secret_encoding == "base64" {
        builder = builder.secret_encoding(SecretEncoding::Base64);
    }
    if let Some(tolerance) = record.tolerance_secs.map(Duration::from_secs) {
        builder = builder.tolerate_past(tolerance).tolerate_future(tolerance);
    }
    boxed(record, builder.build())
}

fn preset(record: &Record, mut builder: PresetBuilder) -> Box<dyn Scheme> {
    builder = builder.secret(&record.secret).allow_short_secret();
    if record.secret_encoding == "base64" {
        builder = builder.secret_encoding(SecretEncoding::Base64);
    }
    if let Some(tolerance) = record.tolerance_secs.map(Duration::from_secs) {
        builder = builder.tolerate_past(tolerance).tolerate_future(tolerance);
    }
    boxed(record, builder.build())
}

fn boxed<S: Scheme + 'static>(record: &Record, built: Result<S, ConfigError>) -> Box<dyn Scheme> {
    match built {
        Ok(scheme) => Box::new(scheme),
        Err(error) => panic!("{}: {}: {error}", record.provider, record.name),
    }
}
