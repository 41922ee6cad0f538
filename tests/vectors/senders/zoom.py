"""Zoom: x-zm-signature, v0=<hex of the HMAC of v0:timestamp:body>."""

from records import HEX, Sender, bodies, by, compact, mac, seconds, signed, timed

EVENT = {
    "event": "meeting.started",
    "event_ts": 1789999999000,
    "payload": {"account_id": "AAAAAABBBB", "object": {"id": "1234567890", "topic": "Vectors"}},
}


def records():
    make = Sender("zoom", "zoom-secret-token-vectors", tolerance=300, names=by(kind="/event"))

    def sign(body, key=make.key, at=seconds(), shown=None):
        digest = mac(key, f"v0:{at}:".encode() + body).hex()
        return {"x-zm-request-timestamp": shown or at, "x-zm-signature": f"v0={digest}"}

    yield from signed(make, sign, bodies(EVENT), "x-zm-signature", HEX, "v0=")
    yield from timed(make, sign, compact(EVENT), seconds, 300, header="x-zm-request-timestamp")
    challenge = b'{"payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"},"event_ts":1789999999000,' \
                b'"event":"endpoint.url_validation"}'
    yield make("endpoint.url_validation", sign(challenge), challenge)
