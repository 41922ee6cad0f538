use anvil_queue::DedupeKey;

use super::*;

fn stored(job: &NewJob, large: bool) -> Vec<u8> {
    let mut stored = Vec::new();
    write_body(&mut stored, 1_000_000, job.data(), large);
    stored
}

fn full_job() -> NewJob {
    let mut metadata = Metadata::default();
    metadata.push("content-type", (0..=255).collect::<Vec<u8>>());
    metadata.push("empty", Bytes::new());
    NewJob::new((0..=255).collect::<Vec<u8>>())
        .kind("invoice.paid")
        .source("stripe")
        .metadata(metadata)
        .dedupe_key(DedupeKey::derive("stripe", b"evt_1"))
        .delay(Duration::from_millis(1_500))
}

#[test]
fn a_body_is_read_back_as_it_was_written() {
    for job in [full_job(), NewJob::new(Bytes::new()).source("")] {
        let id = job.data().id();
        let Ok(read) = StoredBody::read(id, stored(&job, false)) else {
            panic!("not readable")
        };
        assert_eq!(read.accepted_at, 1_000_000);
        let read = read.into_job();
        assert_eq!(format!("{:?}", read.data()), format!("{:?}", job.data()));
        assert_eq!(read.data().payload(), job.data().payload());
        assert_eq!(read.data().metadata(), job.data().metadata());
    }
}

#[test]
fn a_large_body_leaves_its_payload_out() {
    let job = full_job();
    let small = stored(&job, true);
    assert!(small.len() < stored(&job, false).len());
    let Ok(read) = StoredBody::read(job.data().id(), small) else {
        panic!("not readable")
    };
    assert!(read.large);
    let read = read.with_payload(job.data().payload().to_vec()).into_job();
    assert_eq!(read.data().payload(), job.data().payload());
}

/// Whatever another program put there, reading it ends with an answer and keeps the bytes.
#[test]
fn a_body_that_is_cut_or_foreign_is_kept_as_the_payload() {
    let job = full_job();
    let whole = stored(&job, false);
    let end_of_metadata = whole.len() - job.data().payload().len();
    let foreign = [b"".to_vec(), b"{}".to_vec(), vec![0xff; 300]];
    let cut = (0..end_of_metadata).map(|len| whole[..len].to_vec());
    for junk in cut.chain(foreign) {
        let Err(kept) = StoredBody::read(job.data().id(), junk.clone()) else {
            panic!("{junk:?} was read")
        };
        assert_eq!(kept.into_job().data().payload()[..], junk[..]);
    }
}

#[test]
fn the_weight_a_script_sees_is_the_weight_of_the_job() {
    let keyed = NewJob::new(vec![0; 300]).dedupe_key(DedupeKey::derive("a", b"b"));
    for (job, overhead) in [(NewJob::new(vec![0; 300]), 115), (keyed, 83)] {
        assert_eq!(stored(&job, false).len() + overhead, job.data().weight());
    }
}

#[test]
fn a_record_that_is_cut_counts_as_none() {
    let record = Record::read(vec![0, 0, 0, 1]);
    assert_eq!(record.counters, Counters::default());
    assert!(record.reason.is_none());
}

#[test]
fn an_endless_duration_can_be_counted_exactly() {
    let now = 4_102_444_800_000_000; // the year 2100
    assert!(now + micros(Duration::MAX) < 1 << 53);
}
