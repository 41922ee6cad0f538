//! Whether a Redis is fit to keep jobs: its version, its memory policy, its persistence.

use std::collections::HashMap;
use std::fmt;

use anvil_queue::{QueueError, QueueErrorKind};
use redis::{Cmd, Value};

use crate::RedisBackend;
use crate::link::Repeat;
use crate::settings::Durability;

/// What [`RedisBackend::check`] found.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Health {
    /// The version of the server.
    pub version: String,
    /// What is wrong, worst first. Empty where nothing is.
    pub findings: Vec<Finding>,
}

/// One thing that is wrong with a Redis.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// Whether jobs can't be kept at all as it is; otherwise some may be lost.
    pub fatal: bool,
    /// What is wrong, and what to change.
    pub text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl RedisBackend {
    /// Looks at the server's version, memory policy and persistence.
    ///
    /// # Errors
    ///
    /// [`QueueError`] where Redis can't be reached: at once where it can't be connected to, and
    /// after the [time-out](crate::RedisBuilder::timeout) where it does not answer.
    pub async fn check(&self) -> Result<Health, QueueError> {
        let mut command = Cmd::new();
        command.arg("INFO");
        let budget = self.settings().timeout;
        let link = &self.connections().shared;
        let answer = link.command(&command, budget, Repeat::Once).await?;
        Ok(judge(&read_info(&answer), self.settings().durability))
    }
}

impl Health {
    /// Logs what is wrong, or refuses.
    pub(crate) fn enforce(&self, strict: bool) -> Result<(), QueueError> {
        for finding in &self.findings {
            if finding.fatal || strict {
                return Err(QueueError::new(
                    QueueErrorKind::Rejected,
                    finding.text.clone(),
                ));
            }
            tracing::warn!(finding = %finding, "this redis may lose jobs");
        }
        Ok(())
    }
}

/// The fields of `INFO`; a cluster answers with one text for each node, and the worst counts.
fn read_info(answer: &Value) -> Vec<HashMap<String, String>> {
    let texts: Vec<String> = match answer {
        Value::BulkString(text) => vec![String::from_utf8_lossy(text).into_owned()],
        Value::VerbatimString { text, .. } => vec![text.clone()],
        Value::Map(nodes) => nodes
            .iter()
            .flat_map(|(_, node)| match node {
                Value::BulkString(text) => Some(String::from_utf8_lossy(text).into_owned()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    let fields = |text: String| {
        text.lines()
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect()
    };
    texts.into_iter().map(fields).collect()
}

fn judge(nodes: &[HashMap<String, String>], durability: Durability) -> Health {
    let mut findings: Vec<Finding> = Vec::new();
    let mut add = |fatal, text: String| {
        if !findings.iter().any(|finding| finding.text == text) {
            findings.push(Finding { fatal, text });
        }
    };
    let oldest = nodes
        .iter()
        .filter_map(|node| node.get("redis_version"))
        .min_by_key(|version| numbers(version));
    let version = oldest.cloned().unwrap_or_else(|| "unknown".to_owned());
    if oldest.is_none_or(|version| numbers(version) < [7, 0]) {
        add(
            true,
            format!(
                "redis {version} is too old: 7.0 or newer is needed, for scripts that may run when memory is full"
            ),
        );
    }
    if matches!(durability, Durability::Fsynced { .. }) && numbers(&version) < [7, 2] {
        add(
            true,
            format!("redis {version} has no WAITAOF: Durability::Fsynced needs 7.2 or newer"),
        );
    }
    for node in nodes {
        let is = |name: &str, value: &str| node.get(name).is_some_and(|found| found == value);
        if let Some(policy) = node
            .get("maxmemory_policy")
            .filter(|policy| *policy != "noeviction")
        {
            add(
                false,
                format!(
                    "maxmemory-policy is {policy}: redis then throws away jobs or dedupe records when memory is full; set it to noeviction"
                ),
            );
        }
        if is("aof_enabled", "0") {
            let what = "appendonly is off: a restart of redis loses what came after the last snapshot; set appendonly to yes";
            add(
                matches!(durability, Durability::Fsynced { .. }),
                what.to_owned(),
            );
        }
        if is("aof_last_write_status", "err") {
            add(
                false,
                "redis could not write to its append-only file; look at the disk".to_owned(),
            );
        }
        if is("role", "slave") {
            add(false, "this server is a replica, which takes no jobs; connect to its master or through sentinels".to_owned());
        }
        if let Durability::Replicated { replicas, .. } = durability
            && let Some(connected) = node
                .get("connected_slaves")
                .and_then(|count| count.parse::<u32>().ok())
            && connected < replicas
        {
            add(
                false,
                format!(
                    "{connected} replica(s) are connected and {replicas} are waited for: every enqueue will fail"
                ),
            );
        }
    }
    findings.sort_by_key(|finding| !finding.fatal);
    Health { version, findings }
}

fn numbers(version: &str) -> [u32; 2] {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    [parts.next().unwrap_or(0), parts.next().unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(fields: &[(&str, &str)]) -> HashMap<String, String> {
        let good = [
            ("redis_version", "7.2.4"),
            ("maxmemory_policy", "noeviction"),
            ("aof_enabled", "1"),
            ("role", "master"),
        ];
        let fields = good.iter().chain(fields);
        fields
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn a_fit_server_has_no_findings() {
        assert!(judge(&[node(&[])], Durability::Fast).findings.is_empty());
    }

    #[test]
    fn each_way_to_lose_jobs_is_named_with_what_to_change() {
        for (field, value, fatal, says) in [
            ("redis_version", "6.2.6", true, "7.0 or newer"),
            ("maxmemory_policy", "allkeys-lru", false, "noeviction"),
            ("maxmemory_policy", "volatile-ttl", false, "noeviction"),
            ("aof_enabled", "0", false, "appendonly to yes"),
            ("role", "slave", false, "replica"),
        ] {
            let health = judge(&[node(&[]), node(&[(field, value)])], Durability::Fast);
            assert_eq!(health.findings.len(), 1, "{field}");
            assert_eq!(health.findings[0].fatal, fatal, "{field}");
            assert!(health.findings[0].text.contains(says), "{field}");
        }
    }

    #[test]
    fn what_a_server_does_not_tell_is_no_finding() {
        let hides_its_settings = node(&[])
            .into_iter()
            .filter(|(name, _)| name == "redis_version")
            .collect();
        let health = judge(&[hides_its_settings], Durability::Fast);
        assert!(health.findings.is_empty(), "{:?}", health.findings);
    }

    #[test]
    fn a_durability_the_server_can_not_give_is_fatal() {
        let within = std::time::Duration::from_secs(1);
        let fsynced = Durability::Fsynced {
            replicas: 0,
            within,
        };
        assert!(judge(&[node(&[("redis_version", "7.0.15")])], fsynced).findings[0].fatal);
        assert!(judge(&[node(&[("aof_enabled", "0")])], fsynced).findings[0].fatal);
        assert!(judge(&[node(&[])], fsynced).findings.is_empty());
    }

    #[test]
    fn a_version_is_compared_by_its_numbers() {
        assert!(numbers("7.0.15") < numbers("7.2.0"));
        assert!(numbers("10.1") > numbers("7.2.0"));
        assert_eq!(numbers("unknown"), [0, 0]);
    }
}
