use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The name of a queue: 1 to 64 of `A–Z a–z 0–9 . _ -`.
///
/// The narrow alphabet keeps a name usable unchanged as part of a Redis key, a metric label and a
/// command-line argument. Cheap to clone.
///
/// ```
/// use anvil_queue::QueueName;
///
/// assert_eq!(QueueName::new("webhooks")?.as_str(), "webhooks");
/// assert!(QueueName::new("web hooks").is_err());
/// # Ok::<(), anvil_queue::InvalidQueueName>(())
/// ```
#[derive(Clone, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct QueueName(Arc<str>);

impl QueueName {
    /// Checks `name` once, so that nothing later has to.
    ///
    /// # Errors
    ///
    /// [`InvalidQueueName`] says which rule the name breaks.
    pub fn new(name: impl AsRef<str>) -> Result<Self, InvalidQueueName> {
        let name = name.as_ref();
        if name.is_empty() || name.len() > MAX_LEN {
            return Err(InvalidQueueName(format!(
                "a queue name has 1 to {MAX_LEN} characters, this one has {}",
                name.len()
            )));
        }
        if let Some(bad) = name.chars().find(|c| !is_allowed(*c)) {
            return Err(InvalidQueueName(format!(
                "a queue name is made of A-Z a-z 0-9 . _ -, this one has {bad:?}"
            )));
        }
        Ok(Self(name.into()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

impl fmt::Debug for QueueName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QueueName({:?})", self.as_str())
    }
}

impl fmt::Display for QueueName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for QueueName {
    type Err = InvalidQueueName;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::new(name)
    }
}

/// A text is not a [`QueueName`]; the message says which rule it breaks.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidQueueName(String);

impl fmt::Display for InvalidQueueName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidQueueName {}

const MAX_LEN: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_name_is_refused_with_the_rule_it_breaks() {
        let long = "x".repeat(65);
        for (name, rule) in [
            ("", "1 to 64"),
            (long.as_str(), "1 to 64"),
            ("a{b}", "'{'"),
            ("é", "'é'"),
            ("a b", "' '"),
        ] {
            let error = QueueName::new(name).unwrap_err().to_string();
            assert!(error.contains(rule), "{name:?}: {error}");
        }
    }
}
