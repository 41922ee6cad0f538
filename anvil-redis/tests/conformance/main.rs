//! The conformance suite on every topology.

#[path = "../harness/mod.rs"]
mod harness;

mod topologies;

mod direct {
    use super::harness::shared::Shared;

    anvil_queue::conformance!(Shared::alone());
}
