use std::path::PathBuf;
use std::time::SystemTime;

use anvil_tower::preset::Facts;
use clap::Args;
use http::Uri;

use super::values;

#[derive(Args, Debug)]
pub(crate) struct Presets {
    /// Show all that is known of this sender
    #[arg(value_name = "NAME", value_parser = values::sender)]
    pub(crate) sender: Option<&'static Facts>,

    /// Write docs/presets.md
    #[arg(long, hide = true, conflicts_with = "sender")]
    pub(crate) markdown: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Verify {
    /// The sender, by its name in `anvil presets`
    #[arg(long, value_name = "NAME", value_parser = values::sender)]
    pub(crate) preset: &'static Facts,

    /// The file with the secret as the sender shows it; one line end at its end is cut off
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: PathBuf,

    /// The file with the request: request line, headers, an empty line, the body byte for byte;
    /// lines of the head end in LF or CRLF; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) request: PathBuf,

    /// The URL of the endpoint as the sender has it, for a sender that signs it
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// Judge as of this time, such as 2026-03-01T12:00:00Z or 1772366400. Default: this machine's
    /// clock
    #[arg(long, value_name = "TIME", value_parser = values::time)]
    pub(crate) now: Option<SystemTime>,

    /// Show each step, and where one fails look for the likeliest cause
    #[arg(long)]
    pub(crate) explain: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Send {
    /// The sender, by its name in `anvil presets`
    #[arg(long, value_name = "NAME", value_parser = values::sender)]
    pub(crate) preset: &'static Facts,

    /// The event type. Default: the preset's
    #[arg(long, value_name = "NAME")]
    pub(crate) event: Option<String>,

    /// Where the delivery goes
    #[arg(long, value_name = "URL", value_parser = values::url)]
    pub(crate) to: Uri,

    /// The URL of the endpoint as the sender has it, for a sender that signs it. Default: --to
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// The file with the secret of the endpoint; one line end at its end is cut off. Default: a
    /// secret that everybody knows, 64 times the digit 5
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<PathBuf>,

    /// The id of the delivery. Default: a new one
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,

    /// Write the request as text, in the form that `anvil verify` reads, and send nothing
    #[arg(long)]
    pub(crate) print: bool,
}
