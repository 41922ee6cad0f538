use bytes::Bytes;
use http::header::HOST;
use http::uri::PathAndQuery;
use http::{Request, Uri};

use super::{Cause, Trial};

/// Another URL, or another path, for which the signature is right.
pub(super) fn find(trial: &Trial<'_>, request: &Request<Bytes>) -> Option<Cause> {
    let described = trial.facts.described();
    if described.needs_url {
        let given = trial.url.as_deref().and_then(|url| url.parse().ok());
        let fitting = candidates(given.as_ref(), request)
            .into_iter()
            .find(|candidate| trial.with_url(candidate.text()).fits(request))?;
        return Some(Cause::new("url", fitting.differs_from(given.as_ref())));
    }
    if !described.signed_content.contains("{path}") {
        return None;
    }
    let target = request.uri().path_and_query()?;
    for (what, path) in [
        (
            "with or without the slash at its end",
            toggled(target.path()),
        ),
        ("without its query", target.path().to_owned()),
    ] {
        let query = match (what, target.query()) {
            ("without its query", _) | (_, None) => String::new(),
            (_, Some(query)) => format!("?{query}"),
        };
        let mut again = request.clone();
        *again.uri_mut() = format!("{path}{query}").parse().ok()?;
        if trial.fits(&again) {
            let text = format!("the sender signed the path {what}: something in front changed it");
            return Some(Cause::new("url", text));
        }
    }
    None
}

/// A URL that the sender may have, in parts.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Candidate {
    scheme: String,
    authority: String,
    path: String,
    query: Option<String>,
}

impl Candidate {
    fn text(&self) -> String {
        let Self {
            scheme,
            authority,
            path,
            query,
        } = self;
        let query = query.as_ref().map(|query| format!("?{query}"));
        format!("{scheme}://{authority}{path}{}", query.unwrap_or_default())
    }

    /// What of it is not as in the URL that was given.
    fn differs_from(&self, given: Option<&Uri>) -> String {
        let Some(given) = given else {
            return format!(
                "the sender signs its URL, and none that fits was given: scheme {}, host {}, and the path of the request",
                self.scheme, self.authority
            );
        };
        let mut parts = Vec::new();
        if Some(self.scheme.as_str()) != given.scheme_str() {
            parts.push(format!("the scheme is {}", self.scheme));
        }
        let authority = given.authority().map(|authority| authority.as_str());
        if Some(self.authority.as_str()) != authority {
            parts.push(format!("host and port are {}", self.authority));
        }
        if self.path != given.path() {
            let what = if self.path == toggled(given.path()) {
                if self.path.ends_with('/') {
                    "the path has a slash at its end"
                } else {
                    "the path has no slash at its end"
                }
            } else {
                "the path is that of the request"
            };
            parts.push(what.to_owned());
        }
        if self.query.as_deref() != given.query() {
            let what = match self.query {
                Some(_) => "the query is that of the request",
                None => "there is no query",
            };
            parts.push(what.to_owned());
        }
        format!(
            "the sender has another URL than the one given: {}",
            parts.join(", ")
        )
    }
}

fn candidates(given: Option<&Uri>, request: &Request<Bytes>) -> Vec<Candidate> {
    let mut authorities: Vec<String> = Vec::new();
    if let Some(authority) = given.and_then(Uri::authority) {
        let host = authority.host();
        authorities.push(authority.to_string());
        authorities.push(host.to_owned());
        authorities.extend(["443", "80"].map(|port| format!("{host}:{port}")));
    }
    for name in [HOST.as_str(), "x-forwarded-host", "x-original-host"] {
        let value = request
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok());
        authorities.extend(value.map(str::to_owned));
    }
    let mut paths: Vec<String> = Vec::new();
    for path in [given.map(Uri::path), Some(request.uri().path())] {
        paths.extend(path.map(str::to_owned));
        paths.extend(path.map(toggled));
    }
    let queries = [given.and_then(Uri::query), request.uri().query(), None];
    let mut candidates = Vec::new();
    for authority in &authorities {
        for scheme in ["https", "http"] {
            for path in &paths {
                for query in queries {
                    candidates.push(Candidate {
                        scheme: scheme.to_owned(),
                        authority: authority.clone(),
                        path: path.clone(),
                        query: query.map(str::to_owned),
                    });
                }
            }
        }
    }
    // What differs least from what was given comes first.
    candidates.sort_by_key(|candidate| {
        given.map_or(0, |given| {
            usize::from(Some(candidate.scheme.as_str()) != given.scheme_str())
                + usize::from(
                    Some(candidate.authority.as_str()) != given.authority().map(|a| a.as_str()),
                )
                + usize::from(candidate.path != given.path())
                + usize::from(candidate.query.as_deref() != given.query())
        })
    });
    candidates.dedup();
    candidates
}

/// The path with a slash at its end where it has none, and the other way round.
fn toggled(path: &str) -> String {
    match path.strip_suffix('/') {
        Some("") => "/".to_owned(),
        Some(bare) => bare.to_owned(),
        None => format!("{path}/"),
    }
}

/// The URLs at which another sender that signs them may have the endpoint.
pub(super) fn guesses(trial: &Trial<'_>, request: &Request<Bytes>) -> Vec<String> {
    if let Some(url) = &trial.url {
        return vec![url.to_string()];
    }
    let host = request
        .headers()
        .get(HOST)
        .and_then(|value| value.to_str().ok());
    let target = request
        .uri()
        .path_and_query()
        .map_or("/", PathAndQuery::as_str);
    let schemes = ["https", "http"].into_iter();
    host.map(|host| {
        schemes
            .map(|scheme| format!("{scheme}://{host}{target}"))
            .collect()
    })
    .unwrap_or_default()
}
