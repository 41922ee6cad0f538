"""Lemon Squeezy: X-Signature, the hexadecimal HMAC of the body. No id."""

from records import HEX, Sender, bare, bodies, by

EVENT = {
    "meta": {"event_name": "subscription_created", "test_mode": False},
    "data": {"type": "subscriptions", "id": "1", "attributes": {"status": "active"}},
}


def records():
    make = Sender("lemon-squeezy", "lemon-squeezy-secret-0001",
                  names=by(kind="X-Event-Name"),
                  headers={"X-Event-Name": "subscription_created"})
    yield from bare(make, "X-Signature", bodies(EVENT), HEX)
