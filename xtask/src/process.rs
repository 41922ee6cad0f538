//! Starting other programs from the root of the repository.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::Error;

/// `cargo` with these arguments, in the root of the repository.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.current_dir(root()).args(arguments);
    command
}

/// Runs a command to its end, its output going where ours goes.
pub(crate) fn run(command: &mut Command) -> Result<(), Error> {
    let status = command
        .status()
        .map_err(|error| cannot_start(command, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(Error::failed(format!(
            "`{}` ended with {status}",
            line(command)
        )))
    }
}

/// Runs a command to its end and returns what it wrote to its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String, Error> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| cannot_start(command, &error))?;
    if !output.status.success() {
        return Err(Error::failed(format!(
            "`{}` ended with {}",
            line(command),
            output.status
        )));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a command can be started and ends well; its output is dropped.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The error for a program that could not be started at all.
pub(crate) fn cannot_start(command: &Command, error: &std::io::Error) -> Error {
    Error::unusable(format!("cannot start `{}`: {error}", line(command)))
}

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// Cargo's target directory: this program lies in it, so no setting has to be read again.
pub(crate) fn target_dir() -> Result<PathBuf, Error> {
    let program = env::current_exe().map_err(|error| {
        Error::unusable(format!("cannot find this program's own path: {error}"))
    })?;
    program
        .ancestors()
        .nth(2)
        .map(Path::to_path_buf)
        .ok_or_else(|| Error::unusable("this program does not lie in a target directory"))
}

/// A command as one would type it.
fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words = std::iter::once(name).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_without_the_path_of_its_program() {
        let mut command = Command::new("/usr/bin/wrk");
        command.args(["-t2", "-c50"]);
        assert_eq!(line(&command), "wrk -t2 -c50");
    }

    #[test]
    fn the_root_holds_the_workspace_manifest() {
        assert!(root().join("Cargo.lock").is_file());
    }

    #[test]
    fn a_program_that_does_not_exist_is_unusable_rather_than_failed() {
        let error = run(&mut Command::new("anvil-no-such-program")).unwrap_err();
        assert!(matches!(error, Error::Unusable(_)), "{error}");
    }
}
