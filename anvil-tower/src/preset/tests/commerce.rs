use http::{Method, StatusCode};

use super::payments::sampled;
use crate::testing::{SECRET, head};
use crate::{Preset, Scheme};

#[test]
fn an_event_is_named_by_its_kind_and_by_an_id_that_is_in_the_body() {
    let id = |signed| Some(("id-1".to_owned(), signed));
    for (facts, kind, expected) in [
        (Preset::CALENDLY, "invitee.created", None),
        (Preset::DOCUSIGN, "envelope-completed", None),
        (Preset::HUBSPOT, "contact.creation", None),
        (Preset::INTERCOM, "conversation.user.replied", id(true)),
        (Preset::TYPEFORM, "form_response", id(true)),
        (Preset::ZENDESK, "zen:event-type:ticket.created", id(false)),
    ] {
        assert_eq!(
            sampled(facts, SECRET),
            (kind.to_owned(), expected),
            "{facts:?}"
        );
    }
}

#[test]
fn who_drops_events_after_a_4xx_gets_none() {
    for facts in [Preset::HUBSPOT, Preset::TYPEFORM, Preset::ZENDESK] {
        assert_eq!(
            facts.refusal(),
            Some(StatusCode::SERVICE_UNAVAILABLE),
            "{facts:?}"
        );
    }
}

#[test]
fn intercom_asks_with_a_head() {
    let scheme = Preset::intercom(SECRET).unwrap();
    let mut head = head(&[]);
    assert!(scheme.open_handshake(&head).is_none());
    head.method = Method::HEAD;
    assert_eq!(
        scheme.open_handshake(&head).unwrap().status(),
        StatusCode::OK
    );
}
