use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;

/// A short list of named byte strings carried beside a payload, such as allow-listed headers and
/// the W3C `traceparent`.
///
/// `Debug` shows names and lengths, never values.
#[derive(Clone, Default, Eq, PartialEq)]
pub struct Metadata(Vec<(Cow<'static, str>, Bytes)>);

impl Metadata {
    /// Appends an entry; several entries may share a name.
    pub fn push(&mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Bytes>) {
        if self.0.is_empty() {
            // Most deliveries carry one entry, for as long as they wait.
            self.0.reserve_exact(1);
        }
        self.0.push((name.into(), value.into()));
    }

    /// The first value under `name`, compared without regard to ASCII case.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Bytes> {
        self.iter()
            .find(|(entry, _)| entry.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// All entries, in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Bytes)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value))
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names and values, in bytes.
    pub(super) fn weight(&self) -> usize {
        self.iter()
            .map(|(name, value)| name.len() + value.len())
            .sum()
    }
}

impl fmt::Debug for Metadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.iter().map(|(name, value)| (name, value.len())))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_found_without_regard_to_case() {
        let mut metadata = Metadata::default();
        metadata.push("traceparent", &b"00"[..]);
        assert_eq!(
            metadata.get("TraceParent").map(|v| &v[..]),
            Some(&b"00"[..])
        );
        assert_eq!(metadata.get("tracestate"), None);
    }
}
