use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anvil_tower::hmac::{
    Algorithm, Encoding, Headers, HmacBuilder, HmacScheme, SecretEncoding, TimestampUnit,
};
use anvil_tower::preset::Facts;

use crate::presets::ask;
use crate::request::{line, read};

/// A description of a sender, a line for each setting, an empty line, and a request to it.
pub fn description(input: &[u8]) {
    let (first, mut rest) = line(input);
    let mut builder = match text(first).strip_prefix("body ") {
        Some(pointer) => HmacScheme::signed_in_body("fuzz", pointer),
        None => builder(),
    };
    while !rest.is_empty() {
        let (setting, after) = line(rest);
        rest = after;
        if setting.is_empty() {
            break;
        }
        let setting = text(setting);
        let (name, value) = setting.split_once(' ').unwrap_or((&setting, ""));
        builder = match name {
            "content" => builder.signed_content(value),
            "headers" => builder.or_headers(headers(value)),
            "id" => builder.id_pointer(value),
            "kind" => builder.kind_pointer(value),
            "optional" => builder.tag_optional(),
            "repeated" => builder.repeated_headers(),
            "separator" => builder.separator(value.bytes().next().unwrap_or(b',')),
            "t" => builder.timestamp_tag(value),
            "tag" => builder.tag(value),
            "time" => builder.timestamp_pointer(value),
            "unsigned" => builder.payload_is_not_signed(),
            "url" => builder.public_url(value),
            _ => builder,
        };
    }
    if let Ok(scheme) = builder.secret(SECRET).build() {
        let (head, body) = read(rest);
        ask(&scheme, &head, &body, now());
    }
}

/// A signature header, in every form that the engine reads.
pub fn signature(input: &[u8]) {
    let request = [b"POST /\n".as_slice(), &lines(b"x-a: ", input), b"\nbody"].concat();
    let (head, body) = read(&request);
    for encoding in [Encoding::Hex, Encoding::Base64] {
        for algorithm in [Algorithm::Sha1, Algorithm::Sha256, Algorithm::Sha512] {
            let plain = || {
                HmacScheme::builder("fuzz", Headers::new("x-a"))
                    .secret(SECRET)
                    .encoding(encoding)
                    .algorithm(algorithm)
            };
            let forms = [
                plain(),
                plain().repeated_headers(),
                plain().tag("v1=").tag_optional().separator(b','),
                plain().tag("v1,").separator(b' ').repeated_headers(),
                plain()
                    .tag("v1=")
                    .tag("v0=")
                    .timestamp_tag("t=")
                    .separator(b',')
                    .signed_content("{timestamp}.{body}"),
                plain()
                    .tag("h1=")
                    .timestamp_tag("ts=")
                    .separator(b';')
                    .signed_content("{timestamp}:{body}"),
            ];
            for scheme in forms.map(HmacBuilder::build) {
                ask(&scheme.unwrap(), &head, &body, now());
            }
        }
    }
}

/// A timestamp, in every unit, in a header and in the body.
pub fn timestamp(input: &[u8]) {
    let (first, rest) = line(input);
    let tag = "x-a: 0000000000000000000000000000000000000000000000000000000000000000\n";
    let request = [b"POST /\n", tag.as_bytes(), b"x-t: ", first, b"\n\n", rest].concat();
    let (head, body) = read(&request);
    for unit in [
        TimestampUnit::Milliseconds,
        TimestampUnit::Rfc3339,
        TimestampUnit::Seconds,
    ] {
        let in_head = HmacScheme::builder("fuzz", Headers::new("x-a").timestamp("x-t"))
            .signed_content("{timestamp}{body}")
            .timestamp_unit(unit)
            .secret(SECRET);
        let in_body = HmacScheme::builder("fuzz", Headers::new("x-a"))
            .timestamp_pointer("/t")
            .timestamp_unit(unit)
            .secret(SECRET);
        for builder in [in_head, in_body] {
            let builder = builder.tolerate_future(Duration::MAX);
            ask(&builder.build().unwrap(), &head, &body, now());
        }
    }
}

/// A JSON pointer and a body.
pub fn pointer(input: &[u8]) {
    let (pointer, body) = line(input);
    let pointer = text(pointer);
    let request = [b"POST /\nx-a: 00\n\n", body].concat();
    let (head, body) = read(&request);
    let signs_field = HmacScheme::signed_in_body("fuzz", &*pointer)
        .signed_content(format!("{{json:{pointer}}}"))
        .secret(SECRET);
    let reads_field = builder().id_pointer(&*pointer).kind_pointer(&*pointer);
    for scheme in [signs_field, reads_field.secret(SECRET)] {
        if let Ok(scheme) = scheme.build() {
            ask(&scheme, &head, &body, now());
        }
    }
}

/// A secret, as each encoding and each sender reads it.
pub fn secret(input: &[u8]) {
    for encoding in [
        SecretEncoding::Base64,
        SecretEncoding::Hex,
        SecretEncoding::Nfkd,
        SecretEncoding::Verbatim,
        SecretEncoding::Whsec,
    ] {
        let _ = builder().secret_encoding(encoding).secret(input).build();
    }
    for facts in Facts::all() {
        for url in [None, Some("https://example.com/")] {
            let mut builder = facts.builder().allow_short_secret().secret(input);
            if let Some(url) = url {
                builder = builder.public_url(url);
            }
            if let Ok(preset) = builder.build() {
                let _ = format!("{preset:?}");
                let _ = preset.sample("event", "1", now());
            }
        }
    }
}

/// A public URL and the target of a request.
pub fn public_url(input: &[u8]) {
    let (url, target) = line(input);
    let (target, _) = line(target);
    let (head, body) = read(&[b"POST ", target, b"\nx-a: 00\n\nbody"].concat());
    let scheme = builder()
        .signed_content("{url}{path}{body}")
        .public_url(text(url))
        .secret(SECRET);
    if let Ok(scheme) = scheme.build() {
        ask(&scheme, &head, &body, now());
    }
}

pub const DESCRIPTIONS: &[&str] = &[
    "head\ncontent {id}.{timestamp}.{body}|{header:x-b}\nheaders x-s x-t x-i x-k\ntag v1,\n\
     separator  \n\nPOST /hooks\nx-s: v1,AAAA\nx-t: 1790000000\nx-i: 1\nx-b: 2\n\n{\"id\":1}",
    "head\ncontent {method}{url}{path}{body}\nurl https://example.com\noptional\nid /a/b~1c/0\n\
     kind /k\n\nPOST /hooks?a=b\nx-a: 0011\n\n{\"a\":{\"b/c\":[\"x\"]},\"k\":\"y\"}",
    "body /sig/0\ncontent {json:/sig/at}{json:/id}\ntime /sig/at\nunsigned\n\nPOST /\n\n\
     {\"sig\":{\"0\":\"00\",\"at\":1790000000},\"id\":\"1\"}",
    "head\nt t=\ntag v1=\nseparator ,\ncontent {timestamp}.{body}\nrepeated\n\nPOST /\n\
     x-a: t=1790000000,v1=00,v1=11\nx-a: v1=22\n\nbody",
];
pub const POINTERS: &[&str] = &[
    "/a/b~1c/0\n{\"a\":{\"b/c\":[\"x\",2]},\"z\":[[[{}]]]}",
    "/id\n{\"x\":\"\\ud83d\\ude00\\u0000\",\"id\":18446744073709551615,\"id\":1e5}",
    "/0/id\n[{\"id\":\"1\"},{\"id\":null}]",
    "\n\"text\"",
];
pub const SECRETS: &[&str] = &[
    "a secret of 16 bytes or more",
    "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3",
    "whpk_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3MDEyMzQ1Njc=",
    "11223344D785FBAE710E7F943F307971BB61B21281C98C9129B3D4018A57B2EB",
    "user:pa\u{fb01}ss\u{1e9b}\u{323}",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----\n",
    "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\",\"y\":\"AA\",\"kid\":\"1\"}",
];
pub const SIGNATURES: &[&str] = &[
    "0011223344556677889900112233445566778899001122334455667788990011",
    "t=1790000000,v1=0011223344556677889900112233445566778899001122334455667788990011,v0=00",
    "v1,AAECAwQFBgcICQABAgMEBQYHCAkAAQIDBAUGBwgJAAE= v1a,AA== v1,AA==",
    "ts=1790000000;h1=00112233;h1=44",
    "v1=00, 11 ,\nv1=22\n33",
];
pub const TIMESTAMPS: &[&str] = &[
    "1790000000\n{\"t\":1790000000}",
    "1790000000000\n{\"t\":\"1790000000000\"}",
    "2026-09-21T14:13:20.123456789Z\n{\"t\":\"2026-09-21T14:13:20+02:00\"}",
    "-1\n{\"t\":-1.5}",
    "Mon, 21 Sep 2026 14:13:20 GMT\n{\"t\":1e9}",
];
pub const URLS: &[&str] = &[
    "https://example.com\n/hooks?a=b",
    "https://user@[::1]:8443/a/../b?c#d\n/",
    "http://example.com/?\n*",
];

fn builder() -> HmacBuilder {
    HmacScheme::builder("fuzz", Headers::new("x-a"))
}

/// Names of headers: signature, timestamp, id and kind, as many as there are.
fn headers(text: &str) -> Headers {
    let mut names = text.split(' ');
    let mut headers = Headers::new(names.next().unwrap_or_default());
    if let Some(name) = names.next() {
        headers = headers.timestamp(name);
    }
    if let Some(name) = names.next() {
        headers = headers.id(name);
    }
    if let Some(name) = names.next() {
        headers = headers.kind(name);
    }
    headers
}

/// Each line behind `before`.
fn lines(before: &[u8], input: &[u8]) -> Vec<u8> {
    let lines = input.split(|byte| *byte == b'\n').take(4);
    lines
        .flat_map(|line| [before, line, b"\n"].concat())
        .collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_790_000_000)
}

const SECRET: &[u8] = b"a secret of 16 bytes or more";
