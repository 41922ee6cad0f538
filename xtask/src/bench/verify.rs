//! `verify`: the check of one request against the bare HMAC it cannot do without.

use super::measure::{Bar, Measure};
use super::programs::Programs;
use crate::error::Error;

/// `bench-verify SCHEME BYTES ours|floor` prints `ns_per_op=`.
pub(super) fn run(programs: &Programs) -> Result<Vec<Measure>, Error> {
    let mut measures = Vec::new();
    for scheme in ["github", "stripe", "standard"] {
        for (bytes, bar) in [("340", Bar::AtMost(1.6)), ("4096", Bar::AtMost(1.1))] {
            let name = format!("{scheme}, {bytes} B");
            measures.push(Measure::of_pairs(name, "ns", bar, |side| {
                programs
                    .figures("bench-verify", &[scheme, bytes, side.argument()])?
                    .positive("ns_per_op")
            })?);
        }
    }
    Ok(measures)
}
