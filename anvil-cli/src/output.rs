//! How data is written.

mod escape;
mod job;
mod json;
mod table;
mod time;
pub(crate) use escape::escape;
pub(crate) use job::{describe, of_letter, printable, record};
pub(crate) use json::to_json;
pub(crate) use table::Table;
pub(crate) use time::{ago, span, timestamp};
