//! What the programs of the benchmarks share.
#![forbid(unsafe_code)]

pub mod crowd;
pub mod deliveries;
pub mod info;
pub mod options;
pub mod serve;
pub mod store;
pub mod tally;
pub mod timing;
