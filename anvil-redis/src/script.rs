//! One script per transition: its source, its name on the server, and its call.

use std::sync::LazyLock;

use redis::{Arg, Cmd, RedisWrite, ToRedisArgs};

/// A script and the hash Redis knows it by.
pub(crate) struct Script {
    source: String,
    hash: String,
}

impl Script {
    fn new(flags: &str, body: &str) -> Self {
        let source = format!("#!lua{flags}\n{COMMON}\n{body}");
        let hash = redis::Script::new(&source).get_hash().to_owned();
        Self { source, hash }
    }

    /// A call that touches these keys and no others.
    pub(crate) fn call(&self, keys: &[impl AsRef<[u8]>]) -> Call<'_> {
        let mut command = Cmd::with_capacity(64, 4 * 1024);
        command.arg("EVALSHA").arg(&self.hash).arg(keys.len());
        for key in keys {
            command.arg(key.as_ref());
        }
        Call {
            script: self,
            command,
        }
    }
}

/// A call of a script, by its hash.
pub(crate) struct Call<'s> {
    script: &'s Script,
    command: Cmd,
}

impl Call<'_> {
    pub(crate) fn arg(mut self, argument: impl ToRedisArgs) -> Self {
        self.command.arg(argument);
        self
    }

    /// Makes room for arguments of these sizes.
    pub(crate) fn reserve(mut self, sizes: impl IntoIterator<Item = usize>) -> Self {
        self.command.reserve_space_for_args(sizes);
        self
    }

    pub(crate) fn args<T: AsRef<[u8]>>(mut self, arguments: impl IntoIterator<Item = T>) -> Self {
        for argument in arguments {
            self.command.arg(argument.as_ref());
        }
        self
    }

    pub(crate) fn command(&self) -> &Cmd {
        &self.command
    }

    /// The same call for a server that does not know the script, and will from then on.
    pub(crate) fn in_full(&self) -> Cmd {
        let mut command = Cmd::new();
        command.arg("EVAL").arg(&self.script.source);
        for argument in self.command.args_iter().skip(2) {
            if let Arg::Simple(argument) = argument {
                command.arg(argument);
            }
        }
        command
    }
}

pub(crate) static ENQUEUE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "",
        concat!(
            include_str!("lua/claims.lua"),
            include_str!("lua/enqueue.lua")
        ),
    )
});
pub(crate) static AGREE: LazyLock<Script> =
    LazyLock::new(|| Script::new("", include_str!("lua/agree.lua")));
pub(crate) static RESERVE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        ALSO_WHEN_FULL,
        concat!(
            include_str!("lua/records.lua"),
            include_str!("lua/reserve.lua")
        ),
    )
});
pub(crate) static SETTLE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        ALSO_WHEN_FULL,
        concat!(
            include_str!("lua/records.lua"),
            include_str!("lua/settle.lua")
        ),
    )
});
pub(crate) static EXTEND: LazyLock<Script> =
    LazyLock::new(|| Script::new(ALSO_WHEN_FULL, include_str!("lua/extend.lua")));
pub(crate) static REPLAY: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        ALSO_WHEN_FULL,
        concat!(
            include_str!("lua/records.lua"),
            include_str!("lua/claims.lua"),
            include_str!("lua/replay.lua")
        ),
    )
});
pub(crate) static DISCARD: LazyLock<Script> =
    LazyLock::new(|| Script::new(ALSO_WHEN_FULL, include_str!("lua/discard.lua")));
pub(crate) static CANCEL: LazyLock<Script> =
    LazyLock::new(|| Script::new(ALSO_WHEN_FULL, include_str!("lua/cancel.lua")));
pub(crate) static VIEW: LazyLock<Script> =
    LazyLock::new(|| Script::new(READS_ONLY, include_str!("lua/view.lua")));
pub(crate) static FSCK: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        ALSO_WHEN_FULL,
        concat!(
            include_str!("lua/records.lua"),
            include_str!("lua/fsck.lua")
        ),
    )
});
pub(crate) static DEAD_LIST: LazyLock<Script> =
    LazyLock::new(|| Script::new(READS_ONLY, include_str!("lua/dead_list.lua")));
pub(crate) static LOOK: LazyLock<Script> =
    LazyLock::new(|| Script::new(READS_ONLY, include_str!("lua/look.lua")));
pub(crate) static STATS: LazyLock<Script> =
    LazyLock::new(|| Script::new(READS_ONLY, include_str!("lua/stats.lua")));

const COMMON: &str = include_str!("lua/common.lua");

/// Only storing new jobs is refused by a Redis that has reached its memory limit.
const ALSO_WHEN_FULL: &str = " flags=allow-oom";
const READS_ONLY: &str = " flags=no-writes";
