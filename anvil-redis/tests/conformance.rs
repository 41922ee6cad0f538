//! The conformance suite on one Redis server, directly and through a pointer, and with partitions.

mod harness;

mod direct {
    use super::harness::Standalone;

    anvil_queue::conformance!(Standalone::new());
}
