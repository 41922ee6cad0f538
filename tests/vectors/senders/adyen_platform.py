"""Adyen for Platforms: HmacSignature, the base64 HMAC of the body; the key is hexadecimal."""

from records import BASE64, Sender, b64, bare, bodies, by, mac

SECRET = "4A6C1D0E9B7F2835C1D2E3F405162738495A6B7C8D9EAFB0C1D2E3F4A5B6C7D8"
EVENT = {
    "type": "balancePlatform.transfer.created",
    "environment": "test",
    "timestamp": "2026-09-21T14:13:20+00:00",
    "data": {"id": "TR0001", "balancePlatform": "Vectors", "status": "authorised"},
}


def records():
    make = Sender("adyen-platform", SECRET, "hex", names=by(kind="/type"))
    yield from bare(make, "HmacSignature", bodies(EVENT), BASE64)
    body = bodies(EVENT)["compact JSON"]
    verbatim = b64(mac(SECRET.encode(), body))
    yield make("secret used as it stands", {"HmacSignature": verbatim}, body,
               why="the secret is hexadecimal")
