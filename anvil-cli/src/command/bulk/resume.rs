use std::fmt;

use anvil_queue::{DeadPosition, JobId};

use super::{Act, Call};
use crate::args::{Bulk, Format};

/// The command that goes on where a run stopped, for a person to copy.
///
/// It holds no password: where one was part of an argument, stars stand in its place.
pub(super) struct Resume(Vec<String>);

impl Resume {
    pub(super) fn new(call: Call<'_>, act: Act, bulk: &Bulk) -> Self {
        let mut resume = Self(vec!["anvil".to_owned()]);
        let url = call.cli.redis();
        resume.option(
            "--redis",
            url.filter(|url| !is_in_environment(url)).map(hide_password),
        );
        resume.option("--prefix", call.cli.connection.prefix.as_ref());
        resume.option("--queue", Some(call.queue));
        let output = match call.cli.output {
            Format::Table => None,
            Format::Json => Some("json"),
            Format::Jsonl => Some("jsonl"),
            Format::Ids => Some("ids"),
        };
        resume.option("--output", output);
        resume.0.extend(["dead".to_owned(), act.verb().to_owned()]);
        if let Act::Replay { force: true } = act {
            resume.0.push("--force".to_owned());
        }
        resume.option("--rate", bulk.rate);
        resume.filter(bulk);
        resume
    }

    /// Goes on with these jobs.
    pub(super) fn with_ids(mut self, ids: &[JobId]) -> Self {
        self.0.extend(ids.iter().map(JobId::to_string));
        self
    }

    /// Goes on after a position, up to where the plan ended.
    pub(super) fn within(mut self, after: Option<DeadPosition>, up_to: DeadPosition) -> Self {
        self.option("--after", after);
        self.option("--up-to", Some(up_to));
        self.0.push("--yes".to_owned());
        self
    }

    /// What stays of the filter once positions stand for its ages and its limit.
    fn filter(&mut self, bulk: &Bulk) {
        let filter = &bulk.filter;
        let before = self.0.len();
        self.option("--kind", filter.kind.as_ref());
        self.option("--source", filter.source.as_ref());
        self.option("--reason", filter.reason);
        self.option("--error", filter.error.as_ref());
        if self.0.len() == before && bulk.ids.is_empty() {
            self.0.push("--all".to_owned());
        }
    }

    fn option(&mut self, name: &str, value: Option<impl fmt::Display>) {
        if let Some(value) = value {
            // One word, so that a value which begins with a dash is no option.
            self.0
                .push(format!("{name}={}", quoted(&value.to_string())));
        }
    }
}

impl fmt::Display for Resume {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

/// The text as a word of a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

fn is_in_environment(url: &str) -> bool {
    std::env::var("ANVIL_REDIS").is_ok_and(|value| value == url)
}

/// The address with stars for its password. Where it is not clear what is one, more is hidden.
fn hide_password(url: &str) -> String {
    let after_user = url.rfind('@').unwrap_or(0);
    let query = url[after_user..].find('?').map(|at| after_user + at);
    let (address, query) = url.split_at(query.unwrap_or(url.len()));
    let query = if query.contains("pass") {
        "?***"
    } else {
        query
    };
    let shown = match address.rsplit_once('@') {
        None => address.to_owned(),
        Some((user, host)) => {
            let (scheme, user) = user.split_once("://").unwrap_or(("redis", user));
            match user.split_once(':') {
                Some((name, _)) => format!("{scheme}://{name}:***@{host}"),
                None => format!("{scheme}://{user}@{host}"),
            }
        }
    };
    format!("{shown}{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_hidden_and_nothing_else() {
        for (url, shown) in [
            ("redis://u:secret@host:6379/0", "redis://u:***@host:6379/0"),
            ("rediss://:se:c@ret@host", "rediss://:***@host"),
            ("redis://u:a/b?c@host", "redis://u:***@host"),
            ("redis+unix:///s?user=a&pass=secret", "redis+unix:///s?***"),
            ("redis+unix:///s?db=1", "redis+unix:///s?db=1"),
            ("redis://host:6379", "redis://host:6379"),
            ("redis://user@host", "redis://user@host"),
            ("host", "host"),
        ] {
            assert_eq!(hide_password(url), shown);
        }
    }

    #[test]
    fn a_word_survives_the_shell() {
        assert_eq!(quoted("invoice.paid"), "invoice.paid");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted(""), "''");
    }
}
