//! Why a delivery is refused.
//!
//! Everything here is a function of a request and of what it is judged by: nothing is read, and the
//! time is given. Causes are found by trying: what makes the signature right is what went wrong. In
//! none of the texts is a secret, a signature or a byte of a body.

use anvil_tower::{Rejection, RejectionKind};
use bytes::Bytes;
use http::Request;

mod body;
mod causes;
mod head;
mod json_text;
mod secret;
mod time;
mod trial;
mod url;

pub(crate) use time::brief;
pub(crate) use trial::{Trial, Verdict};

/// What was looked at, and why it failed where it did.
#[derive(Debug)]
pub(crate) struct Explanation {
    pub(crate) steps: Vec<Step>,
    /// The likeliest first; empty where the delivery is genuine.
    pub(crate) causes: Vec<Cause>,
}

/// One thing that a receiver looks at.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) outcome: Outcome,
    pub(crate) note: String,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Outcome {
    Failed,
    NotReached,
    Passed,
}

impl Outcome {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::NotReached => "not reached",
            Self::Passed => "ok",
        }
    }
}

/// Something that explains a refusal.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Cause {
    /// A stable name, for programs.
    pub(crate) name: &'static str,
    pub(crate) text: String,
}

impl Cause {
    fn new(name: &'static str, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { name, text }
    }
}

/// Shows each step of the judgement, and the causes of a refusal.
pub(crate) fn explain(trial: &Trial<'_>, request: &Request<Bytes>) -> Explanation {
    let verdict = trial.judge(request);
    Explanation {
        steps: steps(trial, request, &verdict),
        causes: causes::find(trial, request, &verdict),
    }
}

fn steps(trial: &Trial<'_>, request: &Request<Bytes>, verdict: &Verdict) -> Vec<Step> {
    let described = trial.facts.described();
    let failed = match verdict {
        Verdict::Genuine(_) => usize::MAX,
        Verdict::Refused(rejection) => place_of(rejection),
        Verdict::Unusable(_) => 0,
        Verdict::Waits => RIGHT,
    };
    let mut notes = [
        ("settings usable", String::new()),
        ("method", request.method().to_string()),
        (
            "body length",
            format!(
                "{} bytes of at most {}",
                request.body().len(),
                trial.facts.body_limit()
            ),
        ),
        ("header found", described.signature.to_string()),
        ("signature decoded", described.algorithm.to_string()),
        (
            "signature right",
            format!("over {}", described.signed_content),
        ),
        (
            "timestamp fresh",
            described.tolerance.map_or_else(String::new, |(past, _)| {
                format!("tolerance {}", brief(past))
            }),
        ),
    ];
    if described.signed_content.is_empty() {
        notes[RIGHT].1.clear();
    }
    match verdict {
        Verdict::Refused(rejection) => notes[failed].1 = rejection.cause().to_owned(),
        Verdict::Unusable(error) => notes[0].1 = error.to_string(),
        Verdict::Waits => notes[RIGHT].1 = "the sender's key would have to be fetched".to_owned(),
        Verdict::Genuine(_) => {}
    }
    let is_shown = |index: usize| match index {
        0 => failed == 0,
        FRESH => described.tolerance.is_some() || failed == FRESH,
        _ => true,
    };
    (notes.into_iter().enumerate())
        .filter(|(index, _)| is_shown(*index))
        .map(|(index, (name, note))| Step {
            name,
            outcome: match index {
                _ if index < failed => Outcome::Passed,
                _ if index == failed => Outcome::Failed,
                _ => Outcome::NotReached,
            },
            note,
        })
        .collect()
}

/// The step in which such a delivery is refused.
fn place_of(rejection: &Rejection) -> usize {
    match rejection.kind() {
        RejectionKind::MethodNotAllowed => 1,
        RejectionKind::BodyTooLarge => 2,
        RejectionKind::Missing => 3,
        RejectionKind::Malformed => 4,
        RejectionKind::Future | RejectionKind::Stale => FRESH,
        _ => RIGHT,
    }
}

const RIGHT: usize = 5;
const FRESH: usize = 6;

#[cfg(test)]
mod tests;
