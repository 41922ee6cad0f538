use std::io;

use serde::Serialize;

use super::escape::escape_json;

/// The value in one line, safe to show on a terminal.
pub(crate) fn to_json(value: &impl Serialize) -> io::Result<String> {
    let json = serde_json::to_string(value)?;
    Ok(escape_json(&json).into_owned())
}
