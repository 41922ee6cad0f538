use std::fmt;

/// The URL of a key, https and in the one spelling that everybody reads alike.
#[derive(Clone, Eq, PartialEq)]
pub(crate) struct KeyUrl<'u> {
    whole: &'u str,
    host: &'u str,
    path: &'u str,
}

impl<'u> KeyUrl<'u> {
    /// Reads a URL without user, port, query, fragment, escape, capital letter in its host, or a
    /// path with empty or dotted segments. Two parsers can disagree about each of those, or a
    /// stranger could write one URL in many ways.
    pub(crate) fn parse(whole: &'u str) -> Option<Self> {
        let (host, path) = split(whole)?;
        let is_plain = |segment: &str| {
            !segment.is_empty()
                && !segment.starts_with('.')
                && segment
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
        };
        path.strip_prefix('/')?
            .split('/')
            .all(is_plain)
            .then_some(Self { whole, host, path })
    }

    pub(crate) fn as_str(&self) -> &'u str {
        self.whole
    }

    /// Whether the host is `*.paypal.com`.
    pub(crate) fn is_of_paypal(&self) -> bool {
        self.host.ends_with(".paypal.com")
    }

    /// Whether it is a `.pem` of `sns.<region>.amazonaws.com`, or of the same in China.
    pub(crate) fn is_of_sns(&self) -> bool {
        is_sns_host(self.host) && self.path.ends_with(".pem")
    }
}

/// Whether the URL is of `sns.<region>.amazonaws.com` or the same in China, with any path and query.
pub(crate) fn is_of_sns(url: &str) -> bool {
    split(url).is_some_and(|(host, _)| is_sns_host(host))
}

fn is_sns_host(host: &str) -> bool {
    let region = host.strip_prefix("sns.").and_then(|rest| {
        rest.strip_suffix(".amazonaws.com")
            .or_else(|| rest.strip_suffix(".amazonaws.com.cn"))
    });
    region.is_some_and(|region| region.len() >= 3 && !region.contains('.'))
}

/// Host, of plain labels and nothing else, and the rest from its slash on.
fn split(url: &str) -> Option<(&str, &str)> {
    if url.len() > MAX_LEN
        || !url
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    {
        return None;
    }
    let rest = url.strip_prefix("https://")?;
    let (host, path) = rest.split_at(rest.find('/')?);
    let is_label = |label: &str| {
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !label.is_empty()
            && label.bytes().all(is_plain)
            && !label.starts_with(['-'])
            && !label.ends_with('-')
            && !label.starts_with("xn--")
    };
    host.split('.').all(is_label).then_some((host, path))
}

impl fmt::Debug for KeyUrl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.whole)
    }
}

const MAX_LEN: usize = 2048;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn urls_of_the_senders_are_read() {
        let paypal = |url: &str| KeyUrl::parse(url).is_some_and(|url| url.is_of_paypal());
        assert!(paypal(
            "https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594"
        ));
        assert!(paypal(
            "https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1"
        ));
        let sns = |url: &str| KeyUrl::parse(url).is_some_and(|url| url.is_of_sns());
        assert!(sns(
            "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0.pem"
        ));
        assert!(sns(
            "https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-0.pem"
        ));
        assert!(is_of_sns(
            "https://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription&Token=a"
        ));
        assert!(!sns("https://sns.us-west-2.amazonaws.com/?Action=a.pem"));
    }

    #[test]
    fn every_other_url_is_refused() {
        for host in ["sns.eu-central-1.amazonaws.com", "api.paypal.com"] {
            let good = format!("https://{host}/a.pem");
            let is_good = |text: &str| {
                KeyUrl::parse(text).is_some_and(|url| url.is_of_sns() || url.is_of_paypal())
            };
            assert!(is_good(&good), "{good}");
            for bad in [
                good.replace("https", "http"),
                good.replace("https", "HTTPS"),
                good.replace("https://", "https:"),
                good.replace("https://", "https:///"),
                good.replace("https://", "//"),
                good.replace("https://", "https://user@"),
                good.replace("https://", "https://user:password@"),
                good.replace(host, &format!("{host}:443")),
                good.replace(host, &format!("{host}:8443")),
                good.replace(host, &format!("{host}.")),
                good.replace(host, &format!("{host}.example.net")),
                good.replace(host, &format!("{host}@example.net")),
                good.replace(host, &format!("example.net/{host}")),
                good.replace(host, &format!("example.net#{host}")),
                good.replace(host, &format!("example.net?{host}")),
                good.replace(host, &format!("example.net\\{host}")),
                good.replace(
                    host,
                    &format!("evil{}", host.trim_start_matches(|c| c != '.')),
                ),
                good.replace(host, &host.to_uppercase()),
                good.replace(host, &host.replace('a', "\u{430}")),
                good.replace(host, &host.replace("a", "%61")),
                good.replace(host, &format!("xn--a.{host}")),
                good.replace(host, &format!("-.{host}")),
                good.replace(host, &format!(".{host}")),
                good.replace(host, "127.0.0.1"),
                good.replace(host, "[::1]"),
                good.replace(host, ""),
                good.replace("/a.pem", ""),
                good.replace("/a.pem", "/"),
                good.replace("/a.pem", "//a.pem"),
                good.replace("/a.pem", "/../a.pem"),
                good.replace("/a.pem", "/b/./a.pem"),
                good.replace("/a.pem", "/%2e%2e/a.pem"),
                format!("{good}?x=.pem"),
                format!("{good}#.pem"),
                format!(" {good}"),
                format!("{good}\n"),
                good.replace("/a.pem", &format!("/{}.pem", "a".repeat(3000))),
            ] {
                let other_paypal = bad.starts_with("https://evil.paypal.com/");
                assert_eq!(is_good(&bad), other_paypal, "{bad}");
            }
        }
        for host in [
            "s3.amazonaws.com",
            "sns.amazonaws.com",
            "sns.a.b.amazonaws.com",
            "sns-eu-central-1.s3.amazonaws.com",
            "sns.eu-central-1.amazonaws.cn",
            "paypal.com",
            "notpaypal.com",
        ] {
            let url = format!("https://{host}/a.pem");
            let url = KeyUrl::parse(&url);
            assert!(
                !url.is_some_and(|url| url.is_of_sns() || url.is_of_paypal()),
                "{host}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text: String) {
            let _ = KeyUrl::parse(&text);
            let _ = KeyUrl::parse(&format!("https://{text}"));
            let _ = is_of_sns(&text);
        }
    }
}
