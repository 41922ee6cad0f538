//! The server that has the queue changes: behind sentinels, and in a cluster.

#[path = "../harness/mod.rs"]
mod harness;

#[cfg(feature = "cluster")]
mod cluster;
mod sentinel;
