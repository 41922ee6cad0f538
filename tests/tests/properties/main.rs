//! What holds of every preset, whatever is sent: a change of what is signed is refused, and nothing
//! panics.

mod noise;
mod tamper;

use anvil_tower::preset::Facts;
use anvil_tower::{Decision, Proof, Rejection, Scheme};
use anvil_vectors::{Record, own};
use bytes::Bytes;
use http::request::Parts;
use proptest::test_runner::{Config, TestRunner};

/// Every preset with its good vectors, the plainest first.
fn presets() -> Vec<(&'static str, Vec<Record>)> {
    let files = own().unwrap();
    let records = files.iter().flat_map(|file| &file.records);
    let valid: Vec<_> = records.filter(|record| record.is_valid()).collect();
    let of = |facts: &'static Facts| {
        let name = facts.name();
        let of_it = valid.iter().filter(|record| record.preset() == Some(name));
        let records: Vec<Record> = of_it.copied().cloned().collect();
        assert!(!records.is_empty(), "{name} has no good vector");
        (name, records)
    };
    Facts::all().map(of).collect()
}

/// A request that a record's receiver judges.
struct Case<'r> {
    record: &'r Record,
    scheme: Box<dyn Scheme>,
    head: Parts,
    body: Bytes,
}

impl<'r> Case<'r> {
    fn of(record: &'r Record) -> Self {
        let scheme = record.scheme();
        let (head, body) = record.request().into_parts();
        Self {
            record,
            scheme: scheme
                .unwrap_or_else(|error| panic!("{}: {}: {error}", record.provider, record.name)),
            head,
            body,
        }
    }

    fn verdict(&self, head: &Parts, body: &Bytes) -> Result<Proof, Rejection> {
        let mut check = self.scheme.begin(head, self.record.now())?;
        check.update(body);
        match check.finish(body) {
            Decision::Made(verdict) => verdict,
            Decision::Pending(verdict) => block_on(verdict),
            other => panic!("{other:?} is new"),
        }
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.unwrap().block_on(future)
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config {
        cases,
        failure_persistence: None,
        max_global_rejects: 65_536,
        ..Config::default()
    })
}
