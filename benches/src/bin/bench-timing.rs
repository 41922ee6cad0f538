//! Whether the time of a check tells where a wrong signature differs from the right one.
//!
//! `bench-timing hex|base64|token|early-exit SAMPLES` checks that many signatures that differ in the
//! first byte and as many that differ in the last, in random order, each over a body of its own, and
//! prints `t=`: Welch's t of the two distributions of times, without its sign. Above 5 they differ.
//! `early-exit` compares byte for byte until one differs, to show that this would be seen.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Instant, SystemTime};

use anvil_tower::preset::Facts;
use anvil_tower::{Check, Decision, Preset, Proof, Rejection, RejectionKind, Scheme};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http::request::Parts;
use http::{HeaderName, HeaderValue};
use sha2::Sha256;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let [form, samples] = args.as_slice() else {
        return usage();
    };
    let (Some(target), Ok(samples)) = (Target::named(form), samples.parse::<usize>()) else {
        return usage();
    };
    let times = target.measure(samples);
    let [first, last] = cropped(times);
    let t = welch(&first, &last).abs();
    println!(
        "t={t:.3} first_ns={:.2} last_ns={:.2} of_first={} of_last={}",
        mean(&first),
        mean(&last),
        first.len(),
        last.len()
    );
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: bench-timing hex|base64|token|early-exit SAMPLES");
    ExitCode::from(2)
}

/// A scheme and how its signature is written.
struct Target {
    scheme: Box<dyn Scheme>,
    header: HeaderName,
    form: Form,
    keyed: Hmac<Sha256>,
}

#[derive(Clone, Copy)]
enum Form {
    Base64,
    Hex,
    Token,
}

impl Target {
    fn named(name: &str) -> Option<Self> {
        let keyed = Hmac::<Sha256>::new_from_slice(SECRET).ok()?;
        let (scheme, header, form): (Box<dyn Scheme>, _, _) = match name {
            "base64" => (
                Box::new(Preset::shopify(SECRET).ok()?),
                "x-shopify-hmac-sha256",
                Form::Base64,
            ),
            "early-exit" => (
                Box::new(EarlyExit(keyed.clone())),
                "x-hub-signature-256",
                Form::Hex,
            ),
            "hex" => (
                Box::new(Preset::github(SECRET).ok()?),
                "x-hub-signature-256",
                Form::Hex,
            ),
            "token" => (
                Box::new(
                    Facts::named("telegram")?
                        .builder()
                        .secret(SECRET)
                        .build()
                        .ok()?,
                ),
                "x-telegram-bot-api-secret-token",
                Form::Token,
            ),
            _ => return None,
        };
        Some(Self {
            scheme,
            header: HeaderName::from_static(header),
            form,
            keyed,
        })
    }

    /// The times of the signatures that are wrong in the first byte, and of those in the last.
    fn measure(&self, samples: usize) -> [Vec<f64>; 2] {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let mut times = [Vec::with_capacity(samples), Vec::with_capacity(samples)];
        let (mut head, ()) = http::Request::new(()).into_parts();
        head.method = http::Method::POST;
        let mut warm_up = WARM_UP;
        while times.iter().any(|times| times.len() < samples) {
            let class = (random.next() >> 63) as usize;
            let body = Bytes::copy_from_slice(&random.next().to_le_bytes());
            let value = self.wrong(&body, class, random.next());
            head.headers.insert(&self.header, value);
            let start = Instant::now();
            let decision = self.check(black_box(&head), black_box(&body));
            let time = start.elapsed();
            assert!(!black_box(decision), "a wrong signature was taken");
            if warm_up > 0 {
                warm_up -= 1;
            } else if times[class].len() < samples {
                times[class].push(time.as_nanos() as f64);
            }
        }
        times
    }

    #[inline(never)]
    fn check(&self, head: &Parts, body: &Bytes) -> bool {
        let Ok(mut check) = self.scheme.begin(head, SystemTime::UNIX_EPOCH) else {
            return false;
        };
        check.update(body);
        matches!(check.finish(body), Decision::Made(Ok(_)))
    }

    /// What is presented: right but for one byte, made by the same steps for both classes.
    fn wrong(&self, body: &[u8], class: usize, random: u64) -> HeaderValue {
        let keyed = self.keyed.clone().chain_update(body);
        let mut tag: [u8; 32] = keyed.finalize().into_bytes().into();
        let place = [0, tag.len() - 1][class];
        tag[place] ^= 1 + (random % 255) as u8;
        let text = match self.form {
            Form::Base64 => STANDARD.encode(tag),
            Form::Hex => format!("sha256={}", hex::encode(tag)),
            Form::Token => {
                let mut token = SECRET.to_vec();
                let place = [0, token.len() - 1][class];
                // None of these letters is in the secret.
                token[place] = b'A' + (random % 26) as u8;
                String::from_utf8_lossy(&token).into_owned()
            }
        };
        HeaderValue::try_from(text).expect("plain ASCII")
    }
}

/// What no scheme may be: it stops at the first byte that differs.
#[derive(Debug)]
struct EarlyExit(Hmac<Sha256>);

impl Scheme for EarlyExit {
    fn name(&self) -> &'static str {
        "early-exit"
    }

    fn begin(&self, head: &Parts, _now: SystemTime) -> Result<Check, Rejection> {
        let missing = Rejection::new(RejectionKind::Missing, "missing");
        let value = head.headers.get("x-hub-signature-256").ok_or(missing)?;
        let digits = value.as_bytes().get(7..).unwrap_or_default();
        let presented = hex::decode(digits).map_err(|_| missing)?;
        let keyed = self.0.clone();
        Ok(Check::whole_body(move |body| {
            let tag = keyed.chain_update(body).finalize().into_bytes();
            let mut pairs = tag.iter().zip(&presented);
            match pairs.all(|(a, b)| black_box(a) == black_box(b)) {
                true => Ok(Proof::new(0)),
                false => Err(Rejection::new(RejectionKind::Mismatch, "mismatch")),
            }
        }))
    }
}

/// Without the slowest tenth of all, in which interrupts and other programs are.
fn cropped(times: [Vec<f64>; 2]) -> [Vec<f64>; 2] {
    let mut all = times.concat();
    all.sort_by(f64::total_cmp);
    let longest = all.get(all.len() / 10 * 9).copied().unwrap_or_default();
    times.map(|mut times| {
        times.retain(|time| *time <= longest);
        times
    })
}

/// Welch's t: the distance of the means in units of its own deviation.
fn welch(a: &[f64], b: &[f64]) -> f64 {
    let error = |times: &[f64]| variance(times) / times.len() as f64;
    (mean(a) - mean(b)) / (error(a) + error(b)).sqrt()
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / times.len() as f64
}

fn variance(times: &[f64]) -> f64 {
    let mean = mean(times);
    let squares = times.iter().map(|time| (time - mean).powi(2));
    squares.sum::<f64>() / (times.len() - 1) as f64
}

/// [SplitMix64](https://prng.di.unimi.it/splitmix64.c).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

const WARM_UP: usize = 20_000;
const SECRET: &[u8] = b"a-plain-secret-of-some-length-01";
