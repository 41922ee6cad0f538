use bytes::Bytes;
use http::Response;
use http::request::Parts;

use super::Preset;

mod answer;
mod open;
mod query;
mod signed;

/// How a sender asks whether an endpoint is there and ours, before or between its deliveries.
pub(crate) struct Handshake {
    /// The request and the answer, for a reader; empty where there is no handshake.
    pub(crate) about: &'static str,
    /// What the user has to set for it.
    pub(crate) needs: Needs,
    /// Answers a request that nobody has signed, by its head alone.
    pub(crate) open: Open,
    /// Answers a signed request, after its signature was found right by the key with this number.
    pub(crate) signed: Signed,
}

type Open = fn(&Preset, &Parts) -> Option<Response<Bytes>>;
type Signed = fn(&Preset, u32, &Parts, &[u8]) -> Option<Response<Bytes>>;

/// What a handshake needs from the user.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Needs {
    /// To take the secret that it brings.
    Adoption,
    Nothing,
    /// The token that it shows.
    Token,
}

impl Handshake {
    pub(crate) const NONE: Self = Self {
        about: "",
        needs: Needs::Nothing,
        open: |_, _| None,
        signed: |_, _, _, _| None,
    };

    /// Asana: the secret of a new webhook, while the call that creates it is under way.
    pub(crate) const ASANA: Self = Self {
        about: "unsigned POST with X-Hook-Secret, answered with the same header where adopt_secret takes it",
        needs: Needs::Adoption,
        open: open::asana,
        ..Self::NONE
    };

    /// Discord: the ping of interactions, and that of events.
    #[cfg(any(test, feature = "ed25519"))]
    pub(crate) const DISCORD: Self = Self {
        about: "signed POST of type 1 without an event, answered {\"type\":1}; of type 0, answered 204",
        signed: signed::discord,
        ..Self::NONE
    };

    /// Dropbox: a challenge in the query.
    pub(crate) const DROPBOX: Self = Self {
        about: "unsigned GET with ?challenge=, answered with the challenge",
        open: open::dropbox,
        ..Self::NONE
    };

    /// Meta, with WhatsApp, Instagram and Messenger: a challenge in the query and a token.
    pub(crate) const META: Self = Self {
        about: "unsigned GET with ?hub.mode=subscribe and the handshake token as hub.verify_token, answered with hub.challenge",
        needs: Needs::Token,
        open: open::meta,
        ..Self::NONE
    };

    /// Microsoft Graph: a token in the query.
    pub(crate) const MICROSOFT_GRAPH: Self = Self {
        about: "unsigned POST with ?validationToken=, answered with the token",
        open: open::microsoft_graph,
        ..Self::NONE
    };

    /// Okta: a challenge in a header.
    pub(crate) const OKTA: Self = Self {
        about: "unsigned GET with X-Okta-Verification-Challenge, answered {\"verification\":…}",
        open: open::okta,
        ..Self::NONE
    };

    /// Trello and Intercom: is anybody there?
    pub(crate) const HEAD: Self = Self {
        about: "HEAD, answered 200",
        open: open::head,
        ..Self::NONE
    };

    /// Slack: a challenge in the body.
    pub(crate) const SLACK: Self = Self {
        about: "signed POST of type url_verification, answered with the challenge",
        signed: signed::slack,
        ..Self::NONE
    };

    /// Twitch: a challenge in the body.
    pub(crate) const TWITCH: Self = Self {
        about: "signed POST of the message type webhook_callback_verification, answered with the challenge",
        signed: signed::twitch,
        ..Self::NONE
    };

    /// X: a token in the query, to be signed.
    pub(crate) const X: Self = Self {
        about: "unsigned GET with ?crc_token=, answered with the token's HMAC",
        open: open::x,
        ..Self::NONE
    };

    /// Zoom: a token in the body, to be signed; again every 72 hours.
    pub(crate) const ZOOM: Self = Self {
        about: "signed POST of the event endpoint.url_validation, answered with plainToken and its HMAC",
        signed: signed::zoom,
        ..Self::NONE
    };
}

#[cfg(test)]
mod tests;
