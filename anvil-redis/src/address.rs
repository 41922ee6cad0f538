//! Where Redis is: the URLs people write, parsed once.

use std::fmt;

use percent_encoding::percent_decode_str;

/// A parsed URL. Neither `Debug` nor `Display` shows the password.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) mode: Mode,
    pub(crate) nodes: Vec<(String, u16)>,
    pub(crate) tls: bool,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) database: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Cluster,
    Sentinel { master: String },
    Standalone,
}

impl Address {
    /// Parses `redis://[user[:password]@]host[:port][,host[:port]…][/database or master]`, with
    /// `rediss` for TLS, and `+sentinel` or `+cluster` behind the scheme.
    pub(crate) fn parse(url: &str) -> Result<Self, String> {
        let (scheme, rest) = url.split_once("://").ok_or(
            "a Redis URL starts with redis://, rediss://, redis+sentinel:// or redis+cluster://",
        )?;
        let (tls, form) = match scheme.split_once('+').unwrap_or((scheme, "")) {
            ("redis", form) => (false, form),
            ("rediss", form) => (true, form),
            _ => {
                return Err(format!(
                    "{scheme}:// is not a Redis URL; write redis:// or rediss://"
                ));
            }
        };
        if rest.contains(['?', '#']) {
            return Err("a Redis URL takes no ? and no #; write such a character of a password as %3F or %23".into());
        }
        let (login, rest) = rest.rsplit_once('@').unwrap_or(("", rest));
        let (hosts, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, password) = match login.split_once(':') {
            Some((user, password)) => (user, password),
            None => (login, ""),
        };
        let default_port = if form == "sentinel" { 26_379 } else { 6_379 };
        let nodes = hosts
            .split(',')
            .map(|host| node(host, default_port))
            .collect::<Result<Vec<_>, _>>()?;
        let (mode, database) = match form {
            "" if nodes.len() > 1 => {
                return Err(
                    "redis:// takes one host; several are redis+sentinel:// or redis+cluster://"
                        .into(),
                );
            }
            "" => (Mode::Standalone, database(path)?),
            "cluster" if !path.is_empty() && path != "0" => {
                return Err("a Redis cluster has no numbered databases".into());
            }
            "cluster" => (Mode::Cluster, 0),
            "sentinel" => {
                let (master, number) = path.split_once('/').unwrap_or((path, ""));
                if master.is_empty() {
                    return Err("redis+sentinel:// needs the master's name: redis+sentinel://host:26379/mymaster".into());
                }
                let master = master.to_owned();
                (Mode::Sentinel { master }, database(number)?)
            }
            other => {
                return Err(format!(
                    "+{other} is not known; write +sentinel or +cluster"
                ));
            }
        };
        Ok(Self {
            mode,
            nodes,
            tls,
            user: decoded(user)?,
            password: decoded(password)?,
            database,
        })
    }
}

fn node(text: &str, default_port: u16) -> Result<(String, u16), String> {
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, port)) => (host, port.strip_prefix(':')),
        None => match text.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        },
    };
    if host.is_empty() {
        return Err("a Redis URL names a host: redis://127.0.0.1:6379".into());
    }
    let port = match port {
        None => default_port,
        Some(port) => port
            .parse()
            .map_err(|_| format!("{port:?} is not a port; a port is a number up to 65535"))?,
    };
    Ok((host.to_owned(), port))
}

fn database(text: &str) -> Result<i64, String> {
    if text.is_empty() {
        return Ok(0);
    }
    text.parse::<u16>()
        .map(Into::into)
        .map_err(|_| format!("{text:?} is not a database; a database is a number such as 0"))
}

fn decoded(text: &str) -> Result<Option<String>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let decoded = percent_decode_str(text).decode_utf8();
    decoded
        .map(|text| Some(text.into_owned()))
        .map_err(|_| "the user and the password of a Redis URL are UTF-8".into())
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (host, port)) in self.nodes.iter().enumerate() {
            let comma = if n == 0 { "" } else { "," };
            let host = if host.contains(':') {
                format!("[{host}]")
            } else {
                host.clone()
            };
            write!(f, "{comma}{host}:{port}")?;
        }
        match &self.mode {
            Mode::Cluster => f.write_str(" (cluster)"),
            Mode::Sentinel { master } => write!(f, " (sentinels of {master})"),
            Mode::Standalone => Ok(()),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_of_url_is_understood() {
        let one = Address::parse("redis://127.0.0.1").unwrap();
        assert_eq!(
            (one.mode.clone(), one.nodes),
            (Mode::Standalone, vec![("127.0.0.1".into(), 6379)])
        );
        let full = Address::parse("rediss://me:p%40ss@[::1]:7000/3").unwrap();
        assert_eq!(full.nodes, [("::1".into(), 7000)]);
        assert_eq!((full.tls, full.database), (true, 3));
        assert_eq!(
            (full.user.as_deref(), full.password.as_deref()),
            (Some("me"), Some("p@ss"))
        );
        let sentinel = Address::parse("redis+sentinel://:pw@a,b:1/main/2").unwrap();
        assert_eq!(sentinel.nodes, [("a".into(), 26_379), ("b".into(), 1)]);
        assert_eq!(
            sentinel.mode,
            Mode::Sentinel {
                master: "main".into()
            }
        );
        assert_eq!(
            (sentinel.user, sentinel.password.as_deref()),
            (None, Some("pw"))
        );
        assert_eq!(
            Address::parse("redis+cluster://a:1,b:2").unwrap().mode,
            Mode::Cluster
        );
    }

    #[test]
    fn a_bad_url_is_refused_with_what_to_change() {
        for (url, says) in [
            ("localhost:6379", "starts with redis://"),
            ("http://localhost", "is not a Redis URL"),
            ("redis://", "names a host"),
            ("redis://a:b", "is not a port"),
            ("redis://a/b", "is not a database"),
            ("redis://a,b", "takes one host"),
            ("redis://a?x=1", "%3F"),
            ("redis+sentinel://a", "needs the master's name"),
            ("redis+cluster://a/1", "no numbered databases"),
            ("redis+magic://a", "+sentinel or +cluster"),
        ] {
            let error = Address::parse(url).unwrap_err();
            assert!(error.contains(says), "{url}: {error}");
        }
    }

    #[test]
    fn the_password_is_never_shown() {
        let address = Address::parse("redis://me:hidden@a").unwrap();
        assert_eq!(format!("{address} {address:?}"), "a:6379 a:6379");
    }
}
