"""Meta: X-Hub-Signature-256, sha256=<hex of the HMAC of the body>."""

from records import HEX, Sender, bare, bodies, by

EVENT = {
    "object": "page",
    "entry": [{"id": "100200300", "time": 1789999999, "changes": [
        {"field": "feed", "value": {"item": "comment", "verb": "add", "post_id": "100_200"}},
    ]}],
}


def records():
    make = Sender("meta", "meta-app-secret-for-vectors-0001", names=by(kind="/object"))
    yield from bare(make, "X-Hub-Signature-256", bodies(EVENT), HEX, "sha256=")
