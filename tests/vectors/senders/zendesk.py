"""Zendesk: X-Zendesk-Webhook-Signature, the base64 HMAC of timestamp and body."""

from records import BASE64, Sender, b64, bodies, by, compact, iso, mac, seconds, signed, timed

EVENT = {
    "type": "zen:event-type:ticket.created",
    "account_id": 22129848,
    "id": "2b24ef10-19d3-4740-93cf-000000000001",
    "time": "2026-09-21T14:13:19Z",
    "event": {},
    "detail": {"id": "35436", "subject": "A vector"},
}
STAMP = "X-Zendesk-Webhook-Signature-Timestamp"
SIGNATURE = "X-Zendesk-Webhook-Signature"


def records():
    make = Sender("zendesk", "zendesk_signing_secret_vectors==", tolerance=300,
                  names=by(kind="/type", id="x-zendesk-webhook-invocation-id"),
                  headers={"x-zendesk-webhook-invocation-id": "01VECTORS0000000000000001",
                           "x-zendesk-webhook-id": "01VECTORS0000000000000002"})

    def sign(body, key=make.key, at=iso(), shown=None):
        return {STAMP: shown or at, SIGNATURE: b64(mac(key, at.encode() + body))}

    plain = compact(EVENT)
    yield from signed(make, sign, bodies(EVENT), SIGNATURE, BASE64)
    yield from timed(make, sign, plain, iso, 300, header=STAMP)
    turned = b64(mac(make.key, plain + iso().encode()))
    yield make("body before the time", {STAMP: iso(), SIGNATURE: turned}, plain,
               why="the time comes first")
    yield make("seconds since 1970", sign(plain, at=seconds()), plain, why="no timestamp")
