"""LINE: x-line-signature, the base64 HMAC of the body. Ids belong to the events of a batch."""

from records import BASE64, Sender, bare, bodies, by

EVENT = {
    "destination": "U0001",
    "events": [
        {"type": "message", "webhookEventId": "01VECTORS0001", "timestamp": 1789999999000,
         "deliveryContext": {"isRedelivery": False}, "message": {"type": "text", "id": "1"}},
        {"type": "follow", "webhookEventId": "01VECTORS0002", "timestamp": 1789999999000,
         "deliveryContext": {"isRedelivery": False}},
    ],
}


def records():
    make = Sender("line", "line-channel-secret-vectors-0001", names=by(kind="/events/0/type"))
    yield from bare(make, "x-line-signature", bodies(EVENT), BASE64)
