use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anvil_tower::preset::Facts;
use anvil_tower::{Check, Decision, Scheme};
use anvil_vectors::Record;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::{block_on, presets, runner};

#[test]
fn no_request_makes_a_preset_panic() {
    for (name, records) in presets() {
        let schemes: Vec<_> = records
            .iter()
            .map(|record| record.scheme().unwrap())
            .collect();
        runner(CASES)
            .run(&request(records), |request| {
                let Request {
                    number,
                    head,
                    body,
                    now,
                } = request;
                ask(&*schemes[number], &head, &body, now);
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn no_setting_makes_a_builder_panic() {
    let names: Vec<_> = Facts::all().collect();
    let secret = prop_oneof![
        vec(any::<u8>(), 0..80),
        "(whsec_|whpk_|whsk_|v1,)?[A-Za-z0-9+/=]{0,90}".prop_map(String::into_bytes),
    ];
    let url = prop_oneof![
        any::<String>(),
        "https?://[a-z:@.0-9\\[\\]]{0,20}[/?#]?.{0,9}"
    ];
    let settings = (
        any::<Index>(),
        vec(secret, 0..10),
        any::<bool>(),
        proptest::option::of(url),
        any::<Option<u64>>(),
    );
    runner(CASES * 8)
        .run(&settings, |(facts, secrets, short, url, tolerance)| {
            let mut builder = facts.get(&names).builder();
            for secret in secrets {
                builder = builder.secret(secret);
            }
            if short {
                builder = builder.allow_short_secret();
            }
            if let Some(url) = url {
                builder = builder.public_url(url);
            }
            if let Some(tolerance) = tolerance.map(Duration::from_secs) {
                builder = builder.tolerate_past(tolerance).tolerate_future(tolerance);
            }
            if let Ok(preset) = builder.build() {
                let _ = preset.sample("event", "id", SystemTime::now());
            }
            Ok(())
        })
        .unwrap();
}

/// Asks everything that a scheme can be asked, whatever it has said before.
fn ask(scheme: &dyn Scheme, head: &Parts, body: &Bytes, now: SystemTime) {
    let _ = scheme.open_handshake(head);
    if let Ok(check) = scheme.begin(head, now) {
        finish(check, body);
    }
    let _ = scheme.identify(head, body);
    let _ = scheme.signed_handshake(0, head, body);
}

fn finish(mut check: Check, body: &Bytes) {
    for chunk in body.chunks(7) {
        check.update(chunk);
    }
    if let Decision::Pending(verdict) = check.finish(body) {
        let _ = block_on(verdict);
    }
}

#[derive(Debug)]
struct Request {
    /// Of the record it was made from.
    number: usize,
    head: Parts,
    body: Bytes,
    now: SystemTime,
}

/// Requests that look like the records, or like nothing.
fn request(records: Vec<Record>) -> impl Strategy<Value = Request> {
    let changes = vec((any::<Index>(), change()), 0..4);
    let time = prop_oneof![Just(None), any::<u32>().prop_map(Some)];
    (
        any::<Index>(),
        changes,
        change(),
        time,
        prop_oneof![5 => Just("POST"), 1 => Just("GET"), 1 => Just("HEAD")],
        prop_oneof![Just("/hooks"), Just("/?a=%zz&a"), Just("*")],
    )
        .prop_map(move |(record, changes, of_body, time, method, target)| {
            let number = record.index(records.len());
            let record = &records[number];
            let (mut head, body) = record.request().into_parts();
            if target != "/hooks" || record.request_target.is_none() {
                head.uri = target.parse().unwrap();
            }
            if record.method == "POST" {
                head.method = Method::from_bytes(method.as_bytes()).unwrap();
            }
            let names: Vec<HeaderName> = head.headers.keys().cloned().collect();
            for (name, change) in changes {
                if let Some(name) = (!names.is_empty()).then(|| name.get(&names)) {
                    change.of_header(&mut head, name);
                }
            }
            Request {
                number,
                head,
                body: of_body.of_body(&body),
                now: match time {
                    Some(time) => UNIX_EPOCH + Duration::from_secs(time.into()),
                    None => record.now(),
                },
            }
        })
}

/// A change of some bytes.
#[derive(Clone, Debug)]
enum Change {
    Cut(Index),
    Drop,
    Insert(Index, Vec<u8>),
    Keep,
    Replace(Vec<u8>),
    Set(Index, u8),
    Twice(Vec<u8>),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        any::<Index>().prop_map(Change::Cut),
        Just(Change::Drop),
        (any::<Index>(), piece()).prop_map(|(place, piece)| Change::Insert(place, piece)),
        Just(Change::Keep),
        piece().prop_map(Change::Replace),
        (any::<Index>(), any::<u8>()).prop_map(|(place, byte)| Change::Set(place, byte)),
        piece().prop_map(Change::Twice),
    ]
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..200),
        any::<String>().prop_map(String::into_bytes),
        "[-+]?[0-9]{0,40}(\\.[0-9]{0,20})?".prop_map(String::into_bytes),
        "((t|ts|v0|v1|v1a|h1|sha1|sha256)[=,]?[0-9a-f]{0,64}[,; ]?){0,12}"
            .prop_map(String::into_bytes),
        "[\\[{]?(\"[a-z]{0,3}\"[:,]?[\\[{]?){0,9}[\\]}]?".prop_map(String::into_bytes),
        "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{0,12})?(Z|[+-][0-9:]{0,6})?"
            .prop_map(String::into_bytes),
        "([a-z]{0,3}[=&%+][0-9A-Fa-f]{0,3}){0,9}".prop_map(String::into_bytes),
        (1..4_usize, 0..5000_usize).prop_map(|(which, count)| {
            b"[{\"a,"[which..=which].repeat(count)
        }),
    ]
}

impl Change {
    fn of(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = bytes.to_vec();
        match self {
            Self::Cut(place) => bytes.truncate(place.index(bytes.len() + 1)),
            Self::Drop => return None,
            Self::Insert(place, piece) => {
                let place = place.index(bytes.len() + 1);
                bytes.splice(place..place, piece);
            }
            Self::Replace(piece) => bytes = piece,
            Self::Set(place, byte) if !bytes.is_empty() => {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            Self::Keep | Self::Set(..) | Self::Twice(_) => {}
        }
        Some(bytes)
    }

    /// Headers that can't be sent are left as they were.
    fn of_header(self, head: &mut Parts, name: &HeaderName) {
        if let Self::Twice(second) = self {
            if let Ok(second) = HeaderValue::from_bytes(&second) {
                head.headers.append(name, second);
            }
            return;
        }
        let Some(value) = head.headers.get(name) else {
            return;
        };
        match self.of(value.as_bytes()) {
            None => {
                head.headers.remove(name);
            }
            Some(value) => {
                if let Ok(value) = HeaderValue::from_bytes(&value) {
                    head.headers.insert(name, value);
                }
            }
        }
    }

    fn of_body(self, body: &Bytes) -> Bytes {
        match self {
            Self::Twice(piece) => [&body[..], &piece].concat().into(),
            other => other.of(body).unwrap_or_default().into(),
        }
    }
}

const CASES: u32 = 256;
