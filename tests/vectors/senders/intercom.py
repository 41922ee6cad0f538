"""Intercom: X-Hub-Signature, sha1=<hex of the HMAC-SHA-1 of the body>."""

from records import HEX_SHA1, Sender, bare, bodies, by

EVENT = {
    "type": "notification_event",
    "app_id": "vectors",
    "id": "notif_0001",
    "topic": "conversation.user.replied",
    "data": {"type": "notification_event_data", "item": {"type": "conversation", "id": "42"}},
}


def records():
    make = Sender("intercom", "intercom-client-secret-0001", names=by(kind="/topic", id="/id"))
    yield from bare(make, "X-Hub-Signature", bodies(EVENT), HEX_SHA1, "sha1=", name_of_hash="sha1")
