use std::borrow::Cow;

use http::Uri;
use http::request::Parts;

use crate::ConfigError;

/// The URL of an endpoint as its sender knows it.
///
/// It is configured and never rebuilt from the request: behind a proxy the request has another
/// scheme, host and port, and a forwarded header says what whoever wrote it wants.
#[derive(Clone, Debug)]
pub(crate) struct PublicUrl {
    text: String,
    has_path: bool,
    has_query: bool,
}

impl PublicUrl {
    pub(crate) fn parse(text: &str) -> Result<Self, ConfigError> {
        let refused = || {
            ConfigError::new(format!(
                "the public URL {text:?} is none; write it as the sender has it, such as \"https://example.com/hooks\""
            ))
        };
        let uri: Uri = text.parse().map_err(|_| refused())?;
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        if !is_http || uri.authority().is_none() || text.contains('#') {
            return Err(refused());
        }
        let after_scheme = text.split_once("://").map_or("", |(_, rest)| rest);
        Ok(Self {
            text: text.to_owned(),
            has_path: after_scheme.contains('/'),
            has_query: after_scheme.contains('?'),
        })
    }

    /// The URL of this request. The path is the configured one, or the request's where only the
    /// host is configured; the same goes for the query.
    pub(crate) fn of<'u>(&'u self, head: &Parts) -> Cow<'u, str> {
        let mut url = Cow::Borrowed(self.text.as_str());
        if self.has_query {
            return url;
        }
        if !self.has_path {
            url.to_mut().push_str(head.uri.path());
        }
        if let Some(query) = head.uri.query() {
            let url = url.to_mut();
            url.push('?');
            url.push_str(query);
        }
        url
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::head;

    fn of(url: &str, target: &str) -> String {
        let mut head = head(&[]);
        head.uri = target.parse().unwrap();
        PublicUrl::parse(url).unwrap().of(&head).into_owned()
    }

    #[test]
    fn what_is_not_configured_is_the_requests() {
        assert_eq!(of("https://a.example", "/x?y=1"), "https://a.example/x?y=1");
        assert_eq!(
            of("https://a.example:8443/h", "/x?y=%20"),
            "https://a.example:8443/h?y=%20"
        );
        assert_eq!(of("https://a.example/", "/x"), "https://a.example/");
        assert_eq!(
            of("https://a.example/h?k=1", "/x?y=1"),
            "https://a.example/h?k=1"
        );
        assert_eq!(
            of("http://a.example/h", "https://evil.example/x"),
            "http://a.example/h"
        );
    }

    #[test]
    fn what_is_no_url_is_refused() {
        for bad in [
            "",
            "/hooks",
            "example.com/hooks",
            "ftp://a.example/",
            "https://",
            "https://a.example/#x",
        ] {
            assert!(PublicUrl::parse(bad).is_err(), "{bad:?}");
        }
    }
}
