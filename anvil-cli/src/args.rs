use std::ffi::OsString;

use anvil_queue::{JobId, QueueName};
use clap::{Args, Parser, Subcommand, ValueEnum};

mod selection;
mod senders;
mod values;
pub(crate) use selection::{Bulk, Filter, Selection};
pub(crate) use senders::{Presets, Send, Verify};
pub(crate) use values::Rate;

/// Look at the queues of Anvil, replay and discard dead letters, cancel jobs; try senders out.
#[derive(Debug, Parser)]
#[command(name = "anvil", version, propagate_version = true, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(flatten)]
    pub(crate) connection: Connection,

    /// The queue
    #[arg(long, global = true, env = "ANVIL_QUEUE", value_name = "NAME", help_heading = STORE)]
    pub(crate) queue: Option<QueueName>,

    /// How data is written: aligned columns, one JSON value, one JSON value a line, one id a line
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT", help_heading = STORE)]
    pub(crate) output: Format,

    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Reads arguments, the first of which is the name of the program, and the environment.
    ///
    /// # Errors
    ///
    /// What is wrong with them, or the help that was asked for; to be printed with
    /// [`clap::Error::print`].
    pub fn try_parse_args<I, T>(arguments: I) -> Result<Self, clap::Error>
    where
        I: IntoIterator<Item = T>,
        T: Into<OsString> + Clone,
    {
        Self::try_parse_from(arguments)
    }

    pub(crate) fn redis(&self) -> Option<&str> {
        self.connection.redis.as_deref()
    }
}

/// Where the store is.
#[derive(Args, Debug)]
pub(crate) struct Connection {
    /// The Redis to connect to, such as redis://user:password@host:6379
    #[arg(
        long,
        global = true,
        env = "ANVIL_REDIS",
        hide_env_values = true,
        value_name = "URL",
        help_heading = STORE
    )]
    pub(crate) redis: Option<String>,

    /// What the names of the keys in Redis begin with; as the services have it, if they set one
    #[arg(long, global = true, env = "ANVIL_PREFIX", help_heading = STORE, value_name = "PREFIX")]
    pub(crate) prefix: Option<String>,
}

/// How data is written.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum Format {
    #[default]
    Table,
    Json,
    Jsonl,
    Ids,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Count what the queue holds, and what has happened to it
    Stats(Stats),
    /// Look at dead letters, replay or discard them
    #[command(subcommand)]
    Dead(Dead),
    /// Show the next jobs of a place, or single jobs wherever they are; moves nothing
    Peek(Peek),
    /// Look at Redis: whether it is reached, its version, memory policy and persistence
    Check,
    /// Look whether every job of the queue is in exactly one place, while it is in use
    Fsck(Fsck),
    /// Cancel jobs: one that waits is removed, one that runs is asked to stop
    Cancel(Cancel),
    /// List the senders that have a preset, or show one with all that is known of it
    Presets(Presets),
    /// Judge a captured request as a receiver would, and say why it is refused
    Verify(Verify),
    /// Make a signed sample delivery and send it, to try a receiver
    Send(Send),
}

impl Command {
    /// Whether the command works on a store; the others need neither Redis nor a queue.
    pub(crate) fn needs_store(&self) -> bool {
        !matches!(self, Self::Presets(_) | Self::Send(_) | Self::Verify(_))
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Dead {
    /// List dead letters, oldest death first
    List(DeadList),
    /// Show one dead letter with its failures, metadata and payload
    Show(DeadShow),
    /// Send dead letters back to the queue, each under its own id
    Replay(Replay),
    /// Throw dead letters away for good
    Discard(Discard),
}

#[derive(Args, Debug)]
pub(crate) struct Stats {
    /// Print a line again and again, with what happened in between
    #[arg(long)]
    pub(crate) watch: bool,

    /// How long to wait between two lines
    #[arg(long, requires = "watch", default_value = "2s", value_name = "DURATION",
        value_parser = values::duration)]
    pub(crate) every: std::time::Duration,

    /// End after this many lines
    #[arg(long, requires = "watch", value_name = "N")]
    pub(crate) times: Option<u64>,
}

#[derive(Args, Debug)]
pub(crate) struct DeadList {
    #[command(flatten)]
    pub(crate) filter: Filter,

    /// List this many letters at most
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = values::at_least_one)]
    pub(crate) limit: u64,
}

#[derive(Args, Debug)]
pub(crate) struct DeadShow {
    /// The id of the job
    #[arg(value_name = "ID")]
    pub(crate) id: JobId,

    /// Write the payload, byte for byte, and nothing else
    #[arg(long)]
    pub(crate) raw: bool,

    /// Write it even to a terminal, which may act on what is in it
    #[arg(long, requires = "raw")]
    pub(crate) force_raw: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Replay {
    #[command(flatten)]
    pub(crate) bulk: Bulk,

    /// Replay even where the dedupe key belongs to a newer job
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Discard {
    #[command(flatten)]
    pub(crate) bulk: Bulk,
}

#[derive(Args, Debug)]
pub(crate) struct Peek {
    /// Show these jobs, wherever they are
    #[arg(value_name = "ID", conflicts_with_all = ["place", "limit"])]
    pub(crate) ids: Vec<JobId>,

    /// The place to look at: jobs a worker could take, jobs held back by a delay, jobs a worker has
    #[arg(long, value_enum, default_value_t, value_name = "PLACE")]
    pub(crate) place: Place,

    /// Show this many jobs at most, of 200
    #[arg(long, default_value_t = 20, value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=200))]
    pub(crate) limit: u16,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum Place {
    #[default]
    Ready,
    Scheduled,
    Leased,
}

#[derive(Args, Debug)]
pub(crate) struct Fsck {
    /// Mend what is not where it should be
    #[arg(long)]
    pub(crate) repair: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Cancel {
    /// The ids of the jobs
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<JobId>,
}

const STORE: &str = "Store and output";

const EXIT_CODES: &str = "\
Data goes to standard output, words to standard error.

Exit codes:
  0    done, or the reader of the output went away
  1    something was not done: not found, superseded, or answered with no;
       check and fsck: something is wrong; verify: refused; send: no 2xx
  2    the arguments make no sense, or a file they name can't be read or used
  3    the store could not be reached, or failed
  4    the output could not be written
  130  interrupted";
