use std::time::{SystemTime, UNIX_EPOCH};

use http::HeaderValue;
use http::request::Parts;
use jiff::Timestamp;

use super::headers::Expected;
use super::template::Values;
use super::timestamp::TimestampUnit;
use super::{HmacScheme, Source};
use crate::ConfigError;

impl HmacScheme {
    /// Signs a request as the sender would, under the first secret: for tests and local work.
    ///
    /// Writes the headers of the first header set: the signature, the time `now` where one is
    /// signed in the head, and where there is an id header and `head` has none yet, `id`.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the signature is in the body, or a part of what is signed is, or where
    /// `id` can't be a header's value.
    pub fn sign(
        &self,
        head: &mut Parts,
        body: &[u8],
        id: &str,
        now: SystemTime,
    ) -> Result<(), ConfigError> {
        let names = match &self.signature {
            Source::Headers(sets) if !self.template.has_json() => sets.first(),
            _ => None,
        };
        let names = names.ok_or_else(|| {
            ConfigError::new(format!(
                "{} signs in the body, which is not written here",
                self.name
            ))
        })?;
        let value = |text: &str| {
            HeaderValue::try_from(text)
                .map_err(|_| ConfigError::new(format!("{text:?} can't be the value of a header")))
        };
        if let Some(name) = &names.id
            && !head.headers.contains_key(name)
        {
            head.headers.insert(name, value(id)?);
        }
        for Expected { name, value } in &self.expected_headers {
            head.headers.insert(name, value.clone());
        }
        let unit = self.timestamp.map(|rule| rule.unit).unwrap_or_default();
        let timestamp = write(now, unit);
        if let Some(name) = &names.timestamp {
            head.headers.insert(name, value(&timestamp)?);
        }
        let values = Values {
            head,
            id: self.read_id(head, Some(names)).unwrap_or_default(),
            timestamp: timestamp.as_bytes(),
            url: &self.url(head),
        };
        let mut message = self.template.before(values);
        message.extend_from_slice(body);
        message.extend(self.template.after(values));
        let signature = self.form.write(&self.mac(0, &message), &timestamp);
        head.headers.insert(&names.signature, value(&signature)?);
        Ok(())
    }
}

/// A time as the sender would write it; one before the epoch is the epoch.
fn write(time: SystemTime, unit: TimestampUnit) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    match unit {
        TimestampUnit::Milliseconds => since.as_millis().to_string(),
        TimestampUnit::Rfc3339 => Timestamp::try_from(UNIX_EPOCH + since)
            .unwrap_or_default()
            .to_string(),
        TimestampUnit::Seconds => since.as_secs().to_string(),
    }
}
