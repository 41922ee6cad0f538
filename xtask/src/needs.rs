//! Programs beyond the Rust toolchain, and installing them where that is possible.

use std::env;
use std::path::Path;
use std::process::Command;

use crate::error::Error;
use crate::process;

/// A program a command cannot do without.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    /// The program, as looked up in `PATH`.
    pub(crate) binary: &'static str,
    /// The Debian package that holds it.
    pub(crate) package: &'static str,
    /// What it is for.
    pub(crate) why: &'static str,
}

/// What the tests need. Debian's package also starts a service on port 6379, which no test uses.
pub(crate) const TEST: &[Need] = &[
    Need {
        binary: "redis-server",
        package: "redis-server",
        why: "is what the Redis tests run against",
    },
    Need {
        binary: "script",
        package: "bsdutils",
        why: "is the terminal of the tests of the command line",
    },
];

/// What the benchmarks over HTTP need.
pub(crate) const LOAD: &[Need] = &[Need {
    binary: "wrk",
    package: "wrk",
    why: "sends the load of the HTTP benchmarks",
}];

/// What the benchmarks over Redis need, peers and load included.
pub(crate) const REDIS_AND_PEERS: &[Need] = &[LOAD[0], REDIS[0], NODE[0], NODE[1]];

/// What the benchmarks over Redis need that have no peer.
pub(crate) const REDIS: &[Need] = &[Need {
    binary: "redis-server",
    package: "redis-server",
    why: "is the store that is measured",
}];

const NODE: [Need; 2] = [
    Need {
        binary: "node",
        package: "nodejs",
        why: "runs BullMQ, which is measured against",
    },
    Need {
        binary: "npm",
        package: "npm",
        why: "installs BullMQ",
    },
];

/// Makes sure that every needed program is there.
///
/// On Debian, as root or with a passwordless `sudo`, missing packages are installed, after saying
/// so. Anywhere else the error names the package.
pub(crate) fn ensure(needs: &[Need]) -> Result<(), Error> {
    for need in needs.iter().filter(|need| !is_installed(need.binary)) {
        let Need {
            binary,
            package,
            why,
        } = need;
        let Some(apt) = Apt::find() else {
            return Err(Error::unusable(format!(
                "`{binary}` is missing ({why}); install the package `{package}` and run this again"
            )));
        };
        println!("installing the Debian package `{package}`: `{binary}` {why}");
        apt.install(package)?;
        if !is_installed(binary) {
            return Err(Error::unusable(format!(
                "`{binary}` is still missing after installing the package `{package}`"
            )));
        }
    }
    Ok(())
}

/// `apt-get`, with the right to install.
#[derive(Clone, Copy)]
enum Apt {
    AsRoot,
    ThroughSudo,
}

impl Apt {
    fn find() -> Option<Self> {
        if !Path::new("/etc/debian_version").is_file() || !is_installed("apt-get") {
            return None;
        }
        let user = process::output(Command::new("id").arg("-u")).ok()?;
        if user.trim() == "0" {
            return Some(Self::AsRoot);
        }
        process::succeeds(Command::new("sudo").args(["-n", "true"])).then_some(Self::ThroughSudo)
    }

    fn install(self, package: &str) -> Result<(), Error> {
        // The package lists of a fresh machine are empty.
        self.run(&["update", "-q"], package)?;
        self.run(
            &["install", "-q", "-y", "--no-install-recommends", package],
            package,
        )
    }

    fn run(self, arguments: &[&str], package: &str) -> Result<(), Error> {
        let mut command = match self {
            Self::AsRoot => Command::new("env"),
            Self::ThroughSudo => {
                let mut sudo = Command::new("sudo");
                sudo.args(["-n", "env"]);
                sudo
            }
        };
        command
            .args(["DEBIAN_FRONTEND=noninteractive", "apt-get"])
            .args(arguments);
        process::run(&mut command)
            .map_err(|error| Error::unusable(format!("cannot install `{package}`: {error}")))
    }
}

fn is_installed(binary: &str) -> bool {
    env::var_os("PATH")
        .is_some_and(|path| env::split_paths(&path).any(|dir| dir.join(binary).is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_the_path_is_found() {
        assert!(is_installed("env"));
        assert!(!is_installed("anvil-no-such-program"));
    }

    #[test]
    fn what_is_there_is_not_installed_again() {
        let present = Need {
            binary: "env",
            package: "no-such-package",
            why: "is always there",
        };
        assert!(ensure(&[present]).is_ok());
    }
}
