//! Users and passwords, and how they are written in a URL.

/// With what a client gets in.
#[derive(Clone, Debug)]
pub(crate) struct Credentials {
    user: Option<String>,
    password: String,
}

impl Credentials {
    pub(crate) fn new(user: Option<&str>, password: &str) -> Self {
        Self {
            user: user.map(str::to_owned),
            password: password.to_owned(),
        }
    }

    pub(crate) fn auth(&self) -> Vec<&str> {
        let mut words = vec!["AUTH"];
        words.extend(self.user.as_deref());
        words.push(&self.password);
        words
    }

    pub(crate) fn login(&self) -> String {
        let user = self.user.as_deref().unwrap_or_default();
        format!("{}:{}@", escaped(user), escaped(&self.password))
    }
}

/// A part of a URL, with everything escaped that could end it.
fn escaped(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
