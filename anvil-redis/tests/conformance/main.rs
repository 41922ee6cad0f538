//! The conformance suite on every topology.

#[path = "../harness/mod.rs"]
mod harness;

mod topologies;

mod direct {
    use super::harness::standalone::Standalone;

    anvil_queue::conformance!(Standalone::new());
}
