use std::time::Duration;

use http::StatusCode;

use crate::testing::{SECRET, check_at, signed_at};
use crate::{Preset, Scheme, Verified};

fn each() -> [Preset; 6] {
    [
        Preset::line(SECRET).unwrap(),
        Preset::meta(SECRET).unwrap(),
        Preset::twitch(SECRET).unwrap(),
        Preset::whatsapp(SECRET).unwrap(),
        Preset::x(SECRET).unwrap(),
        Preset::zoom(SECRET).unwrap(),
    ]
}

#[test]
fn a_sample_passes_and_a_changed_one_does_not() {
    for preset in each() {
        let event = preset.facts().sample_event();
        let (head, body) = preset.sample(event, "1", signed_at()).unwrap().into_parts();
        assert!(
            check_at(&preset, &head, &body, signed_at()).is_ok(),
            "{preset:?}"
        );
        let verified = Verified::assumed("source", preset.identify(&head, &body));
        assert_eq!(verified.kind(), event, "{preset:?}");
        let changed = [&body, &b" "[..]].concat();
        assert_eq!(
            check_at(&preset, &head, &changed, signed_at()),
            Err("mismatch"),
            "{preset:?}"
        );
    }
}

#[test]
fn only_twitch_has_an_id_and_it_is_signed() {
    for preset in each() {
        let event = preset.facts().sample_event();
        let (head, body) = preset.sample(event, "1", signed_at()).unwrap().into_parts();
        let verified = Verified::assumed("source", preset.identify(&head, &body));
        let id = verified.delivery_id();
        match preset.name() {
            "twitch" => assert!(id.unwrap().is_signed()),
            _ => assert_eq!(id, None, "{preset:?}"),
        }
    }
}

#[test]
fn timestamps_are_tolerated_as_documented() {
    for (preset, seconds) in [
        (Preset::zoom(SECRET).unwrap(), 300),
        (Preset::twitch(SECRET).unwrap(), 600),
    ] {
        let (head, body) = preset.sample("a.b", "1", signed_at()).unwrap().into_parts();
        let at = |now| check_at(&preset, &head, &body, now).map(|_| ());
        let (end, second) = (Duration::from_secs(seconds), Duration::from_secs(1));
        assert_eq!(at(signed_at() + end), Ok(()));
        assert_eq!(at(signed_at() + end + second), Err("stale"));
        assert_eq!(at(signed_at() - end), Ok(()));
        assert_eq!(at(signed_at() - end - second), Err("future"));
    }
}

#[test]
fn each_sender_gets_the_answer_it_wants() {
    for (facts, success, is_batch) in [
        (Preset::LINE, StatusCode::ACCEPTED, true),
        (Preset::MAILGUN, StatusCode::OK, false),
        (Preset::META, StatusCode::OK, true),
        (Preset::MICROSOFT_GRAPH, StatusCode::ACCEPTED, true),
        (Preset::OKTA, StatusCode::OK, true),
        (Preset::POSTMARK, StatusCode::OK, false),
        (Preset::TELEGRAM, StatusCode::OK, false),
        (Preset::TWILIO, StatusCode::NO_CONTENT, false),
        (Preset::WHATSAPP, StatusCode::OK, true),
        (Preset::ZOOM, StatusCode::OK, false),
    ] {
        assert_eq!(facts.success().status(), success, "{facts:?}");
        assert_eq!(facts.is_batch(), is_batch, "{facts:?}");
    }
    assert_eq!(
        Preset::OKTA.refusal(),
        Some(StatusCode::SERVICE_UNAVAILABLE)
    );
}
