"""Coinbase Commerce: X-CC-Webhook-Signature, the hexadecimal HMAC of the body."""

from records import HEX, Sender, bare, bodies, by

EVENT = {
    "id": "attempt-0001",
    "attempt_number": 1,
    "event": {"id": "evt-vectors-0001", "type": "charge:confirmed", "data": {"code": "VECTORS1"}},
}


def records():
    make = Sender("coinbase-commerce", "coinbase-commerce-secret-0001",
                  names=by(kind="/event/type", id="/event/id"))
    yield from bare(make, "X-CC-Webhook-Signature", bodies(EVENT), HEX)
