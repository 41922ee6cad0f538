use std::time::SystemTime;

use anvil_tower::{Decision, Scheme};
use anvil_vectors::{Record, own};
use bytes::Bytes;
use http::request::Parts;
use tokio::runtime::{Builder, Runtime};

use crate::request;

/// The receivers of the vectors, and the requests they are shown first.
pub struct Presets {
    receivers: Vec<Receiver>,
}

struct Receiver {
    label: String,
    scheme: Box<dyn Scheme>,
    now: SystemTime,
    request: Vec<u8>,
}

impl Presets {
    /// Those of these senders, or of all where none is named.
    pub fn of(senders: &[&str]) -> Self {
        let files = own().unwrap_or_else(|error| panic!("{error}"));
        let records = files.iter().flat_map(|file| &file.records);
        let is_meant =
            |record: &&Record| senders.is_empty() || senders.contains(&record.provider.as_str());
        let receivers = records.filter(is_meant).filter_map(Receiver::of);
        Self {
            receivers: receivers.collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.receivers.is_empty()
    }

    /// The first line names the receiver, the rest is the request.
    pub fn seeds(&self) -> Vec<Vec<u8>> {
        let seed =
            |receiver: &Receiver| [receiver.label.as_bytes(), b"\n", &receiver.request].concat();
        self.receivers.iter().map(seed).collect()
    }

    pub fn run(&self, input: &[u8]) {
        let (label, rest) = request::line(input);
        let named = self
            .receivers
            .iter()
            .find(|receiver| receiver.label.as_bytes() == label);
        let sum: usize = label.iter().map(|byte| usize::from(*byte)).sum();
        let other = self.receivers.get(sum % self.receivers.len().max(1));
        if let Some(receiver) = named.or(other) {
            let (head, body) = request::read(rest);
            ask(&*receiver.scheme, &head, &body, receiver.now);
        }
    }
}

impl Receiver {
    fn of(record: &Record) -> Option<Self> {
        let scheme = record.scheme().ok()?;
        let (head, body) = record.request().into_parts();
        let request = request::write(&head, &body);
        (request.len() <= LONGEST).then_some(Self {
            label: format!("{}: {}", record.provider, record.name),
            scheme,
            now: record.now(),
            request,
        })
    }
}

/// Asks everything that a scheme can be asked, whatever it has said before.
pub fn ask(scheme: &dyn Scheme, head: &Parts, body: &Bytes, now: SystemTime) {
    let _ = scheme.open_handshake(head);
    let whole = verdict(scheme, head, body, now, body.len());
    let pieces = verdict(scheme, head, body, now, 7);
    assert_eq!(whole, pieces, "the verdict depends on how the body arrives");
    let identity = scheme.identify(head, body);
    let _ = format!("{identity:?}");
    let _ = scheme.signed_handshake(0, head, body);
}

/// The key that matched, or the cause of the refusal.
fn verdict(
    scheme: &dyn Scheme,
    head: &Parts,
    body: &Bytes,
    now: SystemTime,
    piece: usize,
) -> Result<(), &'static str> {
    let cause = |rejection: anvil_tower::Rejection| rejection.cause();
    let mut check = scheme.begin(head, now).map_err(cause)?;
    for piece in body.chunks(piece.max(1)) {
        check.update(piece);
    }
    let decided = match check.finish(body) {
        Decision::Made(verdict) => verdict,
        Decision::Pending(verdict) => RUNTIME.with(|runtime| runtime.block_on(verdict)),
        other => panic!("{other:?} is new"),
    };
    decided.map(|_| ()).map_err(cause)
}

thread_local! {
    /// For keys that are waited for.
    static RUNTIME: Runtime = Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap_or_else(|error| panic!("{error}"));
}

const LONGEST: usize = 16 * 1024;
