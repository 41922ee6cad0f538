"""Vercel: x-vercel-signature, the hexadecimal HMAC-SHA-1 of the body."""

from records import HEX_SHA1, Sender, bare, bodies, by

EVENT = {
    "id": "uev_vectors0001",
    "type": "deployment.succeeded",
    "createdAt": 1789999999000,
    "payload": {"deployment": {"id": "dpl_0001", "url": "vectors.example.com"}},
}


def records():
    make = Sender("vercel", "vercel-webhook-secret-0001", names=by(kind="/type", id="/id"))
    yield from bare(make, "x-vercel-signature", bodies(EVENT), HEX_SHA1, name_of_hash="sha1")
