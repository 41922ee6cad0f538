//! Which dead letters are meant.

use std::time::Duration;

use anvil_queue::{DeadFilter, DeadPosition, DeadReason, JobId};
use clap::{ArgGroup, Args};

use super::values::{self, Rate};

/// The letters that match; without any of it, all.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Filter {
    /// Only jobs of this kind
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,

    /// Only jobs from this source
    #[arg(long, value_name = "SOURCE")]
    pub(crate) source: Option<String>,

    /// Only jobs that died for this reason: exhausted, missing, permanent, poison, undecodable
    #[arg(long, value_name = "REASON", value_parser = values::reason)]
    pub(crate) reason: Option<DeadReason>,

    /// Only jobs whose last error contains this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) error: Option<String>,

    /// Only jobs that died at most this long ago, such as 90s, 15m, 2h or 3d
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub(crate) since: Option<Duration>,

    /// Only jobs that died at least this long ago
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub(crate) older_than: Option<Duration>,

    /// Start after this position
    #[arg(long, value_name = "POSITION")]
    pub(crate) after: Option<DeadPosition>,

    /// End at this position
    #[arg(long, value_name = "POSITION")]
    pub(crate) up_to: Option<DeadPosition>,
}

impl Filter {
    pub(crate) fn of_letters(&self) -> DeadFilter {
        let mut filter = self.without_ages();
        filter.died_within = self.since;
        filter.dead_for = self.older_than;
        filter
    }

    /// The filter without what changes while time passes.
    pub(crate) fn without_ages(&self) -> DeadFilter {
        let mut filter = DeadFilter::default();
        filter.kind.clone_from(&self.kind);
        filter.source.clone_from(&self.source);
        filter.reason = self.reason;
        filter.error_contains.clone_from(&self.error);
        filter
    }

    /// The filter in words, as the end of a sentence that begins with what is filtered.
    pub(crate) fn in_words(&self) -> String {
        let since = self.since.map(humantime::format_duration);
        let older_than = self.older_than.map(humantime::format_duration);
        let parts = [
            self.kind.as_ref().map(|kind| format!("of kind `{kind}`")),
            self.source.as_ref().map(|name| format!("from `{name}`")),
            self.reason.map(|reason| format!("dead as {reason}")),
            self.error
                .as_ref()
                .map(|text| format!("with `{text}` in the last error")),
            since.map(|time| format!("dead for at most {time}")),
            older_than.map(|time| format!("dead for at least {time}")),
            self.after
                .map(|position| format!("after position {position}")),
            self.up_to
                .map(|position| format!("up to position {position}")),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            "whatever they are".to_owned()
        } else {
            parts.join(", ")
        }
    }
}

/// What a verb that changes dead letters acts on, and how.
///
/// The arguments of [`Filter`] are the same as those of the list; here one of them, or ids, or
/// `--all` has to be there.
#[derive(Args, Debug)]
#[command(group = ArgGroup::new("selection").required(true).multiple(true)
    .args(["ids", "all", "kind", "source", "reason", "error", "since", "older_than"]))]
pub(crate) struct Bulk {
    /// The ids of the jobs
    #[arg(value_name = "ID", conflicts_with_all = [
        "all", "kind", "source", "reason", "error", "since", "older_than", "after", "up_to",
        "limit",
    ])]
    pub(crate) ids: Vec<JobId>,

    /// All dead letters of the queue
    #[arg(long, conflicts_with_all = ["kind", "source", "reason", "error", "since", "older_than"])]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) filter: Filter,

    /// This many jobs a second at most, such as 20/s
    #[arg(long, value_name = "N/s")]
    pub(crate) rate: Option<Rate>,

    /// This many jobs at most, oldest death first
    #[arg(long, value_name = "N", value_parser = values::at_least_one)]
    pub(crate) limit: Option<u64>,

    /// Say what would be done and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// Single jobs, or all that match.
pub(crate) enum Selection<'a> {
    Ids(&'a [JobId]),
    Matching(&'a Filter),
}

impl Bulk {
    pub(crate) fn selection(&self) -> Selection<'_> {
        if self.ids.is_empty() {
            Selection::Matching(&self.filter)
        } else {
            Selection::Ids(&self.ids)
        }
    }
}
