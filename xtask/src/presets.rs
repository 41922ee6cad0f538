//! `cargo xtask presets`: docs/presets.md, as the program `anvil` writes it.

use std::fs;

use crate::error::Error;
use crate::process::{cargo, output, root};

/// Writes the page.
pub(crate) fn write() -> Result<(), Error> {
    let mut anvil = cargo(&["run", "--quiet", "-p", "anvil-cli", "--bin", "anvil"]);
    let page = output(anvil.args(["--", "presets", "--markdown"]))?;
    fs::write(root().join("docs/presets.md"), page)
        .map_err(|error| Error::unusable(format!("cannot write docs/presets.md: {error}")))
}
