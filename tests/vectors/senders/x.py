"""X: X-Twitter-Webhooks-Signature, sha256=<base64 of the HMAC of the body>. No id, no type."""

from records import BASE64, Sender, bare, bodies

EVENT = {
    "for_user_id": "2244994945",
    "tweet_create_events": [{"id_str": "1000000000000000001", "text": "vectors"}],
}


def records():
    make = Sender("x", "x-consumer-secret-vectors-0001")
    yield from bare(make, "X-Twitter-Webhooks-Signature", bodies(EVENT), BASE64, "sha256=")
