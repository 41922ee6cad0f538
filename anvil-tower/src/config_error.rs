use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// A scheme, layer or service is set up in a way that can't work; the message says what to change.
///
/// Never holds the secret, or any other value that was refused because of what it contains.
///
/// ```
/// use anvil_tower::Preset;
///
/// let error = Preset::github("").unwrap_err();
/// assert!(error.to_string().contains("empty"));
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ConfigError(Cow<'static, str>);

impl ConfigError {
    /// An error with this message; for schemes of your own.
    #[must_use]
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for ConfigError {}
