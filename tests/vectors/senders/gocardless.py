"""GoCardless: Webhook-Signature, the hexadecimal HMAC of the body."""

from records import HEX, Sender, bare, bodies, by

EVENT = {
    "events": [{"id": "EV0001", "resource_type": "payments", "action": "confirmed",
                "links": {"payment": "PM0001"}}],
    "meta": {"webhook_id": "WB0001"},
}


def records():
    make = Sender("gocardless", "gocardless-endpoint-secret-0001",
                  names=by(kind="/events/0/resource_type", id="/meta/webhook_id"))
    yield from bare(make, "Webhook-Signature", bodies(EVENT), HEX)
