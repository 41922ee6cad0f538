//! What a whole check costs, head parsing and clock included, against an HMAC-SHA-256 over the
//! same signed bytes with a key that was set up before.
//!
//! `bench-verify github|stripe|standard BYTES ours|floor` prints `ns_per_op=`.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anvil_tower::{ConfigError, Decision, Preset, Scheme};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http::request::Parts;
use sha2::Sha256;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let [sender, bytes, side] = args.as_slice() else {
        return usage();
    };
    let Ok(bytes) = bytes.parse() else {
        return usage();
    };
    let Some(delivery) = delivery(sender, bytes) else {
        return usage();
    };
    let time = match (*side, *sender) {
        ("floor", _) => best_of(|| floor(&delivery)),
        ("ours", "github") => ours(Preset::github(PLAIN_SECRET), &delivery),
        ("ours", "stripe") => ours(Preset::stripe(PLAIN_SECRET), &delivery),
        ("ours", _) => ours(
            Preset::standard_webhooks(format!("whsec_{STANDARD_SECRET}")),
            &delivery,
        ),
        _ => return usage(),
    };
    println!("ns_per_op={:.1}", time.as_nanos() as f64 / f64::from(OPS));
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: bench-verify github|stripe|standard BYTES ours|floor");
    ExitCode::from(2)
}

struct Delivery {
    head: Parts,
    body: Bytes,
    keyed: Hmac<Sha256>,
    signed: Vec<u8>,
    tag: Vec<u8>,
}

fn delivery(sender: &str, bytes: usize) -> Option<Delivery> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    let body: Bytes = (0..bytes).map(|n| b'a' + (n % 26) as u8).collect();
    let prefix = match sender {
        "github" => String::new(),
        "stripe" => format!("{now}."),
        "standard" => format!("msg_2KWPBgLlAfxdpx2AI54pPJ85f4W.{now}."),
        _ => return None,
    };
    let signed = [prefix.as_bytes(), &body].concat();
    let secret = match sender {
        "standard" => STANDARD.decode(STANDARD_SECRET).ok()?,
        _ => PLAIN_SECRET.into(),
    };
    let keyed = Hmac::<Sha256>::new_from_slice(&secret).ok()?;
    let tag = keyed.clone().chain_update(&signed).finalize().into_bytes();
    let request = http::Request::post("/hooks")
        .header("content-type", "application/json")
        .header("user-agent", "sender/1.0")
        .header("host", "127.0.0.1");
    let request = match sender {
        "github" => request
            .header("x-github-event", "push")
            .header("x-github-delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958")
            .header(
                "x-hub-signature-256",
                format!("sha256={}", hex::encode(tag)),
            ),
        "stripe" => request.header(
            "stripe-signature",
            format!("t={now},v1={}", hex::encode(tag)),
        ),
        _ => request
            .header("webhook-id", "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W")
            .header("webhook-timestamp", now.to_string())
            .header("webhook-signature", format!("v1,{}", STANDARD.encode(tag))),
    };
    let (head, ()) = request.body(()).ok()?.into_parts();
    Some(Delivery {
        head,
        body,
        keyed,
        signed,
        tag: tag.to_vec(),
    })
}

fn ours<S: Scheme>(scheme: Result<S, ConfigError>, delivery: &Delivery) -> Duration {
    let scheme = scheme.unwrap();
    let Delivery { head, body, .. } = delivery;
    best_of(|| {
        for _ in 0..OPS {
            let mut check = scheme.begin(black_box(head), SystemTime::now()).unwrap();
            check.update(black_box(body));
            let decision = check.finish(black_box(body));
            assert!(matches!(black_box(decision), Decision::Made(Ok(_))));
        }
    })
}

fn floor(delivery: &Delivery) {
    let Delivery {
        keyed, signed, tag, ..
    } = delivery;
    for _ in 0..OPS {
        let mac = keyed.clone().chain_update(black_box(signed));
        mac.verify_slice(black_box(tag)).unwrap();
    }
}

/// The shortest of several rounds, so that what else the machine does is left out.
fn best_of(round: impl Fn()) -> Duration {
    let rounds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        round();
        start.elapsed()
    });
    rounds.min().unwrap_or_default()
}

const OPS: u32 = 20_000;
const ROUNDS: usize = 12;
const PLAIN_SECRET: &[u8] = b"whsec_a-plain-secret-of-some-length";
const STANDARD_SECRET: &str = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
