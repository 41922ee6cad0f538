use anvil_tower::preset::Facts;
use anvil_tower::{Rejection, RejectionKind};
use bytes::Bytes;
use http::Request;
use http::header::CONTENT_ENCODING;

use super::{Cause, Trial, Verdict, body, head, secret, time, url};

/// The causes of a refusal, the likeliest first.
pub(super) fn find(trial: &Trial<'_>, request: &Request<Bytes>, verdict: &Verdict) -> Vec<Cause> {
    match verdict {
        Verdict::Genuine(_) => Vec::new(),
        Verdict::Refused(rejection) => refused(trial, request, verdict, rejection),
        Verdict::Unusable(error) => {
            let found = secret::find(trial, request).or_else(|| url::find(trial, request));
            let text = if trial.facts.described().needs_url && trial.url.is_none() {
                "the sender signs the URL of the endpoint: give --url".to_owned()
            } else {
                error.to_string()
            };
            let said = Cause::new("settings", text);
            found.into_iter().chain([said]).collect()
        }
        Verdict::Waits => {
            let text = "the key is fetched from the sender, which is not done here";
            vec![Cause::new("key_fetched", text)]
        }
    }
}

fn refused(
    trial: &Trial<'_>,
    request: &Request<Bytes>,
    verdict: &Verdict,
    rejection: &Rejection,
) -> Vec<Cause> {
    let mut causes = Vec::new();
    match rejection.kind() {
        RejectionKind::Stale | RejectionKind::Future => {
            causes.push(time::find(trial, request, rejection.kind()));
        }
        RejectionKind::MethodNotAllowed => causes.push(method(trial, request)),
        RejectionKind::BodyTooLarge => {
            let text = format!(
                "the body has {} bytes, and this sender sends {} at most; body_limit sets another limit",
                request.body().len(),
                trial.facts.body_limit()
            );
            causes.push(Cause::new("body_too_large", text));
        }
        RejectionKind::Missing => {
            let renamed = head::renamed(trial, request, verdict);
            causes.extend(renamed.or_else(|| other_sender(trial, request)));
            if causes.is_empty() {
                causes.push(head::missing(trial, request, rejection.cause()));
            }
        }
        RejectionKind::Malformed => {
            let spelled = head::respelled(trial, request);
            causes.extend(spelled.or_else(|| other_sender(trial, request)));
            if causes.is_empty() {
                causes.push(malformed(trial, rejection));
            }
        }
        RejectionKind::Mismatch => causes.extend(mismatch(trial, request)),
        _ => {
            let text = format!("refused as {}", rejection.cause());
            causes.push(Cause::new("other", text));
        }
    }
    causes
}

fn mismatch(trial: &Trial<'_>, request: &Request<Bytes>) -> Vec<Cause> {
    let found = secret::find(trial, request)
        .or_else(|| body::find(trial, request))
        .or_else(|| url::find(trial, request))
        .or_else(|| head::respelled(trial, request))
        .or_else(|| other_sender(trial, request));
    if let Some(found) = found {
        return vec![found];
    }
    let mut causes: Vec<_> = body::length(request).into_iter().collect();
    if request.headers().contains_key(CONTENT_ENCODING) {
        let text = "the head says that the body is compressed: if something unpacked it, it is no longer what was signed";
        causes.push(Cause::new("body_encoded", text));
    }
    let text = format!(
        "nothing that was tried makes the signature right: most likely the secret is another one, of another endpoint or from before a rotation; it has {} bytes, the body {}",
        trial.secret.len(),
        request.body().len()
    );
    causes.push(Cause::new("wrong_secret", text));
    causes
}

fn method(trial: &Trial<'_>, request: &Request<Bytes>) -> Cause {
    let method = request.method();
    let text = match trial.facts.handshake() {
        Some(about) if trial.open_handshake(request) => {
            format!("this asks whether the endpoint is there, and nobody signs that: {about}")
        }
        _ => format!(
            "{} does not send {method}; a redirect on the way turns POST into GET",
            trial.facts.title()
        ),
    };
    Cause::new("method", text)
}

fn malformed(trial: &Trial<'_>, rejection: &Rejection) -> Cause {
    let described = trial.facts.described();
    let text = match rejection.cause() {
        "conflicting_headers" => {
            "a header of the scheme is there twice with two values: something in front added one"
                .to_owned()
        }
        "malformed_timestamp" => "the timestamp is not written in the sender's way".to_owned(),
        cause => format!(
            "{cause}: the sender writes {} in {}",
            described.algorithm, described.signature
        ),
    };
    Cause::new("malformed", text)
}

/// Other senders by whose rules the delivery is genuine under the same secret.
fn other_sender(trial: &Trial<'_>, request: &Request<Bytes>) -> Option<Cause> {
    let accepts = |facts: &&'static Facts| {
        let other = trial.with_sender(facts);
        if facts.described().needs_url {
            let urls = url::guesses(trial, request);
            return urls.iter().any(|url| other.with_url(url).fits(request));
        }
        other.fits(request)
    };
    let others: Vec<_> = Facts::all()
        .filter(|facts| facts.name() != trial.facts.name())
        .filter(accepts)
        .map(Facts::name)
        .collect();
    if others.is_empty() {
        return None;
    }
    let text = format!(
        "with this secret it is genuine by the preset {}",
        others.join(", ")
    );
    Some(Cause::new("other_sender", text))
}
