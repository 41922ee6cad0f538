"""Razorpay: X-Razorpay-Signature, the hexadecimal HMAC of the body."""

from records import HEX, Sender, bare, bodies, by

EVENT = {
    "entity": "event",
    "event": "payment.captured",
    "contains": ["payment"],
    "payload": {"payment": {"entity": {"id": "pay_vectors0001", "amount": 50000}}},
    "created_at": 1789999999,
}


def records():
    make = Sender("razorpay", "razorpay-webhook-secret-0001",
                  names=by(kind="/event", id="x-razorpay-event-id"),
                  headers={"x-razorpay-event-id": "evt_vectors0001"})
    yield from bare(make, "X-Razorpay-Signature", bodies(EVENT), HEX)
