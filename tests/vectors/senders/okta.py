"""Okta event hooks: the secret is the whole value of the header Authorization."""

from records import Sender, bodies, by, token

EVENT = {
    "eventType": "com.okta.event_hook",
    "eventTypeVersion": "1.0",
    "cloudEventsVersion": "0.1",
    "eventId": "b5a188b9-5ece-4636-b041-000000000001",
    "eventTime": "2026-09-21T14:13:19.000Z",
    "data": {"events": [{"uuid": "0001", "eventType": "user.lifecycle.create"},
                        {"uuid": "0002", "eventType": "user.session.start"}]},
}


def records():
    make = Sender("okta", "okta-event-hook-secret-01",
                  names=by(kind="/data/events/0/eventType", id="/eventId", signed=False))
    yield from token(make, "Authorization", bodies(EVENT))
    yield make("a scheme in front of the secret", {"Authorization": f"Bearer {make.secret}"},
               bodies(EVENT)["compact JSON"], why="the header is the secret and nothing else")
